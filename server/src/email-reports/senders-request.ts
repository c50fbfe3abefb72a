/** Requests for the senders of a domain: what they may have, and the answer. */
import type { Dataset } from '@whence/dataset/internal/file/read';
import { ASKED_POLICIES } from '@whence/email/internal/reports/verdict';
import { dnsUnavailable, mayNotReadReports, parseDomain } from '../email-checks/check-request.ts';
import type { EmailChecks } from '../email-checks/email-checks.ts';
import { ApiError } from '../http/errors.ts';
import { integer, object, oneOfTexts, optional, string, type TextsOf } from '../http/json-schema.ts';
import type { Requester } from '../limits/cost-classes.ts';
import { DEFAULT_DAYS, MAX_DAYS, type Senders, type SendersAnswer } from './senders.ts';

export const sendersQuery = object({
  days: optional({ ...integer('Days up to today.'), minimum: 1, maximum: MAX_DAYS, default: DEFAULT_DAYS }),
  policy: optional({
    ...oneOfTexts(ASKED_POLICIES),
    default: 'reject',
    description: 'The policy to judge: `reject` is `p=reject`.',
  }),
  service: optional(string('Lists the addresses, networks and reporters of this service too, by its id.', 'zendesk')),
});

type SendersSources = {
  readonly emailChecks: EmailChecks;
  readonly dataset: Dataset | undefined;
  /** Undefined where reports cannot be read. */
  readonly senders: Senders | undefined;
};

export async function sendersForRequest(
  { emailChecks, dataset, senders }: SendersSources,
  domainText: string,
  { days: daysText = String(DEFAULT_DAYS), policy = 'reject', service }: TextsOf<typeof sendersQuery>,
  requester: Requester,
): Promise<SendersAnswer> {
  const domain = parseDomain(domainText);
  const days = /^[1-9]\d{0,2}$/.test(daysText) ? Number(daysText) : 0;
  if (days === 0 || days > MAX_DAYS) throw invalid('days', `a number from 1 to ${MAX_DAYS}`);
  const asked = ASKED_POLICIES.find((one) => one === policy.replace(/^p=/, ''));
  if (asked === undefined) throw invalid('policy', ASKED_POLICIES.join(', '));
  if (senders === undefined) throw mayNotReadReports();
  // SPF and DMARC are all that a judgement needs: one selector is asked instead of forty.
  const present = await emailChecks.check(domain, { ...requester, selectors: ['default'] });
  if (present === undefined) throw dnsUnavailable(undefined);
  return senders.answer(domain, { days, asked, service }, { present }, dataset);
}

function invalid(path: string, expected: string): ApiError {
  return new ApiError('INVALID_REQUEST', { extra: { details: { path: `/${path}`, expected } } });
}
