/**
 * What the scripts of this repository share: options of the form `--name value`, exit codes,
 * interruption.
 */
import { once } from 'node:events';
import { parseArgs } from 'node:util';

const USAGE_ERROR = 2;

/** Its message says what was wrong with the arguments. */
export class OptionError extends Error {}

/** The texts of the options that were given. */
export function readOptions<Name extends string>(args: readonly string[], names: readonly Name[]) {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  try {
    return parseArgs({ args: [...args], options }).values as Partial<Record<Name, string>>;
  } catch (error) {
    throw new OptionError((error as Error).message);
  }
}

export function wholeNumber(
  name: string,
  text: string | undefined,
  fallback: number,
  from: number,
  to: number,
) {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!/^[0-9]+$/.test(text) || value < from || value > to)
    throw new OptionError(
      `--${name} is a whole number from ${from} to ${to}, not ${JSON.stringify(text)}`,
    );
  return value;
}

export const MAX_SEED = 2 ** 31 - 1;

/** A new one for each run that names none, printed by the run, so that it can be repeated. */
export function newSeed(): number {
  return Math.floor(Math.random() * MAX_SEED);
}

/** Runs a script; a mistake in its options is one line on standard error and exit code 2. */
export async function runScript(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = USAGE_ERROR;
  }
}

/** Turns SIGINT and SIGTERM into an error, so that processes and files are cleaned up. */
export async function untilInterrupted(): Promise<never> {
  const signals = ['SIGINT', 'SIGTERM'].map(async (signal) => {
    await once(process, signal);
    return signal;
  });
  throw new Error(`stopped by ${await Promise.race(signals)}`);
}
