/** Requests for an email check: which texts they take, how they are refused, and the check itself. */
import type { Dataset } from '@whence/dataset/internal/file/read';
import { normalizeDomain } from '@whence/email/domain-name';
import { isSelector, MAX_SELECTORS, tidySelectors } from '@whence/email/internal/dkim/selectors';
import type { DnsOutage } from '@whence/email/internal/dns/fault';
import type { CheckedZone, SendersReport } from '@whence/email/internal/reports/judge-senders';
import { ApiError } from '../http/errors.ts';
import { listParameter, object, oneOfTexts, optional, type TextsOf, typed } from '../http/json-schema.ts';
import { parseInclude } from '../http/requests.ts';
import type { Requester } from '../limits/cost-classes.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import { requireDataset } from '../lookup/lookup-requests.ts';
import { EMAIL_SECTIONS } from '../vocabulary.ts';
import type { Measured } from './check-details.ts';
import type { EmailChecks } from './email-checks.ts';
import type { Checked, CheckRequest } from './examine-mail.ts';

const selectorList = (description: string, example: readonly string[]) =>
  optional({ ...listParameter(typed<string>({ type: 'string' }), description, example), maxItems: MAX_SELECTORS });

export const checkQuery = object({
  selectors: selectorList('DKIM selectors separated by commas. Without it, the common ones are tried.', [
    'google',
    'selector1',
  ]),
  more_selectors: selectorList('DKIM selectors to try beside the common ones, separated by commas.', ['s1']),
  include: optional(
    listParameter(
      oneOfTexts(EMAIL_SECTIONS),
      'What the report also has, separated by commas: transport (MTA-STS, TLS-RPT, DANE, BIMI, DNSSEC), networks (who carries the mail), smtp (what MX hosts say on port 25, where switched on), details (points of each part, SPF tree, records to publish). None of them counts for the score.',
      ['transport', 'networks', 'details'],
    ),
  ),
});

/** What aggregate reports show about a domain: `email-reports/senders`. */
export type ReportedSenders = {
  selectors(domain: string): Promise<string[]>;
  measure(domain: string, zone: CheckedZone, dataset: Dataset | undefined): Promise<Measured | undefined>;
  replay(
    domain: string,
    zones: { readonly present: CheckedZone; readonly changed: CheckedZone },
    dataset: Dataset | undefined,
  ): Promise<SendersReport>;
};
export function mayNotReadReports(): ApiError {
  return new ApiError('FORBIDDEN', { extra: { details: { required: 'reports:read' } } });
}

/** `senders`: for those who may read reports, where selectors, readiness and a line come from them too. */
export type CheckSources = {
  readonly emailChecks: EmailChecks;
  readonly live: LiveDataset;
  readonly senders?: ReportedSenders | undefined;
};
/** Sections that an operator has to switch on. */
const SWITCHES = { smtp: 'WHENCE_SMTP_PROBE' };

export async function checkForRequest(
  { emailChecks, live, senders, mayProbe = emailChecks.mayProbe }: CheckSources & { readonly mayProbe?: boolean },
  domainText: string,
  query: TextsOf<typeof checkQuery>,
  requester: Requester,
): Promise<Checked> {
  const domain = parseDomain(domainText);
  const selectors = parseSelectors(query.selectors ?? '');
  const moreSelectors = parseSelectors(query.more_selectors ?? '');
  const included = parseInclude(
    query.include ?? '',
    EMAIL_SECTIONS.filter((name) => name !== 'smtp' || mayProbe),
    SWITCHES,
  );
  const networksFrom = included.has('networks') ? requireDataset(live).dataset : undefined;
  const checked = await emailChecks.check(domain, {
    ...requester,
    ...{ selectors, networksFrom },
    ...(await reportedAsked(domain, moreSelectors, senders, live.current?.dataset)),
    hasTransport: included.has('transport'),
    hasSmtp: included.has('smtp'),
    hasDetails: included.has('details'),
  });
  if (checked === undefined || checked.isDnsUnavailable) throw dnsUnavailable(checked?.dnsFault);
  return checked;
}

export async function reportedAsked(
  domain: string,
  moreSelectors: readonly string[] | undefined,
  senders: ReportedSenders | undefined,
  dataset: Dataset | undefined,
): Promise<Pick<CheckRequest, 'moreSelectors' | 'measure'>> {
  if (senders === undefined) return { moreSelectors };
  const seen = await senders.selectors(domain);
  return {
    moreSelectors: tidySelectors([...(moreSelectors ?? []), ...seen]).slice(0, MAX_SELECTORS),
    measure: (zone) => senders.measure(domain, zone, dataset),
  };
}

/** `details.fault`: why nothing was answered, where that is known. */
export function dnsUnavailable(fault: DnsOutage | undefined): ApiError {
  return new ApiError('DNS_UNAVAILABLE', fault && { extra: { details: { fault } } });
}

export function parseDomain(text: string): string {
  if (text.trim() === '') throw new ApiError('MISSING_DOMAIN');
  const domain = normalizeDomain(text);
  if (domain === undefined) throw new ApiError('INVALID_DOMAIN');
  return domain;
}

/** Names separated by commas. Duplicates, in any case, are dropped; undefined means the common selectors. */
export function parseSelectors(text: string): string[] | undefined {
  const selectors = tidySelectors(text.split(','));
  if (selectors.length === 0) return undefined;
  if (selectors.length > MAX_SELECTORS) {
    throw new ApiError('TOO_MANY_SELECTORS', { extra: { details: { limit: MAX_SELECTORS } } });
  }
  if (!selectors.every(isSelector)) throw new ApiError('INVALID_SELECTOR');
  return selectors;
}
