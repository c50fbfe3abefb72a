import { toBigInt } from '../../prefix.ts';
import type { Match } from '../match.ts';

/**
 * The current interval of a walk, in unsigned words. Call `advance` before reading the first one.
 */
export type Cursor = {
  w0: number;
  w1: number;
  w2: number;
  w3: number;
  match: Match;
  advance(): boolean;
};

/** What the tables cover: all of IPv4, and 2000::/3. */
export const SPACES = {
  4: { first: 0n, last: 0xffffffffn },
  6: { first: 1n << 125n, last: (1n << 126n) - 1n },
} as const;

export const startOf = (version: 4 | 6, { w0, w1, w2, w3 }: Cursor): bigint =>
  toBigInt({ version, w0, w1, w2, w3 });

/** The first and last address of the interval at which a walk begins. */
export function boundsOf(version: 4 | 6, cursor: Cursor): { start: bigint; end: bigint } {
  const { first, last } = SPACES[version];
  const next = () => (cursor.advance() ? startOf(version, cursor) : last + 1n);
  const start = next();
  const following = next();
  return { start: start < first ? first : start, end: following - 1n };
}
