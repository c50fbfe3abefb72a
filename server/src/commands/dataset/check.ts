/** `wh dataset check`: the answers of a version against a file of labels. */
import { fileContent } from '@whence/dataset/internal/io/content';
import {
  checkLabels,
  type FieldCheck,
  type LabelCheck,
  lowestShare,
} from '@whence/dataset/internal/quality/check-labels';
import { type Labels, LabelsError, parseLabels } from '@whence/dataset/internal/quality/label-rows';
import { CommandError, type ExitCode, UsageError } from '../../terminal/exit.ts';
import { isSystemError } from '../../terminal/file-errors.ts';
import type { Output } from '../../terminal/output.ts';
import { jsonLine, printable } from '../../terminal/printable.ts';
import { formatShare } from '../../terminal/quality.ts';
import { fit, hanging, type Style, type Terminal } from '../../terminal/style.ts';
import { countIn, countOf, formatCount, formatTable } from '../../terminal/table.ts';
import { openLocalDataset } from '../local-dataset.ts';
import { findVersion } from './find-version.ts';

type CheckOptions = { labels: string; min?: string; limit: number; datasetVersion?: number; json?: boolean };

/** More pairs are counted, but not printed. */
const PRINTED_PAIRS = 12;
const PRINTED_BAD_ROWS = 10;

export function datasetCheck(
  dataDir: string,
  options: CheckOptions,
  { stderr, ...terminal }: Terminal & { readonly stderr: Output },
): ExitCode {
  const { stdout } = terminal;
  const { labels: path, limit, datasetVersion, json } = options;
  const min = options.min === undefined ? undefined : parseShare(options.min);
  const labels = readLabels(path);
  const check = checkLabels(
    openLocalDataset(dataDir, datasetVersion === undefined ? undefined : findVersion(dataDir, datasetVersion)),
    labels.rows,
    limit,
  );
  if (check.rows === 0)
    throw new CommandError(
      `${path}: none of its rows (${formatCount(labels.rows.length + labels.bad.length)}) could be compared` +
        `${labels.bad.length > 0 ? `; line ${labels.bad[0]?.line}: ${labels.bad[0]?.reason}` : ''}`,
    );
  const lowest = lowestShare(check);
  const isBelow = min !== undefined && lowest !== undefined && lowest.value < min;
  if (json === true) {
    const { bad, ignored } = labels;
    stdout.write(jsonLine({ ...check, bad_rows: bad, ignored_columns: ignored, is_below_min: isBelow }));
  } else {
    stderr.write(formatProblems(path, labels));
    const style = fit(terminal);
    stdout.write(formatCheck(check, style));
    if (isBelow) {
      const line = `below --min: ${lowest.field} ${lowest.measure} ${formatShare(lowest.value)}`;
      stdout.write(`\n${hanging('', 2, line, style, style.red)}`);
    }
  }
  return isBelow ? 1 : 0;
}

/** `0.95` or `95%`. */
function parseShare(text: string): number {
  const [, number, percent] = /^([0-9]+(?:\.[0-9]+)?) ?(%?)$/.exec(text.trim()) ?? [];
  const share = Number(number ?? Number.NaN) / (percent === '%' ? 100 : 1);
  if (!(share >= 0 && share <= 1)) throw new UsageError(`--min ${text}: it must be a share such as 0.95 or 95%`);
  return share;
}

function readLabels(path: string): Labels {
  try {
    return parseLabels(fileContent(path).lines());
  } catch (error) {
    if (error instanceof LabelsError) throw new UsageError(`${path}: ${error.message}`);
    if (isSystemError(error)) throw new UsageError(`--labels: cannot read ${path}: ${error.message}`);
    throw error;
  }
}

function formatProblems(path: string, { bad, ignored }: Labels): string {
  const rows = bad.slice(0, PRINTED_BAD_ROWS).map(({ line, reason }) => `  line ${line}: ${printable(reason)}\n`);
  const more = bad.length > rows.length ? `  and ${formatCount(bad.length - rows.length)} more\n` : '';
  return (
    (ignored.length === 0 ? '' : `note: ${path}: ignored columns: ${printable(ignored.join(', '))}\n`) +
    (bad.length === 0 ? '' : `note: ${path}: ${countOf(bad.length, 'row')} skipped\n${rows.join('')}${more}`)
  );
}

function formatCheck({ version, rows, unanswered, fields, worst_networks }: LabelCheck, style: Style): string {
  const head = ['', 'field', 'rows', 'accuracy', '95 % interval', 'precision', 'recall'];
  const lines = fields.map(({ field, accuracy, precision, recall }) => [
    '',
    field,
    formatCount(accuracy.n),
    formatShare(accuracy.value),
    `${formatShare(accuracy.interval[0])} to ${formatShare(accuracy.interval[1])}`,
    precision === undefined ? '' : formatShare(precision.value),
    recall === undefined ? '' : formatShare(recall.value),
  ]);
  const worst = worst_networks.map(({ asn, asn_name, rows: all, wrong, example }) => [
    '',
    `AS${asn}`,
    asn_name,
    `${formatCount(wrong)} of ${formatCount(all)}`,
    example,
  ]);
  return (
    `version ${version}: ${countIn(style, rows, 'row')} compared, ${formatCount(unanswered)} without a record\n` +
    formatTable(lines, style, { head }) +
    fields.map((field) => formatConfusion(field, style)).join('') +
    (worst.length === 0
      ? ''
      : `\n${style.bold('worst networks')}\n${formatTable(worst, style, { head: ['', 'network', 'name', 'wrong', 'example'] })}`)
  );
}

function formatConfusion({ field, confusion }: FieldCheck, style: Style): string {
  const rows = confusion
    .slice(0, PRINTED_PAIRS)
    .map(({ expected, answer, rows: count }) => ['', expected, answer, formatCount(count)]);
  const rest = confusion.slice(PRINTED_PAIRS).reduce((sum, { rows: count }) => sum + count, 0);
  const more = rest === 0 ? '' : `  and ${countIn(style, rest, 'row')} of other pairs\n`;
  const table = formatTable(rows, style, { head: ['', 'expected', 'answer', 'rows'] });
  return `\n${style.bold(field)}\n${table}${more}`;
}
