/** Measures and units of quality rows, in the words of the command line and of the dashboard. */
import type { QualityRow } from './record.ts';

export const MEASURE_WORDS: Readonly<Record<QualityRow['measure'], string>> = {
  accuracy: 'accuracy',
  precision: 'precision',
  recall: 'recall',
  macro_recall: 'mean recall',
  false_positive_share: 'false positives',
  changed: 'changed',
};

/** What `n` counts. */
export function unitWords({ weight, family }: Pick<QualityRow, 'weight' | 'family'>): string {
  if (weight === 'network') return 'networks';
  if (weight === 'slash48') return 'IPv6 /48s';
  const words = family === 'ipv6' ? 'IPv6' : 'IPv4';
  return weight === 'prefix' ? `${words} prefixes` : `${words} addresses`;
}
