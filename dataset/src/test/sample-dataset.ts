/**
 * A small dataset compiled from rows that a test gives: everything the real one has, with few
 * prefixes.
 */

import { parseAddress } from '../address.ts';
import { compile } from '../compile/compile.ts';
import type { CompileInput, Overlay, RangeSource } from '../compile/input/compile-input.ts';
import { encodeCountry } from '../country-code.ts';
import { Dataset } from '../file/read.ts';
import { type Content, encodeContent, encodeDataset } from '../file/write.ts';
import { parseCidr, parsePrefix, type Range, toBigInt } from '../prefix.ts';
import { Ranges } from '../ranges.ts';
import type { Refusal, Source } from '../record.ts';

export type Sample = {
  /** `1.0.0.0/24` or `1.0.0.0-1.0.2.255`, AS number, name. */
  routes: readonly (readonly [range: string, asn: number, name: string])[];
  /** Other networks that announce the prefix of a route (MOAS). */
  otherOrigins?: readonly (readonly [prefix: string, asn: number])[];
  countries?: readonly (readonly [range: string, country: string])[];
  delegated?: readonly (readonly [range: string, country: string])[];
  crawlers?: readonly (readonly [range: string, company: string])[];
  tor?: readonly (readonly [range: string, operator: string])[];
  /** Rows about services that are known to be good and about scanners. */
  named?: readonly (readonly [range: string, drive: 'scanner' | 'known_good', operator: string])[];
  /** Lists of VPN services, privacy relays and proxies, one for each row. */
  anonymous?: readonly (readonly [
    range: string,
    kind: 'vpn' | 'relay' | 'proxy',
    operator?: string,
  ])[];
};

export const BUILT_AT = new Date('2026-11-15T00:00:00Z');

export function sampleContent(sample: Sample): Content {
  return contentOf(sampleInput(sample));
}

export function contentOf(input: CompileInput, refused: readonly Refusal[] = []): Content {
  return encodeContent(compile(input), refused);
}

export function sampleFile(sample: Sample, version = 1): Buffer {
  return encodeDataset(sampleContent(sample), version, BUILT_AT);
}

export function sampleInput(sample: Sample): CompileInput {
  const routes = source('routes');
  return {
    routes: [
      {
        source: routes,
        ranges: ranges(sample.routes),
        otherOrigins: (sample.otherOrigins ?? []).map(otherOrigin),
      },
    ],
    names: [
      { source: routes, names: new Map(sample.routes.map(([, asn, name]) => [asn, { name }])) },
    ],
    delegations: [],
    networkLists: [],
    countries: [countrySource('countries', sample.countries ?? [])],
    delegated: countrySource('delegated', sample.delegated ?? []),
    overlays: [
      ...crawlerOverlays(sample.crawlers ?? []),
      torOverlay(sample.tor ?? []),
      ...(sample.named ?? []).map(namedOverlay),
      ...(sample.anonymous ?? []).map(anonymityOverlay),
    ],
    tables: {
      iana: source('iana-tables'),
      networks: { ...source('networks'), is_table: true },
      scanners: source('scanners'),
      'name-rules': source('name-rules'),
      'type-signals': source('type-signals'),
    },
  };
}

export function sampleDataset(sample: Sample, version = 1): Dataset {
  return datasetOf(sampleInput(sample), version);
}

export function datasetOf(input: CompileInput, version = 1): Dataset {
  return new Dataset(ownBuffer(encodeDataset(encodeContent(compile(input)), version, BUILT_AT)));
}

/** Small Buffers are slices of a shared pool; a dataset needs a buffer of its own. */
export function ownBuffer(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

export function source(id: string): Source {
  return { id, as_of: '2026-11-01', licence: 'none', credit: 'none', records: 0 };
}

function otherOrigin([text, asn]: readonly [string, number]) {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new Error(`${text} is no prefix`);
  const { address, length } = cidr;
  return { version: address.version, start: toBigInt(address), length, asn };
}

function countrySource(id: string, rows: readonly (readonly [string, string])[]): RangeSource {
  return {
    source: source(id),
    ranges: ranges(rows.map(([range, country]) => [range, encodeCountry(country)])),
  };
}

function crawlerOverlays(rows: readonly (readonly [string, string])[]): Overlay[] {
  return [...new Set(rows.map(([, company]) => company))].map((company) => ({
    drives: ['is_ai_crawler'],
    company,
    statements: [{}],
    source: source('crawler'),
    ranges: ranges(rows.filter(([, name]) => name === company).map(([range]) => [range, 0])),
  }));
}

function torOverlay(rows: readonly (readonly [string, string])[]): Overlay {
  return {
    drives: ['is_tor_exit'],
    namesTorOperators: true,
    statements: rows.map(([, label]) => ({ label })),
    source: source('tor'),
    ranges: ranges(rows.map(([range], i) => [range, i])),
  };
}

function namedOverlay([range, drive, label]: NonNullable<Sample['named']>[number]): Overlay {
  return {
    drives: [drive],
    isTable: true,
    statements: [{ label }],
    source: source(drive.replace('_', '-')),
    ranges: ranges([[range, 0]]),
  };
}

function anonymityOverlay([range, kind, operator]: NonNullable<
  Sample['anonymous']
>[number]): Overlay {
  return {
    drives: [kind === 'proxy' ? 'is_proxy' : 'is_vpn'],
    ...(kind === 'relay' && { isRelay: true }),
    ...(operator !== undefined && { operator }),
    statements: [{}],
    source: source(`${kind}-list`),
    ranges: ranges([[range, 0]]),
  };
}

export function ranges(
  rows: readonly (readonly [range: string, value: number, ...rest: unknown[]])[],
): Record<4 | 6, Ranges> {
  const result = { 4: new Ranges(), 6: new Ranges() };
  for (const [text, value] of rows) {
    const { version, start, end } = parseRange(text);
    result[version].add(start, end, value);
  }
  return result;
}

function parseRange(text: string): Range {
  const [first = '', last] = text.split('-');
  const prefix = parsePrefix(first);
  const end = last === undefined ? undefined : parseAddress(last);
  if (prefix === undefined || (last !== undefined && end === undefined))
    throw new Error(`${text} is not a range`);
  return end === undefined
    ? prefix
    : { version: prefix.version, start: prefix.start, end: toBigInt(end) };
}
