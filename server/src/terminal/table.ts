/** Aligned columns and numbers for a terminal. */
import { printable } from './printable.ts';
import { cutToWidth, hanging, type Paint, type Style, unpainted, wrapWords } from './style.ts';

export type Cell = string | readonly [text: string, paint: Paint];

type TableOptions = {
  /** Titles of the columns. Where the table does not fit, a title takes several lines. */
  readonly head?: readonly string[];
  readonly indent?: number;
  /** Cut the widest columns where a row does not fit, instead of folding it. */
  readonly shrink?: boolean;
};

const GAP = '  ';
/** Columns by which the lines on which a row continues are indented. */
const FOLD_INDENT = 4;
/** A text that takes more of a line wraps, except in the last column. */
const MAX_TEXT_SHARE = 0.4;
/** Below this, a column is not cut any further. */
const MIN_CUT_COLUMNS = 8;
/** With less room, a text does not wrap: the last column has a line of its own instead. */
const MIN_WRAPPED_COLUMNS = 16;

/**
 * Columns as wide as their widest cell, made printable. If the table is too wide, titles and texts
 * wrap, and further columns continue on the next line, so that ids and names stay whole.
 */
export function formatTable(
  rows: readonly (readonly Cell[])[],
  style: Style,
  { head = [], indent = 0, shrink = false }: TableOptions = {},
): string {
  const cells = rows.map((row) => row.map(printableCell));
  const titles = head.map((title): PrintableCell => [printable(title), style.dim]);
  const table = titles.length === 0 ? cells : [titles, ...cells];
  const available = style.width - indent;
  const widths = columnWidths(table);
  if (shrink) narrow(widths, available);
  else if (lineWidth(widths) > available) wrapColumns(widths, titles, cells, available);
  const lines = shrink ? [[...widths.keys()]] : fold(widths, available);

  const formatRow = (row: readonly PrintableCell[]) =>
    lines.map((columns, n) => {
      const parts = columns.map((column) => {
        const [text, paint] = row[column] ?? ['', unpainted];
        const width = widths[column] ?? 0;
        const isLast = column === widths.length - 1;
        const texts = shrink ? [cutToWidth(text, width)] : wrapWords(text, width);
        // Only a word of the last column may be too long: nothing follows that it could move.
        return {
          texts: isLast ? texts : texts.map((line) => cutToWidth(line, width)),
          paint,
          width,
        };
      });
      const left = ' '.repeat(indent + (n > 0 ? FOLD_INDENT : 0));
      const height = Math.max(1, ...parts.map(({ texts }) => texts.length));
      const formatted = Array.from({ length: height }, (_, i) =>
        formatLine(
          left,
          parts.map(({ texts, ...part }) => ({ ...part, text: texts[i] ?? '' })),
        ),
      );
      return formatted.filter((line) => n === 0 || line !== '').map((line) => `${line}\n`);
    });
  return table.flatMap(formatRow).flat().join('');
}

type PrintableCell = readonly [text: string, paint: Paint];

function printableCell(cell: Cell): PrintableCell {
  return typeof cell === 'string' ? [printable(cell), unpainted] : [printable(cell[0]), cell[1]];
}

function columnWidths(rows: readonly (readonly PrintableCell[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [i, [text]] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, text.length);
  return widths;
}

/**
 * Widths for a table that does not fit: titles and wide texts wrap at words. The last column is
 * left to `fold`.
 */
function wrapColumns(
  widths: number[],
  titles: readonly PrintableCell[],
  rows: readonly (readonly PrintableCell[])[],
  available: number,
): void {
  const asWords = (row: readonly PrintableCell[]) =>
    row.map(([text, paint]): PrintableCell => [longestWord(text), paint]);
  const titleWords = columnWidths([asWords(titles)]);
  const rowTexts = columnWidths(rows);
  const rowWords = columnWidths(rows.map(asWords));
  for (const i of widths.keys()) {
    const texts = rowTexts[i] ?? 0;
    const isLast = i === widths.length - 1;
    const narrowed = isLast
      ? texts
      : Math.min(
          texts,
          Math.max(rowWords[i] ?? 0, MIN_WRAPPED_COLUMNS, Math.floor(available * MAX_TEXT_SHARE)),
        );
    widths[i] = Math.max(titleWords[i] ?? 0, narrowed);
  }
}

function longestWord(text: string): string {
  return text.split(' ').reduce((longest, word) => (word.length > longest.length ? word : longest));
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, columns) => sum + columns, GAP.length * (widths.length - 1));
}

/** Without blanks at the end. Escape sequences of the paint have no width. */
function formatLine(
  left: string,
  cells: readonly { text: string; paint: Paint; width: number }[],
): string {
  const last = cells.findLastIndex(({ text }) => text.trim() !== '');
  if (last === -1) return '';
  const texts = cells.slice(0, last + 1).map(({ text, paint, width }, i) => {
    const shown = i === last ? text.trimEnd() : text;
    const painted = shown.trim() === '' ? shown : paint(shown);
    return i === last ? painted : painted + ' '.repeat(Math.max(0, width - shown.length));
  });
  return left + texts.join(GAP);
}

/** Which columns stand on which line. Changes the widths of those that are cut. */
function fold(widths: number[], available: number): number[][] {
  const lines: number[][] = [[]];
  let left = available;
  for (const [i, columns] of widths.entries()) {
    const isLast = i === widths.length - 1;
    if (isLast && columns > left && left >= MIN_WRAPPED_COLUMNS) widths[i] = left;
    else if (columns > left && lines.at(-1)?.length !== 0) {
      lines.push([]);
      left = available - FOLD_INDENT;
    }
    widths[i] = Math.min(widths[i] ?? 0, Math.max(left, MIN_CUT_COLUMNS));
    lines.at(-1)?.push(i);
    left -= (widths[i] ?? 0) + GAP.length;
  }
  return lines;
}

function narrow(widths: number[], available: number): void {
  for (let excess = lineWidth(widths) - available; excess > 0; excess--) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= MIN_CUT_COLUMNS) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}

export type Detail = readonly [label: string, value: string, paint?: Paint];

export const detailOf = (label: string, value: string | undefined): Detail[] =>
  value === undefined ? [] : [[label, value]];

/** Labels and values, indented by two columns. A long value continues below itself. */
export function formatDetails(rows: readonly Detail[], style: Style): string {
  const columns = Math.max(...rows.map(([label]) => label.length));
  const line = ([label, value, paint]: Detail) =>
    hanging(
      `  ${style.dim(label)}${' '.repeat(columns - label.length)}  `,
      columns + 4,
      value,
      style,
      paint,
    );
  return rows.map((row) => line(row).replace(/ +$/gm, '')).join('');
}

/** `12,345`. `toLocaleString` loads its tables first, which takes 17 ms. */
export function formatShare(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}

export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1 line`, `2 lines`; `plural` is the ending. */
export function countOf(count: number, noun: string, plural = 's'): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : plural}`;
}

/**
 * As `countOf` on a terminal. In a pipe the noun always has its plural: programs read these lines.
 */
export function countIn(style: Style, count: number, noun: string, plural = 's'): string {
  const isPiped = style.width === Number.POSITIVE_INFINITY;
  return isPiped ? `${formatCount(count)} ${noun}${plural}` : countOf(count, noun, plural);
}

export function formatMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
