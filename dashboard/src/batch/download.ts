/** Rows as text: CSV (RFC 4180), NDJSON, an nftables set. */

import { FLAGS } from '../format/names.ts';
import type { BatchRow } from './batch-run.ts';

type CsvColumns<Row> = readonly (readonly [name: string, value: (row: Row) => string | number])[];

const RECORD_FIELDS = ['prefix', 'asn', 'asn_name', 'country', 'rir', 'connection_type'];
const DETECTION_FIELDS = [...FLAGS, 'ai_company', 'cloud_provider'];
const COLUMNS = [
  'ip',
  'times',
  ...RECORD_FIELDS,
  ...DETECTION_FIELDS,
  'threat_score',
  'threat_level',
  'error',
].map(
  (name) => [name, (row: Readonly<Record<string, unknown>>) => String(row[name] ?? '')] as const,
);

/** Scores that are not complete have no level. */
export const toCsv = (rows: readonly BatchRow[]) =>
  csvOf(
    COLUMNS,
    rows.map(({ ip, times, record, refusal }) => {
      const { score: threat_score, level: threat_level } = record?.threat ?? {};
      return {
        ...record,
        ...record?.detection,
        ip,
        times,
        threat_score,
        threat_level: record?.threat_gap === undefined ? threat_level : undefined,
        error: refusal,
      };
    }),
  );

function csvOf<Row>(columns: CsvColumns<Row>, rows: readonly Row[]): string {
  const head = columns.map(([name]) => name).join(',');
  const lines = rows.map((row) =>
    columns.map(([, value]) => csvCell(String(value(row)))).join(','),
  );
  return `${[head, ...lines].join('\r\n')}\r\n`;
}

export function toNdjson(rows: readonly BatchRow[]): string {
  return rows.map((row) => `${JSON.stringify(ndjsonRow(row))}\n`).join('');
}

function ndjsonRow({ ip, times, record, refusal }: BatchRow): object {
  if (record === undefined) return { ip, times, error: refusal };
  const { threat_gap, ...answer } = record;
  if (threat_gap === undefined) return { ...answer, times };
  // JSON drops members that are undefined.
  return { ...answer, threat: { ...answer.threat, level: undefined }, times };
}

export function toNftSet(rows: readonly BatchRow[]): string {
  const ips = rows.map(({ ip }) => ip);
  const set = (name: string, type: string, elements: readonly string[]) =>
    elements.length === 0
      ? ''
      : `set ${name} {\n  type ${type}\n  elements = {\n    ${elements.join(',\n    ')}\n  }\n}\n`;
  const ipv4 = ips.filter((ip) => !ip.includes(':'));
  const ipv6 = ips.filter((ip) => ip.includes(':'));
  return set('whence_ipv4', 'ipv4_addr', ipv4) + set('whence_ipv6', 'ipv6_addr', ipv6);
}

/**
 * A spreadsheet would evaluate a cell that begins like a formula, and network names are not under
 * our control. The rule of `server/src/csv-cell`, which this package cannot load in its tests.
 */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function save(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the URL after the current task.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
