/** The quality rows of a dataset as text. */
import type { QualityRow } from '@whence/dataset/record';
import { formatCount, formatTable } from './table.ts';

export function formatQuality(rows: readonly QualityRow[]): string {
  if (rows.length === 0) return 'quality: not measured\n';
  const lines = rows
    .filter(({ measure }) => measure !== 'changed')
    .map((row) => [
      '',
      row.field,
      MEASURES[row.measure],
      formatShare(row.value).padStart(7),
      `${formatShare(row.interval[0])} to ${formatShare(row.interval[1])}`,
      `${formatCount(row.n)} ${unitOf(row)}`,
      `${row.labels}, ${row.labels_as_of}${row.held_out ? ', held out' : ''}`,
    ]);
  const changed = rows
    .filter(({ measure }) => measure === 'changed')
    .map((row) => [
      '',
      row.field,
      row.family === 'ipv4' ? 'IPv4' : 'IPv6',
      formatShare(row.value).padStart(7),
      row.labels,
    ]);
  return (
    `quality:\n${formatTable([['', 'field', 'measure', '  value', '95 % interval', 'of', 'labels'], ...lines])}` +
    (changed.length === 0 ? '' : `changed:\n${formatTable([['', 'field', 'family', '  share', 'since'], ...changed])}`)
  );
}

/** A row in words, without its value. */
export function qualityName(row: QualityRow): string {
  return `${row.field}, ${MEASURES[row.measure]} by ${unitOf(row)}, ${row.labels}`;
}

const MEASURES: Readonly<Record<QualityRow['measure'], string>> = {
  accuracy: 'accuracy',
  precision: 'precision',
  recall: 'recall',
  macro_recall: 'mean recall',
  false_positive_share: 'false positives',
  changed: 'changed',
};

function unitOf({ weight, family }: QualityRow): string {
  if (weight === 'network') return 'networks';
  if (weight === 'slash48') return 'IPv6 /48s';
  const words = family === 'ipv6' ? 'IPv6' : 'IPv4';
  return weight === 'prefix' ? `${words} prefixes` : `${words} addresses`;
}

export function formatShare(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
