import type { Series } from './BarChart.tsx';

/** Of a class of status codes, `4xx`. */
export function statusTone(statusClass: string): Pick<Series, 'tone'> {
  if (statusClass.startsWith('4')) return { tone: 'refused' };
  return statusClass.startsWith('5') ? { tone: 'failed' } : {};
}
