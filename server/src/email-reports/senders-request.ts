/** Requests for the senders of a domain: what they may have, and the answer. */
import type { Dataset } from '@whence/dataset/dataset';
import { ASKED_POLICIES } from '@whence/email/reports/asked-policy';
import { dnsUnavailable, mayNotReadReports, parseDomain } from '../email-checks/check-request.ts';
import type { EmailChecks } from '../email-checks/email-checks.ts';
import { ApiError } from '../http/errors.ts';
import {
  integer,
  object,
  oneOfTexts,
  optional,
  type QueryOf,
  string,
} from '../http/json-schema.ts';
import type { Requester } from '../limits/cost-classes.ts';
import { REPORT_DAYS } from '../vocabulary.ts';
import type { SendersAnswer } from './judgement.ts';
import { MAX_DAYS, type Senders } from './senders.ts';

export const sendersQuery = object({
  days: optional({
    ...integer('Days up to today.'),
    minimum: 1,
    maximum: MAX_DAYS,
    default: REPORT_DAYS,
  }),
  policy: optional({
    ...oneOfTexts(ASKED_POLICIES),
    default: 'reject',
    description: 'The policy to judge: `reject` is `p=reject`.',
  }),
  service: optional(
    string(
      'Lists the addresses, networks and reporters of this service too, by its id.',
      'zendesk',
    ),
  ),
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
  { days: daysText, policy = 'reject', service }: QueryOf<typeof sendersQuery>,
  requester: Requester,
): Promise<SendersAnswer> {
  const domain = parseDomain(domainText);
  const days = parseDays(daysText);
  if (senders === undefined) throw mayNotReadReports();
  const present = await emailChecks.policies(domain, requester);
  if (present === undefined) throw dnsUnavailable(undefined);
  return senders.answer(domain, { days, asked: policy, service }, { present }, dataset, requester);
}

export function parseDays(text = String(REPORT_DAYS)): number {
  const days = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0;
  if (days === 0 || days > MAX_DAYS) {
    const details = { parameter: 'days', allowed: [`1 to ${MAX_DAYS}`] };
    throw new ApiError('INVALID_QUERY', { extra: { details } });
  }
  return days;
}
