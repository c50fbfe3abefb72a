/** Reports of as many rows as are read, and of one more. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { gzipSync } from 'node:zlib';
import { readReports } from './read-reports.ts';

const feedback = (rows: string) => `<feedback>
  <report_metadata><org_name>Example Inc.</org_name><report_id>1</report_id>
  <date_range><begin>1794614400</begin><end>1794700799</end></date_range></report_metadata>
  <policy_published><domain>example.com</domain><p>none</p></policy_published>${rows}</feedback>`;

async function outcomeOf(content: string | Buffer): Promise<string> {
  const outcomes: string[] = [];
  for await (const found of readReports('input', Buffer.from(content)))
    if (found.kind === 'report') outcomes.push(`${found.report.rows.length} rows`);
    else outcomes.push(found.kind === 'tls_report' ? found.kind : found.code);
  return outcomes.join(', ');
}

const row = '<record><row><source_ip>192.0.2.1</source_ip><count>1</count></row></record>';
const report = (rows: number) => feedback(row.repeat(rows));
// Hardly compressed: the same row again and again would be more than 200:1.
const packed = (rows: number) => gzipSync(report(rows), { level: 1, strategy: 2 });

for (const [behaviour, content, want] of [
  ['100,000 rows', () => report(100_000), '100000 rows'],
  ['200,000 rows, packed', () => packed(200_000), '200000 rows'],
  ['200,001 rows, packed', () => packed(200_001), 'too_many_rows'],
  ['stored in too many bytes', () => gzipSync(report(150_000), { level: 0 }), 'too_large'],
] as const)
  test(`reports: ${behaviour}: ${want}`, async () =>
    assert.equal(await outcomeOf(content()), want));
