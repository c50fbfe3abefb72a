/** The quality rows of a dataset as text. */
import { MEASURE_WORDS, unitWords } from '@whence/dataset/internal/quality-words';
import type { QualityRow } from '@whence/dataset/record';
import type { Style } from './style.ts';
import { formatCount, formatTable } from './table.ts';

export function formatQuality(rows: readonly QualityRow[], style: Style): string {
  if (rows.length === 0) return 'quality: not measured\n';
  const lines = rows
    .filter(({ measure }) => measure !== 'changed')
    .map((row) => [
      '',
      row.field,
      MEASURE_WORDS[row.measure],
      formatShare(row.value).padStart(7),
      `${formatShare(row.interval[0])} to ${formatShare(row.interval[1])}`,
      `${formatCount(row.n)} ${unitWords(row)}`,
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
  const head = ['', 'field', 'measure', '  value', '95 % interval', 'of', 'labels'];
  const changedHead = ['', 'field', 'family', '  share', 'since'];
  return (
    `${style.bold('quality:')}\n${formatTable(lines, style, { head })}` +
    (changed.length === 0 ? '' : `${style.bold('changed:')}\n${formatTable(changed, style, { head: changedHead })}`)
  );
}

/** A row in words, without its value. */
export function qualityName(row: QualityRow): string {
  return `${row.field}, ${MEASURE_WORDS[row.measure]} by ${unitWords(row)}, ${row.labels}`;
}

export function formatShare(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
