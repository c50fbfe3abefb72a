/** Requests for an email check: which texts they take, how they are refused, and the check itself. */
import { normalizeDomain } from '@whence/email/domain-name';
import { isSelector, MAX_SELECTORS, tidySelectors } from '@whence/email/internal/dkim/selectors';
import { ApiError } from '../http/errors.ts';
import { parseInclude } from '../http/requests.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import { requireDataset } from '../lookup/lookup-requests.ts';
import { INCLUDABLE_SECTIONS } from '../vocabulary.ts';
import type { EmailChecks, Trial } from './email-checks.ts';
import type { Checked } from './examine-mail.ts';

export type CheckQuery = { readonly selectors?: string; readonly include?: string };
type Requester = {
  /** Checks with the same key share that key's slots. */
  readonly fairnessKey: string;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
};

export async function checkForRequest(
  { emailChecks, live }: { readonly emailChecks: EmailChecks; readonly live: LiveDataset },
  domainText: string,
  query: CheckQuery,
  { fairnessKey, signal }: Requester,
): Promise<Checked> {
  const domain = parseDomain(domainText);
  const selectors = parseSelectors(query.selectors ?? '');
  const included = parseInclude(query.include ?? '', INCLUDABLE_SECTIONS);
  const networksFrom = included.has('networks') ? requireDataset(live).dataset : undefined;
  if (emailChecks.isFull(fairnessKey)) throw new ApiError('QUEUE_FULL');
  const hasTransport = included.has('transport');
  const checked = await emailChecks.check(domain, { fairnessKey, signal, selectors, hasTransport, networksFrom });
  if (checked === undefined || checked.isDnsUnavailable) throw new ApiError('DNS_UNAVAILABLE');
  return checked;
}

export type TrialRequest = CheckQuery & {
  readonly spf?: string;
  readonly dmarc?: string;
  readonly dkim?: { readonly selector: string; readonly text: string };
};

/** The check as it is and with the records of the request; with the networks of senders, if there is a dataset. */
export async function tryForRequest(
  { emailChecks, live }: { readonly emailChecks: EmailChecks; readonly live: LiveDataset },
  domainText: string,
  { selectors: selectorText, include: _, ...tried }: TrialRequest,
  { fairnessKey, signal }: Requester,
): Promise<Trial & { readonly domain: string }> {
  const domain = parseDomain(domainText);
  const requested = parseSelectors(selectorText ?? '');
  const own = tried.dkim === undefined ? [] : parseSelectors(tried.dkim.selector);
  if (own === undefined || own.length > 1) throw new ApiError('INVALID_SELECTOR');
  // Without a list of selectors, the one of the key is tried beside the common ones.
  const selectors = requested === undefined ? {} : { selectors: parseSelectors([...requested, ...own].join()) };
  if (emailChecks.isFull(fairnessKey)) throw new ApiError('QUEUE_FULL');
  const networksFrom = live.current?.dataset;
  const request = { fairnessKey, signal, networksFrom, moreSelectors: own, selectors: undefined, ...selectors };
  const trial = await emailChecks.tryRecords(domain, request, tried);
  if (trial === undefined || trial.before.isDnsUnavailable) throw new ApiError('DNS_UNAVAILABLE');
  return { domain, ...trial };
}

function parseDomain(text: string): string {
  if (text.trim() === '') throw new ApiError('MISSING_DOMAIN');
  const domain = normalizeDomain(text);
  if (domain === undefined) throw new ApiError('INVALID_DOMAIN');
  return domain;
}

/** Names separated by commas. Duplicates, in any case, are dropped; undefined means the common selectors. */
function parseSelectors(text: string): string[] | undefined {
  const selectors = tidySelectors(text.split(','));
  if (selectors.length === 0) return undefined;
  if (selectors.length > MAX_SELECTORS) {
    throw new ApiError('TOO_MANY_SELECTORS', { extra: { details: { limit: MAX_SELECTORS } } });
  }
  if (!selectors.every(isSelector)) throw new ApiError('INVALID_SELECTOR');
  return selectors;
}
