/** Options and arguments that several commands have. */
import { InvalidArgumentError, Option } from 'commander';

export const jsonOption = () => new Option('--json', 'print JSON');

export function positiveInteger(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a positive integer.');
  return Number(text);
}

/** For an option that can be repeated. */
export function collect(text: string, previous: readonly string[] = []): string[] {
  return [...previous, text];
}
