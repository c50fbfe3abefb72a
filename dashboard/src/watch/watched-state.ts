/** The state of watched domains in words, and requests about many of them. */
import type { ShownDomain } from '@whence/server/dashboard-wire/domains';
import type { Severity } from '@whence/server/vocabulary';
import { call, refresh } from '../api/query-client.ts';

export const POLL_MS = 3_000;
/** As the server takes them in one request. */
const NAMES_AT_ONCE = 1_000;

/** A check that is due begins within seconds. */
export const isBeingChecked = ({ next_check_at }: ShownDomain, nowMs: number): boolean =>
  Date.parse(next_check_at) <= nowMs;

export const VERDICT_WORDS = {
  yes: 'safe',
  no: 'not safe',
  not_enough: 'too few reports',
} as const satisfies Record<NonNullable<ShownDomain['verdict']>, string>;

export const SEVERITY_TONES = {
  high: 'bad',
  medium: 'warn',
  low: 'plain',
} as const satisfies Record<Severity, string>;

/** Everything that shows watched domains or their events. */
export const refreshWatched = () => refresh('listWatched', 'listEvents');

async function inParts(
  domains: readonly string[],
  send: (part: string[]) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < domains.length; at += NAMES_AT_ONCE)
    await send(domains.slice(at, at + NAMES_AT_ONCE));
}

export const checkNow = (domains: readonly string[]) =>
  inParts(domains, (part) => call('checkWatched', { body: { domains: part } }));

export const unwatch = (domains: readonly string[]) =>
  inParts(domains, (part) => call('unwatchDomains', { body: { domains: part } }));

/** Tags as a person types them. */
export const parseTags = (text: string): string[] =>
  text.split(/[\s,]+/).filter((tag) => tag !== '');
