import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { parseAddress } from '@whence/dataset/address';
import { toBigInt } from '@whence/dataset/prefix';
import { NO_DUCKDB, queryDuckdb } from '../test/packages/duckdb-engine.ts';
import { ExportSample } from '../test/packages/export-sample.ts';

const sample = new ExportSample();
const path = sample.path('whence.parquet');
before(async () => {
  const { code } = await sample.export('--format', 'parquet', '--output', path);
  assert.equal(code, 0);
});

const query = (sql: string) => queryDuckdb(sql.replaceAll('whence.parquet', path));

test('parquet: DuckDB reads the columns and their types', { skip: NO_DUCKDB }, async () => {
  const columns = await query("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM 'whence.parquet')");
  assert.deepEqual(columns, [
    ['network', 'VARCHAR'],
    ['prefix', 'VARCHAR'],
    ['start_ipv6', 'BLOB'],
    ['end_ipv6', 'BLOB'],
    ['start_ipv4', 'UINTEGER'],
    ['end_ipv4', 'UINTEGER'],
    ['asn', 'UINTEGER'],
    ['asn_name', 'VARCHAR'],
    ['country', 'VARCHAR'],
    ['rir', 'VARCHAR'],
    ['connection_type', 'VARCHAR'],
    ['is_datacenter', 'BOOLEAN'],
    ['is_tor_exit', 'BOOLEAN'],
    ['is_proxy', 'BOOLEAN'],
    ['is_vpn', 'BOOLEAN'],
    ['is_residential', 'BOOLEAN'],
    ['is_mobile', 'BOOLEAN'],
    ['is_ai_crawler', 'BOOLEAN'],
    ['ai_company', 'VARCHAR'],
    ['cloud_provider', 'VARCHAR'],
    ['threat_score', 'UTINYINT'],
    ['threat_level', 'VARCHAR'],
  ]);
});

test('parquet: it has the same rows as the CSV', { skip: NO_DUCKDB }, async () => {
  const csv = sample.path('whence.csv');
  assert.equal((await sample.export('--format', 'csv', '--output', csv)).code, 0);
  const columns = '* EXCLUDE (start_ipv6, end_ipv6, start_ipv4, end_ipv4)';
  const texts = "* EXCLUDE (ai_company, cloud_provider), coalesce(ai_company, '') a, coalesce(cloud_provider, '') c";
  const fromCsv = `SELECT ${texts} FROM read_csv('${csv}', header = true)`;
  const fromParquet = `SELECT ${texts} FROM (SELECT ${columns} FROM 'whence.parquet')`;
  assert.deepEqual(await query(fromParquet), (await query(fromCsv)).map(parseNumbers));
  assert.ok((await query(fromParquet)).length > 40);
});

/** DuckDB reads numbers of a CSV as BIGINT, which getRowsJson returns as strings. */
function parseNumbers(row: unknown[]): unknown[] {
  return row.map((cell) => (typeof cell === 'string' && /^[0-9]+$/.test(cell) ? Number(cell) : cell));
}

for (const [ip, want] of [
  ['1.0.9.9', ['1.0.9.9/32', 64500, true]],
  ['1.0.4.200', ['1.0.4.0/24', 64501, false]],
  ['223.255.255.255', ['223.255.255.0/24', 64504, false]],
  ['4.0.0.0', undefined],
] as const)
  test(`parquet: a range join on integers finds ${ip}`, { skip: NO_DUCKDB }, async () => {
    const address = parseAddress(ip);
    const number = address === undefined ? 0n : toBigInt(address);
    const rows = await query(
      `SELECT network, asn, is_tor_exit FROM 'whence.parquet' WHERE ${number}::UINTEGER BETWEEN start_ipv4 AND end_ipv4`,
    );
    assert.deepEqual(rows, want === undefined ? [] : [want]);
  });

for (const [ip, hex, want] of [
  ['2a00:0:0:1::f', '2a00000000000001000000000000000f', '2a00:0:0:1::8/125'],
  ['2001:4860::8888', '20014860000000000000000000008888', '2001:4860::/32'],
  ['8.8.8.8', '00000000000000000000ffff08080808', '8.8.8.0/24'],
  ['2a01::', '2a010000000000000000000000000000', undefined],
] as const)
  test(`parquet: a range join on bytes finds ${ip}`, { skip: NO_DUCKDB }, async () => {
    const rows = await query(
      `SELECT network FROM 'whence.parquet' WHERE unhex('${hex}') BETWEEN start_ipv6 AND end_ipv6`,
    );
    assert.deepEqual(rows, want === undefined ? [] : [[want]]);
  });

test('parquet: absent values are null', { skip: NO_DUCKDB }, async () => {
  const rows = await query(
    "SELECT count(*), count(start_ipv4), count(ai_company) FROM 'whence.parquet' WHERE network LIKE '%:%'",
  );
  const [all, ...others] = rows[0]?.map(Number) ?? [];
  assert.ok(Number(all) > 3);
  assert.deepEqual(others, [0, 0]);
  assert.deepEqual(await query("SELECT network, ai_company FROM 'whence.parquet' WHERE ai_company IS NOT NULL"), [
    ['3.0.0.16/28', 'OpenAI'],
  ]);
});

test('parquet: metadata has version and credits', { skip: NO_DUCKDB }, async () => {
  const rows = await query("SELECT decode(key), decode(value) FROM parquet_kv_metadata('whence.parquet')");
  const metadata = Object.fromEntries(rows);
  assert.equal(metadata['whence.dataset_version'], '1');
  assert.equal(metadata['whence.built_at'], sample.dataset.meta.built_at);
  assert.match(metadata['whence.notice'], /Contains data of: .*Changes made: /);
});
