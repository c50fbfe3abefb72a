/**
 * The embedded default, compiled from the real packages and compared with a slow and obvious
 * search: rows as they are in the files, looked up by binary search over plain numbers. Only the
 * parser of addresses is shared with the compiler.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { prepareEmbeddedDataset } from '@whence/testing/embedded-dataset';
import { seededRandom } from '@whence/testing/seeded-random';
import { parseAddress } from '../address.ts';
import { isReservedAsn } from '../as-number.ts';
import { isDbipMistaken } from '../compile/embedded.ts';
import { packageFile } from '../compile/npm-packages.ts';
import { addressCountries, cloudCountries, npmPackages } from '../data-files/data-files.ts';
import { prefixLength } from '../file/match.ts';
import { Dataset } from '../file/read.ts';
import { AsnSearch } from '../lookup/asn-search.ts';
import { addressBits, fromBigInt, lastAddress, prefixesOfRange, toBigInt } from '../prefix.ts';
import { findSpecialPurpose } from '../special-purpose.ts';
import { ownBuffer } from './sample-dataset.ts';
import { SlowAsnSearch } from './slow-asn-search.ts';

const SEED = 20261115;

type Row = { start: bigint; end: bigint; value: string };

const folder = (name: string) =>
  dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
const dataset = new Dataset(ownBuffer(readFileSync((await prepareEmbeddedDataset()).file)));

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
      // Where the rest of a prefix around announcements of others is a row, the prefix around that
      // row is the answer.
      const isCovering = version === 6 && prefixLength(match) < length;
      if (isCovering) {
        const [first, last] = around(value, prefixLength(match), bits);
        assert.ok(first <= route.start && route.end <= last, value.toString(16));
      } else assert.equal(prefixLength(match), length, value.toString(16));
      // Every field of every address would take minutes; the whole record of one in eight is enough
      // to find an offset error.
      if (checked++ % 8 !== 0) return;
      const { asn, prefix, country } = dataset.record(address, match);
      assert.equal(asn, Number(route.value.split(',')[0]), prefix);
      if (!isCovering)
        assert.equal(toBigInt(parseAddress(prefix.split('/')[0] as string) ?? address), base);
      const used = narrowestAt(countries, value)?.value;
      const registered = narrowestAt(delegated, value)?.value;
      const isMistaken =
        used !== undefined && registered !== undefined && isDbipMistaken(asn, used);
      const want =
        narrowestAt(regions, value)?.value ??
        (isMistaken ? registered : (used ?? registered ?? 'ZZ'));
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
        if (findSpecialPurpose(fromBigInt(base, version)) === undefined)
          prefixes[version].push(`${base}/${length}`);
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
    const { total, results } = search.search(query, { limit: 100 });
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
      assert.ok(['ARIN', 'RIPE', 'APNIC', 'LACNIC', 'AFRINIC'].includes(rir ?? ''));
      const points = (threat.explanation ?? []).map((reason) =>
        Number(/\+(\d+)(?:, too old to count)?$/.exec(reason)?.[1]),
      );
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
  const rows = readRows('asn', version).filter(
    ({ value }) => !isReservedAsn(Number(value.split(',')[0])),
  );
  return version === 4 ? rows : rows.flatMap(halves);
}

/** An IPv6 range of these lengths stands for two announced prefixes. */
function halves(row: Row): Row[] {
  const size = row.end - row.start + 1n;
  const isJoined =
    [31n, 39n, 43n, 47n].some((length) => size === 1n << (128n - length)) &&
    row.start % size === 0n;
  const middle = row.start + size / 2n;
  return isJoined
    ? [
        { ...row, end: middle - 1n },
        { ...row, start: middle },
      ]
    : [row];
}

function readRows(use: 'asn' | 'country' | 'delegated', version: 4 | 6): Row[] {
  const { package: name = '' } = npmPackages.find(use) ?? {};
  const rows = readFileSync(join(folder(name), packageFile(name, version)), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): Row => {
      const [first = '', last = '', ...rest] = line.split(',');
      const [start, end] = [first, last].map((text) => parseAddress(text));
      assert.ok(start && end);
      return { start: toBigInt(start), end: toBigInt(end), value: rest.join(',') };
    });
  return rows.sort((a, b) => Number(a.start > b.start) - Number(a.start < b.start));
}

/**
 * The narrowest row that contains the address. In these files at most two rows overlap, so it is
 * enough to look back a few.
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
function obviousPrefix(
  { start, end }: Row,
  value: bigint,
  bits: number,
): [base: bigint, length: number] {
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
  assert.ok(
    have.length <= rows.length,
    `AS${asn} has ${have.length} prefixes of ${rows.length} rows`,
  );
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
