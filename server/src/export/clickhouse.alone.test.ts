import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { before } from 'node:test';
import { NO_CLICKHOUSE, openClickhouse } from '../test/packages/clickhouse-engine.ts';
import { ExportSample } from '../test/packages/export-sample.ts';

const sample = new ExportSample();
const folder = sample.path('clickhouse');
before(async () => {
  assert.equal((await sample.export('--format', 'clickhouse', '--output', folder)).code, 0);
});

test('clickhouse: a folder with CSV, SQL and NOTICE', () => {
  assert.deepEqual(readdirSync(folder).sort(), ['whence.csv', 'whence.csv.NOTICE', 'whence.sql']);
});

test('clickhouse: the table and the dictionary have the columns of the CSV, flags as 0 and 1', () => {
  const [header = '', first = ''] = readFileSync(join(folder, 'whence.csv'), 'utf8').split('\n');
  assert.match(first, /,business,0,0,0,0,0,0,0,,,0,low$/);
  const sql = readFileSync(join(folder, 'whence.sql'), 'utf8');
  for (const statement of ['CREATE TABLE IF NOT EXISTS whence_networks', 'CREATE DICTIONARY IF NOT EXISTS whence']) {
    const body = sql.slice(sql.indexOf(`${statement}\n`)).split('\n)')[0] ?? '';
    const columns = [...body.matchAll(/^ {4}(\w+) (\w+),?$/gm)].map(([, name, type]) => [name, type]);
    assert.deepEqual(
      columns.map(([name]) => name),
      header.split(','),
    );
    assert.deepEqual(Object.fromEntries(columns)['is_vpn'], 'UInt8');
    assert.deepEqual(Object.fromEntries(columns)['asn'], 'UInt32');
  }
  assert.match(sql, /FROM INFILE 'whence\.csv' FORMAT CSVWithNames;/);
  assert.match(sql, /PRIMARY KEY network\n.*\nLAYOUT\(IP_TRIE\(ACCESS_TO_KEY_FROM_ATTRIBUTES 1\)\)\nLIFETIME\(0\);/);
  assert.match(sql, /dictGet\('whence', .*, toIPv6\(ip\)\)/);
});

test('clickhouse: ClickHouse runs the SQL twice, and the dictionary answers for both families', {
  skip: NO_CLICKHOUSE,
}, () => {
  const session = openClickhouse(sample.path('chdb'));
  process.chdir(folder);
  const sql = readFileSync('whence.sql', 'utf8');
  for (const _ of ['new', 'with a newer export'])
    assert.equal(
      session.query(sql, 'CSV').trim(),
      '"8.8.8.8","::ffff:8.8.8.0/120",15169,"Google LLC","US",1,0\n' +
        '"2001:4860:4860::8888","2001:4860::/32",15169,"Google LLC","US",1,0',
    );
  const rows = readFileSync('whence.csv', 'utf8').trimEnd().split('\n').length - 1;
  assert.equal(session.query('SELECT count() FROM whence_networks', 'CSV').trim(), String(rows));
  const flags = "dictGet('whence', ('asn_name', 'is_tor_exit', 'ai_company'), toIPv6(ip))";
  assert.equal(
    session.query(`SELECT ${flags} FROM values('ip String', '1.0.9.9', '3.0.0.17', '4.0.0.0')`, 'CSV').trim(),
    '"Exämple ""Nord"", GmbH",1,""\n"Amazon.com, Inc.",0,"OpenAI"\n"",0,""',
  );
});

test('clickhouse: a second export replaces the first', async () => {
  const { code, stdout } = await sample.export(
    '--format',
    'clickhouse',
    '--output',
    folder,
    '--asn',
    '15169',
    '--json',
  );
  assert.equal(code, 0);
  assert.equal(JSON.parse(stdout).rows, 2);
  assert.equal(readFileSync(join(folder, 'whence.csv'), 'utf8').trimEnd().split('\n').length, 3);
  assert.equal(readdirSync(folder).length, 3);
});
