/**
 * The embedded default, compiled from the real packages and compared with a slow and obvious search: rows as they are
 * in the files, looked up by binary search over plain numbers. Only the parser of addresses is shared with the
 * compiler.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import { parseAddress } from '../address.ts';
import { isReservedAsn } from '../as-number.ts';
import { compile } from '../compile/compile.ts';
import { isDbipMistaken, readEmbedded } from '../compile/embedded.ts';
import { addressCountries, cloudCountries } from '../data-files/data-files.ts';
import { npmSources } from '../feeds/npm-sources.ts';
import { prefixLength } from '../file/format.ts';
import { Dataset } from '../file/read.ts';
import { encodeContent, encodeDataset } from '../file/write.ts';
import { AsnSearch } from '../lookup/asn-search.ts';
import { addressBits, fromBigInt, lastAddress, prefixesOfRange, toBigInt } from '../prefix.ts';
import { findSpecialPurpose } from '../special-purpose.ts';
import { ownBuffer } from './sample-dataset.ts';
import { SlowAsnSearch } from './slow-asn-search.ts';

const SEED = 20261115;

type Row = { start: bigint; end: bigint; value: string };

const folder = (name: string) => dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
const file = encodeDataset(encodeContent(compile(readEmbedded(folder))), 1, new Date(0));
const dataset = new Dataset(ownBuffer(file));

for (const version of [4, 6] as const) {
  test(`whole dataset: every IPv${version} prefix, and the addresses next to it, are answered as in the source files`, () => {
    const random = seededRandom(SEED);
    const routes = announcedRows(version);
    const countries = readRows('country', version);
    const delegated = readRows('delegated', version);
    const regions = regionRows(version);
    const bits = addressBits(version);
    const limit = 1n << BigInt(bits);
    let checked = 0;

    const check = (value: bigint) => {
      const address = fromBigInt(value, version);
      const match = dataset.find(address);
      const route = narrowestAt(routes, value);
      if (route === undefined || findSpecialPurpose(address) !== undefined) {
        assert.equal(match, 0, `${value.toString(16)} is answered`);
        return;
      }
      assert.notEqual(match, 0, `${value.toString(16)} is not answered`);
      const [base, length] = obviousPrefix(route, value, bits);
      // Where the rest of a prefix around announcements of others is a row, the prefix around that row is the answer.
      const isCovering = version === 6 && prefixLength(match) < length;
      if (isCovering) {
        const [first, last] = around(value, prefixLength(match), bits);
        assert.ok(first <= route.start && route.end <= last, value.toString(16));
      } else assert.equal(prefixLength(match), length, value.toString(16));
      // Every field of every address would take minutes; the whole record of one in eight is enough to find an offset
      // error.
      if (checked++ % 8 !== 0) return;
      const { asn, prefix, country } = dataset.record(address, match);
      assert.equal(asn, Number(route.value.split(',')[0]), prefix);
      if (!isCovering) assert.equal(toBigInt(parseAddress(prefix.split('/')[0] as string) ?? address), base);
      const used = narrowestAt(countries, value)?.value;
      const registered = narrowestAt(delegated, value)?.value;
      const isMistaken = used !== undefined && registered !== undefined && isDbipMistaken(asn, used);
      const want = narrowestAt(regions, value)?.value ?? (isMistaken ? registered : (used ?? registered ?? 'ZZ'));
      assert.equal(country, want, prefix);
    };

    let prefixes = 0;
    for (const { start, end } of routes) {
      for (const [base, length] of prefixesOfRange(start, end, bits)) {
        const last = lastAddress(base, length, bits);
        prefixes++;
        check(base);
        check(last);
        check(base + BigInt(Math.floor(random() * Number(last - base + 1n))));
        if (base > 0n) check(base - 1n);
        if (last + 1n < limit) check(last + 1n);
      }
    }
    assert.ok(prefixes > (version === 4 ? 500_000 : 150_000), `${prefixes} prefixes`);
  });
}

test('whole dataset: the prefixes of every network are those of its rows in the source files', () => {
  const wanted = new Map<number, Record<4 | 6, string[]>>();
  for (const version of [4, 6] as const) {
    for (const { start, end, value } of announcedRows(version)) {
      const asn = Number(value.split(',')[0]);
      const prefixes = wanted.get(asn) ?? { 4: [], 6: [] };
      wanted.set(asn, prefixes);
      for (const [base, length] of prefixesOfRange(start, end, addressBits(version))) {
        if (findSpecialPurpose(fromBigInt(base, version)) === undefined) prefixes[version].push(`${base}/${length}`);
      }
    }
  }
  assert.ok(wanted.size > 80_000, `${wanted.size} networks`);
  for (const [asn, want] of wanted) {
    const { ipv4, ipv6 } = dataset.prefixesOf(asn);
    // As one text each: deepEqual over all of them would take as long as the rest of the test.
    assert.equal(ipv4.map(numeric).join(' '), want[4].join(' '), `AS${asn}`);
    if (ipv6.map(numeric).join(' ') !== want[6].join(' ')) checkCovering(asn, ipv6, want[6]);
    const count = dataset.asn(asn)?.prefix_count;
    assert.ok(count?.ipv4 === ipv4.length && count.ipv6 === ipv6.length, `AS${asn}`);
  }
});

test(`whole dataset: a search finds what a slow search finds (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  const below = (limit: number) => Math.floor(random() * limit);
  const search = new AsnSearch(dataset);
  const slow = new SlowAsnSearch(dataset);
  for (let i = 0; i < 120; i++) {
    const { asn, asn_name } = dataset.networks.at(below(dataset.networks.count));
    const start = below(asn_name.length);
    const text = asn_name.slice(start, start + 1 + below([2, 4, 15][i % 3] ?? 0));
    const query = i % 25 === 0 ? `AS${asn}` : text;
    const { total, results } = search.search(query, 100);
    const asns = results.map((result) => result.asn);
    assert.deepEqual({ total, asns }, slow.search(query, 100), JSON.stringify(query));
  }
});

test('whole dataset: every record satisfies the invariants of the contract', () => {
  const seen = new Set<number>();
  for (const version of [4, 6] as const) {
    for (const { start } of announcedRows(version)) {
      const address = fromBigInt(start, version);
      const match = dataset.find(address);
      if (match === 0 || seen.has(dataset.attributesOf(match))) continue;
      seen.add(dataset.attributesOf(match));
      const { connection_type, detection, threat, country, rir } = dataset.record(address, match);
      assert.equal(detection.is_datacenter, connection_type === 'datacenter');
      assert.equal(detection.is_residential, connection_type === 'residential');
      assert.equal(detection.is_mobile, connection_type === 'mobile');
      assert.equal('ai_company' in detection, detection.is_ai_crawler);
      assert.match(country, /^[A-Z]{2}$/);
      assert.ok(['ARIN', 'RIPE', 'APNIC', 'LACNIC', 'AFRINIC'].includes(rir));
      const points = (threat.explanation ?? []).map((reason) => Number(/\+(\d+)$/.exec(reason)?.[1]));
      assert.equal(
        threat.score,
        Math.min(
          100,
          points.reduce((sum, value) => sum + value, 0),
        ),
      );
    }
  }
  assert.ok(seen.size > 1000);
});

for (const [ip, want] of [
  [
    '8.8.8.8',
    { asn: 15169, country: 'US', rir: 'ARIN', connection_type: 'datacenter', cloud_provider: 'Google Cloud', score: 0 },
  ],
  ['1.1.1.1', { asn: 13335, rir: 'APNIC', connection_type: 'datacenter', cloud_provider: 'Cloudflare' }],
  ['9.9.9.9', { asn: 19281, rir: 'ARIN' }],
  ['193.0.6.139', { asn: 3333, rir: 'RIPE', country: 'NL' }],
  ['200.160.2.3', { rir: 'LACNIC', country: 'BR' }],
  ['196.216.2.6', { rir: 'AFRINIC' }],
  [
    '2001:4860:4860::8888',
    { asn: 15169, prefix: '2001:4860::/32', country: 'US', rir: 'ARIN', cloud_provider: 'Google Cloud' },
  ],
  ['144.217.1.1', { asn: 16276, country: 'CA', rir: 'ARIN' }],
  ['173.249.0.1', { asn: 51167, country: 'DE', rir: 'RIPE', cloud_provider: 'Contabo' }],
  ['119.29.29.29', { country: 'CN', rir: 'APNIC', cloud_provider: 'Tencent Cloud' }],
  ['199.9.14.201', { country: 'US', rir: 'ARIN' }],
  ['151.101.1.1', { asn: 54113, country: 'US', rir: 'ARIN', cloud_provider: 'Fastly' }],
  ['206.126.236.1', { country: 'US', rir: 'ARIN', is_datacenter: false }],
  ['31.94.1.1', { asn: 2856, is_mobile: true }],
  ['92.184.105.1', { asn: 3215, is_mobile: true }],
  ['106.128.1.1', { asn: 2516, is_mobile: true }],
  ['109.40.1.1', { asn: 3209, is_mobile: true }],
  ['213.87.1.1', { asn: 8359, is_mobile: true }],
  ['126.152.1.1', { asn: 17676, is_mobile: true }],
  ['177.26.1.1', { asn: 26599, is_mobile: true }],
  ['2606:4700:4700::1111', { asn: 13335, rir: 'ARIN', cloud_provider: 'Cloudflare' }],
  ['185.220.101.1', { is_tor_exit: true }],
  ['66.249.66.1', { is_ai_crawler: false, is_datacenter: true }],
  ['20.171.206.1', { ai_company: 'OpenAI', cloud_provider: 'Azure' }],
] as const) {
  test(`whole dataset: ${ip}`, () => {
    const address = parseAddress(ip);
    assert.ok(address);
    const record = dataset.record(address, dataset.find(address));
    const flat: Record<string, unknown> = { ...record, ...record.detection, ...record.threat };
    assert.deepEqual(Object.fromEntries(Object.keys(want).map((key) => [key, flat[key]])), want);
  });
}

test('whole dataset: the file is at most 25 MB', () => assert.ok(file.length <= 25e6, `${file.length} bytes`));

/** The tables of ranges whose country is known. */
function regionRows(version: 4 | 6): Row[] {
  return [...cloudCountries.rows, ...addressCountries.rows]
    .flatMap(({ prefix: { start, end, ...prefix }, country }) =>
      prefix.version === version ? [{ start, end, value: country }] : [],
    )
    .sort((a, b) => (a.start < b.start ? -1 : 1));
}

