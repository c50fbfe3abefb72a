import assert from 'node:assert/strict';
import test from 'node:test';
import { datasetOf, ranges, sampleInput, source } from '@whence/dataset/test/sample-dataset';
import { ServedDataset } from '../lookup/live-dataset.ts';
import { datasetReport } from './dataset-report.ts';

test('dataset report: a list and the table that stands in for it are one source that is too old', () => {
  const [list, table] = [false, true].map((isTable) => ({
    source: { ...source('tor'), max_age_days: 7, ...(isTable && { is_table: true }) },
    drives: ['is_tor_exit'] as const,
    ranges: ranges([['9.0.0.1', 0]]),
    statements: [{}],
    isTable,
  }));
  assert.ok(list && table);
  const input = {
    ...sampleInput({ routes: [['9.0.0.0/16', 64500, 'One']] }),
    overlays: [list, table],
  };
  const report = datasetReport(new ServedDataset(datasetOf(input)), [], Date.parse('2026-12-01'));
  assert.deepEqual(report.flag_sources.is_tor_exit.too_old, ['tor']);
  assert.deepEqual(report.threat_is_known, { ipv4: false, ipv6: false });
});
