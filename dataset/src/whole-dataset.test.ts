/**
 * The embedded default, compiled from the real packages and held against a search that is slow and obvious: rows as they stand
 * in the files, looked up by binary search over plain numbers. Nothing of the compiler is used on that side but the parsing of addresses.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { parseAddress } from './address.ts';
import { isReservedAsn } from './compile/as-number.ts';
import { compile } from './compile/compile.ts';
import { readEmbedded } from './compile/embedded.ts';
import { npmSources } from './compile/npm-sources.ts';
import { prefixLength } from './format.ts';
import { addressBits, fromBigInt, lastAddress, prefixesOfRange, toBigInt } from './prefix.ts';
import { Dataset } from './read.ts';
import { findSpecialPurpose } from './tables/special-purpose.ts';
import { ownBuffer } from './test/sample-dataset.ts';
import { seededRandom } from './test/seeded-random.ts';
import { encodeContent, encodeDataset } from './write.ts';

const SEED = 20261115;

type Row = { start: bigint; end: bigint; value: string };

const folder = (name: string) => dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
const file = encodeDataset(encodeContent(compile(readEmbedded(folder))), 1, new Date(0));
const dataset = new Dataset(ownBuffer(file));

for (const version of [4, 6] as const) {
  test(`whole dataset: every IPv${version} prefix answers itself, and its neighbours answer themselves`, () => {
    const random = seededRandom(SEED);
    const routes = announcedRows(version);
    const countries = readRows('country', version);
    const delegated = readRows('delegated', version);
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
      assert.equal(prefixLength(match), length, value.toString(16));
      // Every field of every address would take minutes; the whole record of one in eight is enough to catch a shift.
      if (checked++ % 8 !== 0) return;
      const { asn, prefix, country } = dataset.record(address, match);
      assert.equal(asn, Number(route.value.split(',')[0]), prefix);
      assert.equal(toBigInt(parseAddress(prefix.split('/')[0] as string) ?? address), base);
      assert.equal(
        country,
        narrowestAt(countries, value)?.value ?? narrowestAt(delegated, value)?.value ?? 'ZZ',
        prefix,
      );
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

test('whole dataset: the prefixes of a network are those that its rows are made of', () => {
  for (const asn of [13335, 15169, 3320, 16509, 749]) {
    const want = ([4, 6] as const).map((version) =>
      announcedRows(version)
        .filter(({ value }) => value.startsWith(`${asn},`))
        .flatMap(({ start, end }) => [...prefixesOfRange(start, end, addressBits(version))])
        .map(([base, length]) => `${base}/${length}`),
    );
    const { ipv4, ipv6 } = dataset.prefixesOf(asn);
    const got = [ipv4, ipv6].map((list) => list.map((prefix) => numeric(prefix)));
    assert.deepEqual(got, want, `AS${asn}`);
    assert.deepEqual(dataset.asn(asn)?.prefix_count, { ipv4: ipv4.length, ipv6: ipv6.length });
  }
});

test('whole dataset: every record keeps the invariants of the contract', () => {
  const seen = new Set<number>();
  for (const version of [4, 6] as const) {
    for (const { start } of announcedRows(version)) {
      const address = fromBigInt(start, version);
      const match = dataset.find(address);
      if (match === 0 || seen.has(dataset.tailOf(match))) continue;
      seen.add(dataset.tailOf(match));
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
    { asn: 15169, country: 'US', rir: 'ARIN', connection_type: 'datacenter', cloud_provider: 'Google Cloud' },
  ],
  ['1.1.1.1', { asn: 13335, rir: 'APNIC', connection_type: 'datacenter', cloud_provider: 'Cloudflare' }],
  ['9.9.9.9', { asn: 19281, rir: 'ARIN' }],
  ['193.0.6.139', { asn: 3333, rir: 'RIPE', country: 'NL' }],
  ['200.160.2.3', { rir: 'LACNIC', country: 'BR' }],
  ['196.216.2.6', { rir: 'AFRINIC' }],
  ['2001:4860:4860::8888', { asn: 15169, rir: 'ARIN', cloud_provider: 'Google Cloud' }],
  ['2606:4700:4700::1111', { asn: 13335, rir: 'ARIN', cloud_provider: 'Cloudflare' }],
  ['185.220.101.1', { is_tor_exit: true }],
  ['66.249.66.1', { is_ai_crawler: true, ai_company: 'Google', is_datacenter: true }],
  ['20.171.206.1', { ai_company: 'OpenAI', cloud_provider: 'Azure' }],
] as const) {
  test(`whole dataset: ${ip}`, () => {
    const address = parseAddress(ip);
    assert.ok(address);
    const record = dataset.record(address, dataset.find(address));
    const flat: Record<string, unknown> = { ...record, ...record.detection };
    assert.deepEqual(Object.fromEntries(Object.keys(want).map((key) => [key, flat[key]])), want);
  });
}

test('whole dataset: compiling twice gives the same bytes', () => {
  const again = encodeDataset(encodeContent(compile(readEmbedded(folder))), 1, new Date(0));
  assert.ok(again.equals(file));
});

test('whole dataset: the file keeps to its limit', () => assert.ok(file.length <= 25e6, `${file.length} bytes`));

/** Rows with an origin that somebody can have. */
function announcedRows(version: 4 | 6): Row[] {
  return readRows('asn', version).filter(({ value }) => !isReservedAsn(Number(value.split(',')[0])));
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

/** The narrowest of the rows around the address. In these files at most two overlap, so looking back a few rows is enough. */
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

/** Grows a prefix around the address, bit by bit, as long as it stays inside the row. */
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

function numeric(prefix: string): string {
  const [address = '', length] = prefix.split('/');
  return `${toBigInt(parseAddress(address) ?? assert.fail(prefix))}/${length}`;
}
