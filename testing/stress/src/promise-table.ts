/** The result of `soak` and `fuzz`: what must hold, what was seen, and whether it held. */
import { formatTable } from '@whence/testing/console-report';

export type PromiseRow = {
  readonly promise: string;
  readonly seen: string;
  readonly isKept: boolean;
};

export function formatPromises(rows: readonly PromiseRow[]): string {
  const cells = rows.map(({ promise, seen, isKept }) => [promise, seen, isKept ? 'yes' : 'NO']);
  return formatTable([['promise', 'seen', 'ok'], ...cells]);
}

/** 1 if a promise is broken. */
export function exitCodeOf(rows: readonly PromiseRow[]): 0 | 1 {
  return rows.every(({ isKept }) => isKept) ? 0 : 1;
}