/** Rows whose origin is not a reserved AS number. */
function announcedRows(version: 4 | 6): Row[] {
  const rows = readRows('asn', version).filter(({ value }) => !isReservedAsn(Number(value.split(',')[0])));
  return version === 4 ? rows : rows.flatMap(halves);
}

/** An IPv6 range of these lengths stands for two announced prefixes. */
function halves(row: Row): Row[] {
  const size = row.end - row.start + 1n;
  const isJoined = [31n, 39n, 43n, 47n].some((length) => size === 1n << (128n - length)) && row.start % size === 0n;
  const middle = row.start + size / 2n;
  return isJoined
    ? [
        { ...row, end: middle - 1n },
        { ...row, start: middle },
      ]
    : [row];
}

function readRows(source: keyof typeof npmSources, version: 4 | 6): Row[] {
  const { package: name, files } = npmSources[source];
  const rows = readFileSync(join(folder(name), files[version].name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): Row => {
      const [first = '', last = '', ...rest] = line.split(',');
      const [start, end] = [first, last].map((text) => parseAddress(text));
      assert.ok(start && end);
      return { start: toBigInt(start), end: toBigInt(end), value: rest.join(',') };
    });
  return rows.sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0));
}

/**
 * The narrowest row that contains the address. In these files at most two rows overlap, so it is enough to look back a
 * few.
 */
