/**
 * A log line for a person at a terminal: time of day, level and message, then the other fields, one
 * on each line.
 */
import { printable, printableText } from './printable.ts';
import type { Style } from './style.ts';

type Fields = {
  readonly time?: string;
  readonly level?: string;
  readonly msg?: string;
  readonly pid?: number;
};

/**
 * A line that is not a JSON object, as another process may write it, stays as it is but for control
 * characters.
 */
export function terminalLine(line: string, style: Style): string {
  const fields = parse(line);
  if (fields === undefined) return printableText(line);
  const { time, level = 'info', msg = '', pid: _, ...others } = fields;
  const paint =
    { trace: style.dim, debug: style.dim, info: style.green, warn: style.yellow }[level] ??
    style.red;
  const clock =
    time === undefined ? '' : style.dim(`[${new Date(time).toTimeString().slice(0, 8)}] `);
  const details = Object.entries(others).map(
    ([name, value]) => `    ${style.dim(`${name}:`)} ${detail(value)}\n`,
  );
  return `${clock}${paint(level.toUpperCase())}: ${printable(msg)}\n${details.join('')}`;
}

function detail(value: unknown): string {
  const stack = (value as { stack?: unknown } | null)?.stack;
  if (typeof stack === 'string') return printableText(stack.replaceAll('\n', '\n    '));
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}

function parse(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
