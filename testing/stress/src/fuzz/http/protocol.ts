/** What an HTTP process is told and what it says. */
import type { FuzzFailure } from '../fuzz-failure.ts';
import type { Secrets } from './secrets.ts';

export type HttpTask = {
  readonly seed: number;
  readonly first: number;
  readonly count: number;
  readonly port: number;
  readonly secrets: Secrets;
  /** One case at a time, with a report after each, to find one that ends the server. */
  readonly isCareful: boolean;
};

export type HttpReport = {
  /** Cases that are done, counted from the first. */
  readonly done: number;
  readonly answers: number;
  /** New kinds of failures since the last report. */
  readonly failures: readonly FuzzFailure[];
  readonly failed: number;
  /** Connections that broke while much was being sent, so that an answer may have been lost. */
  readonly lost: number;
  readonly isLast: boolean;
  /** The server does not accept connections any more. */
  readonly isServerGone: boolean;
};
