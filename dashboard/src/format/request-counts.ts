/** API requests of a range, as every page that counts them says it. */
import type { Overview, RequestCounts } from '@whence/server/dashboard-wire/usage';
import { count, formatNumber } from './number.ts';

export const apiRequests = ({ with_key, without_key }: RequestCounts): number =>
  with_key + without_key;

/** `22 with a key, 5 without, 1 lookup in the dashboard`: what the sum contains and what not. */
export function countedWords({ with_key, without_key, in_dashboard }: RequestCounts): string {
  const parts = [`${formatNumber(with_key)} with a key`];
  if (without_key > 0) parts.push(`${formatNumber(without_key)} without a valid one`);
  const lookups = in_dashboard > 0 ? `; ${count(in_dashboard, 'dashboard lookup')} apart` : '';
  return parts.join(', ') + lookups;
}

type Decisions = NonNullable<Overview['decisions_today']>;

export const decisionCount = ({ allowed, denied, observed }: Decisions): number =>
  allowed + denied + observed;

/** `observed` would have been denied. */
export function decisionWords({ allowed, denied, observed }: Decisions): string {
  const parts = [`${formatNumber(allowed)} allowed`, `${formatNumber(denied)} denied`];
  if (observed > 0) parts.push(`${formatNumber(observed)} observed`);
  return parts.join(', ');
}
