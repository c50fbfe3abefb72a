/**
 * Feeds of the size that a full catalogue has on the internet, generated from the announced space
 * of the embedded default: the fixtures hold a part of each feed, and memory and file size of a
 * real update are not seen with them.
 *
 *   routes        1,200,000 prefixes in RIS form: those of the embedded default, and more-specifics of them
 *   delegations     600,000 rows of the NRO: IPv4, IPv6, AS numbers
 *   countries     3,000,000 ranges; up to three in ten have the country of a neighbour instead of their own
 *   relay           300,000 ranges of a privacy relay, in runs of twenty with one country
 *   hosts           200,000 addresses on each of three lists, a third of them on the list before as well
 */

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { formatAddress } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import { prefixLength } from '@whence/dataset/match';
import { addressBits, formatPrefix, fromBigInt } from '@whence/dataset/prefix';
import type { Words } from '@whence/testing/seeded-random';

const ROUTES = { 4: 1_000_000, 6: 200_000 } as const;
const COUNTRY_RANGES = { 4: 2_600_000, 6: 400_000 } as const;
const DELEGATIONS = { 4: 260_000, 6: 200_000, asn: 140_000 } as const;
const RELAY_RANGES = 300_000;
const RELAY_BASES = ['2a02:26f7', '2a09:bac2', '2606:54c0'] as const;
const HOSTS = 200_000;
const HOST_LISTS = [
  { id: 'hosts-a', drives: ['blocklist'] },
  { id: 'hosts-b', drives: ['blocklist'] },
  { id: 'hosts-c', drives: ['is_proxy'] },
] as const;
const LONGEST = { 4: 24, 6: 48 } as const;
const MAX_RECORDS = 5_000_000;
const NEIGHBOURS = 64;

type Run = {
  readonly start: bigint;
  readonly end: bigint;
  readonly length: number;
  readonly asn: number;
  readonly country: string;
  readonly rir: string;
};

/** Writes the files and returns the catalogue. */
export async function writeFullFeeds(
  dataset: Dataset,
  folder: string,
  random: Words,
): Promise<object[]> {
  const runs = { 4: runsOf(dataset, 4), 6: runsOf(dataset, 6) } as const;
  const countries = [...new Set(runs[4].map(({ country }) => country))];
  const write = async (name: string, lines: Iterable<string>) => {
    const path = join(folder, name);
    await writeLines(path, lines);
    return pathToFileURL(path).href;
  };
  const feeds: object[] = [];
  const feed = async (
    id: string,
    format: string,
    drives: readonly string[],
    lines: Iterable<string>,
    more = {},
  ) => {
    feeds.push({
      id,
      url: await write(`${id}.txt`, lines),
      format,
      drives,
      max_records: MAX_RECORDS,
      ...more,
    });
  };
  for (const version of [4, 6] as const) {
    await feed(
      `ris-v${version}`,
      'riswhois',
      ['routes'],
      routeLines(runs[version], version, random),
    );
    const ranges = countryLines(runs[version], version, random);
    await feed(`user-country-v${version}`, 'range-csv-cc', ['country'], ranges);
  }
  await feed('nro', 'delegated-ext', ['delegation'], delegationLines(dataset, runs));
  const relay = { operator: 'Example Relay', is_relay: true };
  await feed('relay', 'geofeed', ['is_vpn', 'country'], relayLines(countries, random), relay);
  let before: string[] = [];
  for (const { id, drives } of HOST_LISTS) {
    before = hosts(runs[4], before, random);
    await feed(id, 'ip-lines', drives, before);
  }
  return feeds;
}

function runsOf(dataset: Dataset, version: 4 | 6): Run[] {
  const runs: Run[] = [];
  for (const { start, end, match } of dataset.runs(version)) {
    if (match === 0) continue;
    const { country, rir } = dataset.attributes(dataset.attributesOf(match));
    runs.push({
      start,
      end,
      length: prefixLength(match),
      asn: dataset.asnNumber(match),
      country,
      rir: rir ?? '',
    });
  }
  return runs;
}

function* routeLines(runs: readonly Run[], version: 4 | 6, random: Words): Generator<string> {
  yield '% This file was generated at Sun Nov 15 00:00:00 UTC 2026.';
  let count = 0;
  let last = '';
  for (const { start, length, asn } of runs) {
    const prefix = formatPrefix(fromBigInt(start, version), length);
    if (prefix === last) continue;
    last = prefix;
    yield `${asn}\t${prefix}\t300`;
    if (++count === ROUTES[version]) return;
  }
  const bits = addressBits(version);
  while (count < ROUTES[version]) {
    const { start, length, asn } = pick(runs, random);
    if (length >= LONGEST[version]) continue;
    const longer = length + 1 + (random() % (LONGEST[version] - length));
    const host = (BigInt(random()) << 96n) >> BigInt(128 - bits + length);
    // One in ten is announced by another network.
    const origin = random() % 10 === 0 ? pick(runs, random).asn : asn;
    yield `${origin}\t${formatPrefix(fromBigInt(start | (host & ((1n << BigInt(bits - length)) - 1n)), version), longer)}\t300`;
    count++;
  }
}

