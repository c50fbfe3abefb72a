import assert from 'node:assert/strict';
import test from 'node:test';
import { NO_DUCKDB, queryDuckdb } from '../test/packages/duckdb-engine.ts';
import { ExportSample } from '../test/packages/export-sample.ts';

test('parquet: more rows than a row group holds are written to several groups', { skip: NO_DUCKDB }, async () => {
  // Every second /24 of 1.0.0.0/8 and 2.0.0.0/8, by two alternating networks, so that none are adjacent.
  const routes = Array.from({ length: 52_000 }, (_, i): [string, number, string] => [
    `${1 + (i >> 15)}.${(i >> 7) & 255}.${(i & 127) * 2}.0/24`,
    64500 + (i & 1),
    `Network ${i & 1}`,
  ]);
  const sample = new ExportSample({ routes });
  const path = sample.path('many.parquet');
  const { code, stdout } = await sample.export('--format', 'parquet', '--output', path, '--json');
  assert.equal(code, 0);
  assert.equal(JSON.parse(stdout).rows, 52_000);
  assert.deepEqual(
    await queryDuckdb(`SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata('${path}') ORDER BY 1`),
    [
      ['0', '50000'],
      ['1', '2000'],
    ],
  );
  assert.deepEqual(
    await queryDuckdb(`SELECT count(*), count(DISTINCT network), min(start_ipv4), max(end_ipv4) FROM '${path}'`),
    [['52000', '52000', 16_777_216, 2 * 2 ** 24 + 150 * 2 ** 16 + 62 * 256 + 255]],
  );
});
