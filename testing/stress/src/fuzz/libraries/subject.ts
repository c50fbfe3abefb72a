/** What is fuzzed inside this process: how a case is made, and what is wrong with its outcome. */
import type { Words } from '@whence/testing/seeded-random';

/**
 * `about` says which of several parsers or questions it is for; `shown` is printed in place of long
 * bytes.
 */
export type FuzzInput = { readonly about: string; readonly bytes: Buffer; readonly shown?: string };

export type Subject = {
  /** Made of its random numbers alone, so that it can be made again. */
  make(random: Words, index: number): FuzzInput;
  /** Undefined if all is well, otherwise what is wrong. It must not throw. */
  run(input: FuzzInput): string | undefined | Promise<string | undefined>;
  /** How many cases are under way at a time; absent where cases are synchronous. */
  readonly concurrency?: number;
  close?(): void | Promise<void>;
};

/**
 * Kind, place in our own code and message: `threw TypeError at parse (dataset/dist/x.js:1:2): x is
 * not a function`.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `threw ${String(error)}`;
  const frame = error.stack?.split('\n').find((line) => line.includes('/dist/')) ?? '';
  const [, name = 'anonymous', path = 'nowhere'] =
    /at (?:(.*) \()?file:\/\/.*\/([^/]+\/dist\/[^)]*)/.exec(frame) ?? [];
  return `threw ${error.name} at ${name} (${path}): ${error.message.slice(0, 120)}`;
}