function narrowestAt(rows: readonly Row[], value: bigint): Row | undefined {
  let from = 0;
  let to = rows.length - 1;
  while (from < to) {
    const middle = (from + to + 1) >> 1;
    if ((rows[middle] as Row).start <= value) from = middle;
    else to = middle - 1;
  }
  let best: Row | undefined;
  for (const row of rows.slice(Math.max(0, from - 3), from + 1)) {
    if (row.start > value || row.end < value) continue;
    if (best === undefined || row.end - row.start <= best.end - best.start) best = row;
  }
  return best;
}

/** Shortens the prefix around the address bit by bit, as long as it stays inside the row. */
function obviousPrefix({ start, end }: Row, value: bigint, bits: number): [base: bigint, length: number] {
  let base = value;
  let length = bits;
  while (length > 0) {
    const size = 1n << BigInt(bits - length + 1);
    const wider = (base / size) * size;
    if (wider < start || wider + size - 1n > end) break;
    base = wider;
    length--;
  }
  return [base, length];
}

/** First and last address of the prefix of this length. */
function around(value: bigint, length: number, bits: number): [first: bigint, last: bigint] {
  const size = 1n << BigInt(bits - length);
  const first = (value / size) * size;
  return [first, first + size - 1n];
}

/** Prefixes of the rows, or prefixes around several of them; together they contain all rows. */
function checkCovering(asn: number, prefixes: readonly string[], rows: readonly string[]): void {
  const bounds = (text: string) => {
    const [base = '', length] = text.split('/');
    return around(BigInt(base), Number(length), 128);
  };
  const have = prefixes.map((prefix) => bounds(numeric(prefix)));
  assert.ok(have.length <= rows.length, `AS${asn} has ${have.length} prefixes of ${rows.length} rows`);
  const want = rows.map(bounds);
  for (const [first, last] of want)
    assert.ok(
      have.some(([start, end]) => start <= first && last <= end),
      `AS${asn}`,
    );
  for (const [start, end] of have)
    assert.ok(
      want.some(([first, last]) => start <= first && last <= end),
      `AS${asn}`,
    );
}

function numeric(prefix: string): string {
  const [address = '', length] = prefix.split('/');
  return `${toBigInt(parseAddress(address) ?? assert.fail(prefix))}/${length}`;
}
