/**
 * Colour and line width of what a command prints: colour only on a terminal that has it, lines that
 * fit.
 */
import type { Output } from './output.ts';
import { jsonLine, printable } from './printable.ts';

export type Paint = (text: string) => string;

export type Style = {
  readonly width: number;
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly yellow: Paint;
  readonly green: Paint;
};

type Variables = Readonly<Record<string, string | undefined>>;

const DEFAULT_WIDTH = 80;
const MIN_WIDTH = 40;
/** Longer lines are hard to read. */
const MAX_WIDTH = 110;

/** Files, pipes and mails get plain lines of 80 columns. */
export function styleOf(output: Output, environment: Variables): Style {
  const isColoured = hasColour(output, environment);
  const paint = (on: number, off: number): Paint =>
    isColoured ? (text) => `\x1b[${on}m${text}\x1b[${off}m` : unpainted;
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

/**
 * https://no-color.org and https://force-color.org; NO_COLOR decides if both are set, as in other
 * programs.
 */
export function hasColour(output: Output, environment: Variables): boolean {
  if (environment['NO_COLOR']) return false;
  const force = environment['FORCE_COLOR'];
  if (force) return force !== '0' && force !== 'false';
  return output.isTTY === true && environment['TERM'] !== 'dumb';
}

/** What a command prints on, and the variables that turn colour on and off. */
export type Terminal = { readonly stdout: Output; readonly environment: Variables };

/**
 * The style of tables: they fit a terminal. In a pipe or a file, a row is one line: programs read
 * them.
 */
export function fit({ stdout, environment }: Terminal): Style {
  const { isTTY, columns } = stdout;
  const width = isTTY === true ? columns || DEFAULT_WIDTH : Number.POSITIVE_INFINITY;
  return { ...styleOf(stdout, environment), width };
}

/** Prints a result, with `--json` as one line of JSON. Returns the exit code. */
export function print(
  terminal: Terminal,
  { json }: { readonly json?: boolean | undefined },
  value: unknown,
  text: (style: Style) => string,
): 0 {
  terminal.stdout.write(json === true ? jsonLine(value) : text(fit(terminal)));
  return 0;
}

/**
 * For text that is not printed at once, such as the message of an error: no colour, and lines of
 * any length.
 */
export const PLAIN: Style = {
  width: Number.POSITIVE_INFINITY,
  bold: unpainted,
  dim: unpainted,
  red: unpainted,
  yellow: unpainted,
  green: unpainted,
};

export function unpainted(text: string): string {
  return text;
}

/**
 * Wraps text to the style's width, indented by `indent` columns after the first line, which begins
 * with `head`.
 */
export function hanging(
  head: string,
  indent: number,
  text: string,
  { width }: Pick<Style, 'width'>,
  paint: Paint = unpainted,
): string {
  return `${head}${wrapWords(text, width - indent)
    .map(paint)
    .join(`\n${' '.repeat(indent)}`)}\n`;
}

/**
 * The lines of a message, as narrow as the style. Those that are too long continue below, indented
 * by two columns more.
 */
export function wrapLines(message: string, style: Pick<Style, 'width'>): string {
  const wrapLine = (line: string) => {
    const indent = line.length - line.trimStart().length;
    return hanging(line.slice(0, indent), indent + 2, line.slice(indent), style).trimEnd();
  };
  const lines = message.split('\n');
  return lines.map((line) => (line.length <= style.width ? line : wrapLine(line))).join('\n');
}

/**
 * Lines of `columns` columns. A word that is longer than a line is not split, so that it can be
 * copied.
 */
export function wrapWords(text: string, columns: number): string[] {
  const whole = printable(text);
  if (whole.length <= columns) return [whole];
  const lines: string[] = [];
  let line = '';
  for (const word of whole.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

export function cutToWidth(text: string, columns: number): string {
  const line = printable(text);
  return line.length <= columns ? line : `${line.slice(0, Math.max(1, columns) - 1)}…`;
}
