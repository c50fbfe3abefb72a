/**
 * Requests for an email check: which texts they take, how they are refused, and the check itself.
 */
import type { Dataset } from '@whence/dataset/dataset';
import type { DnsOutage } from '@whence/email';
import { normalizeDomain } from '@whence/email/domain-name';
import type { AskedPolicy } from '@whence/email/reports/asked-policy';
import type { CheckedZone, SendersReport } from '@whence/email/reports/judge';
import type { TlsVerdict } from '@whence/email/reports/tls-verdict';
import { isSelector, MAX_SELECTORS, tidySelectors } from '@whence/email/selectors';
import { ApiError } from '../http/errors.ts';
import {
  listParameter,
  object,
  oneOfTexts,
  optional,
  type QueryOf,
  typed,
} from '../http/json-schema.ts';
import { requireIncluded } from '../http/requests.ts';
import type { Requester } from '../limits/cost-classes.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import { requireDataset } from '../lookup/lookup-requests.ts';
import { EMAIL_SECTIONS } from '../vocabulary.ts';
import type { Measured } from './check-details.ts';
import type { EmailChecks } from './email-checks.ts';
import type { Checked, CheckRequest } from './examine-mail.ts';

const selectorList = (description: string, example: readonly string[]) =>
  optional({
    ...listParameter(typed<string>({ type: 'string' }), description, example),
    maxItems: MAX_SELECTORS,
  });

export const checkQuery = object({
  selectors: selectorList(
    'DKIM selectors separated by commas. Without it, the common ones are tried.',
    ['google', 'selector1'],
  ),
  more_selectors: selectorList(
    'DKIM selectors to try beside the common ones, separated by commas.',
    ['s1'],
  ),
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
  /** Proven ones of the last weeks. */
  hasReports(domain: string): Promise<boolean>;
  /** Says so if they could not be judged in time. */
  measure(
    domain: string,
    zone: CheckedZone,
    dataset: Dataset | undefined,
    requester: Requester,
  ): Promise<Measured | undefined>;
  replay(
    domain: string,
    zones: { readonly present: CheckedZone; readonly changed: CheckedZone },
    dataset: Dataset | undefined,
    requester: Requester,
    /** What the changed record has, unless given. */
    asked?: AskedPolicy,
  ): Promise<SendersReport>;
};

/** What TLS reports show: `email-reports/tls-reports`. */
export type ReportedTls = {
  /** Undefined without proven ones of the last weeks. */
  measure(domain: string, checked: Checked): Promise<TlsVerdict | undefined>;
};

export function mayNotReadReports(): ApiError {
  return new ApiError('FORBIDDEN', {
    extra: { details: { required: 'reports:read for this domain' } },
  });
}

/**
 * `senders`: for those who may read reports, where selectors, readiness and a line come from them
 * too.
 */
type CheckSources = {
  readonly emailChecks: EmailChecks;
  readonly live: LiveDataset;
  readonly senders?: ReportedSenders | undefined;
  readonly tlsReports?: ReportedTls | undefined;
};
/** Sections that an operator has to switch on. */
const SWITCHES = { smtp: 'WHENCE_SMTP_PROBE' };

export async function checkForRequest(
  {
    emailChecks,
    live,
    senders,
    tlsReports,
    mayProbe = emailChecks.mayProbe,
  }: CheckSources & { readonly mayProbe?: boolean },
  domainText: string,
  query: QueryOf<typeof checkQuery>,
  requester: Requester,
): Promise<Checked> {
  const domain = parseDomain(domainText);
  const selectors = parseSelectors(query.selectors);
  const moreSelectors = parseSelectors(query.more_selectors);
  const included = requireIncluded(
    query.include,
    EMAIL_SECTIONS.filter((name) => name !== 'smtp' || mayProbe),
    SWITCHES,
  );
  const networksFrom = included.has('networks') ? requireDataset(live).dataset : undefined;
  const checked = await checkWithReports(
    { emailChecks, senders, tlsReports, dataset: live.current?.dataset },
    domain,
    {
      ...requester,
      selectors,
      moreSelectors,
      networksFrom,
      hasTransport: included.has('transport'),
      hasSmtp: included.has('smtp'),
      hasDetails: included.has('details'),
    },
  );
  if (checked === undefined || checked.isDnsUnavailable) throw dnsUnavailable(checked?.dnsFault);
  return checked;
}

/**
 * A check, to which reports give selectors before it and a verdict after it: judging them takes no
 * slot of checks, and none of the time of one.
 */
export async function checkWithReports(
  {
    emailChecks,
    senders,
    tlsReports,
    dataset,
  }: Pick<CheckSources, 'emailChecks' | 'senders' | 'tlsReports'> & {
    readonly dataset: Dataset | undefined;
  },
  domain: string,
  request: CheckRequest,
): Promise<Checked | undefined> {
  if (senders === undefined) return emailChecks.check(domain, request);
  const seen = await senders.selectors(domain);
  const names = tidySelectors([...(request.moreSelectors ?? []), ...seen]);
  const moreSelectors = names.slice(0, MAX_SELECTORS);
  const checked = await emailChecks.check(domain, { ...request, moreSelectors });
  if (checked === undefined || checked.isDnsUnavailable) return checked;
  const reported = await senders.measure(domain, checked, dataset, request);
  const withReports = reported === undefined ? checked : await checked.withReported(reported);
  const tls =
    request.hasTransport === true ? await tlsReports?.measure(domain, checked) : undefined;
  return tls === undefined ? withReports : withReports.withTlsVerdict(tls);
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

/** Duplicates, in any case, are dropped; undefined means the common selectors. */
export function parseSelectors(names: readonly string[] = []): string[] | undefined {
  const selectors = tidySelectors(names);
  if (selectors.length === 0) return undefined;
  if (selectors.length > MAX_SELECTORS) {
    throw new ApiError('TOO_MANY_SELECTORS', { extra: { details: { limit: MAX_SELECTORS } } });
  }
  if (!selectors.every(isSelector)) throw new ApiError('INVALID_SELECTOR');
  return selectors;
}
