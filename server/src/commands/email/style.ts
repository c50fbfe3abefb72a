/** Colour and line width of a report: colour only on a terminal that has it, lines that fit. */
import { visible } from '@whence/email/visible-text';
import type { Output } from '../../terminal/output.ts';
import { printable } from '../../terminal/printable.ts';

type Paint = (text: string) => string;

export type Style = {
  readonly width: number;
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly yellow: Paint;
  readonly green: Paint;
};

const DEFAULT_WIDTH = 80;
const MIN_WIDTH = 40;
/** Longer lines are hard to read. */
const MAX_WIDTH = 110;

/** NO_COLOR: https://no-color.org. Files, pipes and mails get plain lines of 80 columns. */
export function styleOf(output: Output, environment: Readonly<Record<string, string | undefined>>): Style {
  const isColoured = output.isTTY === true && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
  const paint = (on: number, off: number): Paint =>
    isColoured ? (text) => `\x1b[${on}m${text}\x1b[${off}m` : (text) => text;
  // A pseudo-terminal without a size has 0 columns.
  const columns = output.isTTY === true ? output.columns || DEFAULT_WIDTH : DEFAULT_WIDTH;
  return {
    width: Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, columns)),
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    yellow: paint(33, 39),
    green: paint(32, 39),
  };
}

export function gradePaint(style: Style, grade: string): Paint {
  if (grade === 'A' || grade === 'B') return style.green;
  return grade === 'C' || grade === '?' ? style.yellow : style.red;
}

/**
 * Text in lines of the style's width, each after the first indented by `indent` columns; `head` stands before the first
 * and has so many columns. A word that is longer than a line stays whole, so that it can be copied.
 */
export function hanging(head: string, indent: number, text: string, { width }: Style): string {
  const lines: string[] = [];
  let line = '';
  for (const word of printable(text).split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  lines.push(line);
  return `${head}${lines.join(`\n${' '.repeat(indent)}`)}\n`;
}

/** One line, cut with `…` where it does not fit. */
export function cutToWidth(text: string, columns: number): string {
  const line = printable(text);
  return line.length <= columns ? line : `${line.slice(0, Math.max(1, columns) - 1)}…`;
}

/** Errors below the line they belong to. */
export function formatErrors(errors: readonly string[], indent: number, style: Style): string {
  const head = `${' '.repeat(indent)}${style.red('!')} `;
  return errors.map((error) => hanging(head, indent + 2, visible(error), style)).join('');
}
