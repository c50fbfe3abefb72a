/** A refusal of the dashboard, thrown by a handler and answered by the row of its code. */
import { retryAfter } from '../../http/errors.ts';
import type { DashboardErrorCode } from '../wire/contract.ts';
import { type RefusalRow, refusals } from '../wire/refusals.ts';

export class DashboardRefusal extends Error {
  override name = 'DashboardRefusal';
  readonly code: DashboardErrorCode;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: DashboardErrorCode,
    more: {
      details?: Readonly<Record<string, unknown>> /** Instead of the row's. */;
      retryAfterSeconds?: number;
    } = {},
  ) {
    const row: RefusalRow = refusals[code];
    super(row.text);
    this.code = code;
    this.status = row.status;
    this.details = more.details;
    this.headers = retryAfter(more.retryAfterSeconds ?? row.retryAfterSeconds);
  }
}

/** `path` names the field, `rule` is a sentence for people. */
export function invalid(path: string, rule: string): DashboardRefusal {
  return new DashboardRefusal('INVALID_REQUEST', { details: { path, rule } });
}

/** Parameters of the query, which arrive as text. */
export function parseCount(
  path: string,
  text: string | undefined,
  fallback: number,
  max: number,
): number {
  if (text === undefined) return fallback;
  if (!/^[0-9]{1,9}$/.test(text)) throw invalid(path, 'a number from 0 on');
  return Math.min(Number(text), max);
}

export function parseChoice<Choice extends string>(
  path: string,
  text: string | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  if (text === undefined || text === '') return undefined;
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined) throw invalid(path, `one of ${choices.join(', ')}`);
  return choice;
}