function* countryLines(runs: readonly Run[], version: 4 | 6, random: Words): Generator<string> {
  const perRun = COUNTRY_RANGES[version] / runs.length;
  let due = 0;
  for (const [at, { start, end, country }] of runs.entries()) {
    due += perRun;
    const size = end - start + 1n;
    const parts = BigInt(Math.max(1, Math.floor(due)));
    if (parts > size) continue;
    due -= Number(parts);
    for (let part = 0n; part < parts; part++) {
      const first = start + (size * part) / parts;
      const last = start + (size * (part + 1n)) / parts - 1n;
      // Neighbours in the address space are of the same networks and region, as where vendors
      // differ.
      const neighbour = runs[Math.max(0, at - (random() % NEIGHBOURS))] as Run;
      const used = random() % 10 < 3 ? neighbour.country : country;
      yield `${formatAddress(fromBigInt(first, version))},${formatAddress(fromBigInt(last, version))},${used}`;
    }
  }
}

function* delegationLines(
  dataset: Dataset,
  runs: Readonly<Record<4 | 6, readonly Run[]>>,
): Generator<string> {
  const total = DELEGATIONS[4] + DELEGATIONS[6] + DELEGATIONS.asn;
  yield `2|nro|20261115|${total}|19840101|20261114|+0000`;
  for (const [kind, count] of [
    ['asn', DELEGATIONS.asn],
    ['ipv4', DELEGATIONS[4]],
    ['ipv6', DELEGATIONS[6]],
  ] as const)
    yield `nro|*|${kind}|*|${count}|summary`;
  const row = (rir: string, ...cells: (string | number)[]) => {
    const registry = rir === 'RIPE' ? 'ripencc' : rir.toLowerCase();
    return [registry, ...cells, '20010920', 'allocated', 'e5e3b9c13678dfc483fb1f819d70883c'].join(
      '|',
    );
  };
  const asns = Math.min(dataset.networks.count, DELEGATIONS.asn);
  for (let at = 0; at < asns; at++) {
    const { asn, country, rir } = dataset.networks.at(at);
    yield row(rir ?? '', country, 'asn', asn, 1);
  }
  for (const version of [4, 6] as const) {
    const step = Math.max(1, runs[version].length / DELEGATIONS[version]);
    for (let at = 0; at < runs[version].length; at += step) {
      const { start, end, length, country, rir } = runs[version][Math.floor(at)] as Run;
      const address = formatAddress(fromBigInt(start, version));
      yield row(
        rir,
        country,
        `ipv${version}`,
        address,
        version === 4 ? Number(end - start + 1n) : length,
      );
    }
  }
}

function* relayLines(countries: readonly string[], random: Words): Generator<string> {
  let country = '';
  for (let row = 0; row < RELAY_RANGES; row++) {
    if (row % 20 === 0)
      country = pick(
        countries.filter((code) => code !== 'ZZ'),
        random,
      );
    const base = RELAY_BASES[row % RELAY_BASES.length];
    const at = Math.floor(row / RELAY_BASES.length);
    yield `${base}:${(at >>> 8).toString(16)}:${((at & 255) << 8).toString(16)}::/64,${country},${country}-X,City,`;
  }
}

function hosts(runs: readonly Run[], before: readonly string[], random: Words): string[] {
  const listed = new Set(before.slice(0, Math.floor(before.length / 3)));
  while (listed.size < HOSTS) {
    const { start, end } = pick(runs, random);
    listed.add(formatAddress(fromBigInt(start + (BigInt(random()) % (end - start + 1n)), 4)));
  }
  return [...listed];
}

function pick<T>(list: readonly T[], random: Words): T {
  return list[random() % list.length] as T;
}

async function writeLines(path: string, lines: Iterable<string>): Promise<void> {
  const file = createWriteStream(path);
  let chunk = '';
  for (const line of lines) {
    chunk += `${line}\n`;
    if (chunk.length < 1 << 20) continue;
    if (!file.write(chunk)) await once(file, 'drain');
    chunk = '';
  }
  file.end(chunk);
  await once(file, 'close');
}
