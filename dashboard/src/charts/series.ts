/** Series of a bar chart: how they are made from usage rows, and the scale that they need. */
import type { UsageRow } from '@whence/server/dashboard-wire/usage';
import { DAY_MS, utcDay } from '../format/time.ts';

export type Series = {
  readonly id: string;
  readonly label: string;
  readonly values: readonly number[];
  /** Refused and failed requests have the same colour on every chart. */
  readonly tone?: 'refused' | 'failed';
};

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

/** `statusClass` is `2xx`, `4xx` and so on. */
export function statusTone(statusClass: string): Pick<Series, 'tone'> {
  if (statusClass.startsWith('4')) return { tone: 'refused' };
  return statusClass.startsWith('5') ? { tone: 'failed' } : {};
}

/** The top of an axis: 1, 2 or 5 times a power of ten, and never below the largest value. */
export function axisTop(largest: number): number {
  if (largest <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(largest));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= largest) ?? 10;
  return step * power;
}
