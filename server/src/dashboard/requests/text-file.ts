/** Rows as a file to download: CSV (RFC 4180) or NDJSON. */
import type { FastifyReply } from 'fastify';
import type { ExportFormat } from '../wire.ts';

export type FileRow = Readonly<Record<string, string | number>>;

export const EXPORT_FORMATS: readonly ExportFormat[] = ['csv', 'ndjson'];

export function sendFile(
  reply: FastifyReply,
  name: string,
  format: ExportFormat,
  columns: readonly string[],
  rows: readonly FileRow[],
): FastifyReply {
  const text = format === 'csv' ? csvOf(columns, rows) : rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8';
  return reply
    .header('Content-Type', type)
    .header('Content-Disposition', `attachment; filename="${name}.${format}"`)
    .send(text);
}

export function csvOf(columns: readonly string[], rows: readonly FileRow[]): string {
  const line = (cells: readonly (string | number)[]) => `${cells.map(cell).join(',')}\r\n`;
  return line(columns) + rows.map((row) => line(columns.map((column) => row[column] ?? ''))).join('');
}

/**
 * Names are chosen by people, and spreadsheets run text that starts with these characters as a formula (CWE-1236): an
 * apostrophe before it keeps it text.
 */
function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
