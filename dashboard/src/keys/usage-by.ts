/** Rows of a key's usage as series over days. */
import type { UsageRow } from '@whence/server/dashboard-wire';
import type { Series } from '../charts/BarChart.tsx';
import { statusTone } from '../charts/status-tone.ts';
import { DAY_MS, utcDay } from '../format/time.ts';

export function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  const end = Date.parse(`${to}T00:00:00Z`);
  for (let at = Date.parse(`${from}T00:00:00Z`); at <= end; at += DAY_MS) days.push(utcDay(at));
  return days;
}

export function seriesBy(rows: readonly UsageRow[], days: readonly string[], by: 'endpoint' | 'status'): Series[] {
  const position = new Map(days.map((day, index) => [day, index]));
  const values = new Map<string, number[]>();
  for (const { day, endpoint, status_class, requests } of rows) {
    const label = by === 'endpoint' ? endpoint : `${status_class}xx`;
    const row = values.get(label) ?? days.map(() => 0);
    const index = position.get(day);
    if (index !== undefined) row[index] = (row[index] ?? 0) + requests;
    values.set(label, row);
  }
  const sum = (row: readonly number[]) => row.reduce((total, value) => total + value, 0);
  return [...values]
    .sort(([, a], [, b]) => sum(b) - sum(a))
    .map(([label, row]) => ({ id: label, label, values: row, ...(by === 'status' ? statusTone(label) : {}) }));
}
