/** Requests for an email check: which texts they take, how they are refused, and the check itself. */

import { normalizeDomain } from '@whence/email/domain-name';
import { isSelector, MAX_SELECTORS, tidySelectors } from '@whence/email/internal/dkim/selectors';
import type { DnsFault } from '@whence/email/internal/dns/fault';
import { ApiError } from '../http/errors.ts';
import {
  exactObject,
  listParameter,
  object,
  oneOfTexts,
  type TextsOf,
  text,
  typed,
  type ValueOf,
} from '../http/json-schema.ts';
import { parseInclude } from '../http/requests.ts';
import type { Requester } from '../limits/cost-classes.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import { requireDataset } from '../lookup/lookup-requests.ts';
import { EMAIL_SECTIONS } from '../vocabulary.ts';
import type { EmailChecks, Trial } from './email-checks.ts';
import type { Checked } from './examine-mail.ts';

export const checkQuery = object(
  {
    selectors: {
      ...listParameter(
        typed<string>({ type: 'string' }),
        'DKIM selectors separated by commas. Without it, the common ones are tried.',
        ['google', 'selector1'],
      ),
      maxItems: MAX_SELECTORS,
    },
    more_selectors: {
      ...listParameter(
        typed<string>({ type: 'string' }),
        'DKIM selectors to try beside the common ones, separated by commas.',
        ['s1'],
      ),
      maxItems: MAX_SELECTORS,
    },
    include: listParameter(
      oneOfTexts(EMAIL_SECTIONS),
      'What the report also has, separated by commas: transport (MTA-STS, TLS-RPT, DANE, BIMI, DNSSEC), networks (who carries the mail), details (points of each part, SPF tree, records to publish). None of them counts for the score.',
      EMAIL_SECTIONS,
    ),
  },
  ['selectors', 'more_selectors', 'include'],
);

/** Longer TXT records are not read by a check either. */
const record = text(16 * 1024);
/** Texts instead of the present records; an empty text removes one, an absent field leaves it as it is. */
export const trialBody = exactObject(
  {
    spf: record,
    dmarc: record,
    dkim: exactObject({ selector: text(253), text: record }),
    /** As in `checkQuery`. */
    selectors: record,
  },
  ['spf', 'dmarc', 'dkim', 'selectors'],
);

export async function checkForRequest(
  { emailChecks, live }: { readonly emailChecks: EmailChecks; readonly live: LiveDataset },
  domainText: string,
  query: TextsOf<typeof checkQuery>,
  requester: Requester,
): Promise<Checked> {
  const domain = parseDomain(domainText);
  const selectors = parseSelectors(query.selectors ?? '');
  const moreSelectors = parseSelectors(query.more_selectors ?? '');
  const included = parseInclude(query.include ?? '', EMAIL_SECTIONS);
  const networksFrom = included.has('networks') ? requireDataset(live).dataset : undefined;
  const checked = await emailChecks.check(domain, {
    ...requester,
    ...{ selectors, moreSelectors, networksFrom },
    hasTransport: included.has('transport'),
    hasDetails: included.has('details'),
  });
  if (checked === undefined || checked.isDnsUnavailable) throw dnsUnavailable(checked?.dnsFault);
  return checked;
}

/** `details.fault`: why the resolver answered SERVFAIL, where that is known. */
function dnsUnavailable(fault: DnsFault | undefined): ApiError {
  return new ApiError('DNS_UNAVAILABLE', fault && { extra: { details: { fault } } });
}

/** The check as it is and with the records of the request; with the networks of senders, if there is a dataset. */
export async function tryForRequest(
  { emailChecks, live }: { readonly emailChecks: EmailChecks; readonly live: LiveDataset },
  domainText: string,
  { selectors: selectorText, ...tried }: ValueOf<typeof trialBody>,
  requester: Requester,
): Promise<Trial & { readonly domain: string }> {
  const domain = parseDomain(domainText);
  const requested = parseSelectors(selectorText ?? '');
  const own = tried.dkim === undefined ? [] : parseSelectors(tried.dkim.selector);
  if (own === undefined || own.length > 1) throw new ApiError('INVALID_SELECTOR');
  // Without a list of selectors, the one of the key is tried beside the common ones.
  const selectors = requested === undefined ? {} : { selectors: parseSelectors([...requested, ...own].join()) };
  const networksFrom = live.current?.dataset;
  const request = { ...requester, networksFrom, moreSelectors: own, selectors: undefined, ...selectors };
  const trial = await emailChecks.tryRecords(domain, request, tried);
  if (trial === undefined || trial.before.isDnsUnavailable) throw dnsUnavailable(trial?.before.dnsFault);
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
