/** `POST /v1/email/domain/{domain}/try`. */
import { trial } from '../../email-checks/report-schema.ts';
import { trialBody } from '../../email-checks/try-request.ts';
import { named, namedObject, object, optional, string } from '../../http/json-schema.ts';
import { judgementUnavailable, senders } from './email-senders.ts';
import { bodyRefusals, envelope, operation, refusal, refusals } from './refusals.ts';

export const emailTrialSchema = operation('Email', {
  operationId: 'tryEmailDomain',
  summary: 'Try other mail records',
  description:
    'What the check would say if these records were published, and what the change would break: skipped steps, lost reports and senders, names that others can take over. Nothing is published.',
  params: object({ domain: string('A domain name.', 'example.com') }),
  body: trialBody,
  documentedBody: {
    ...named('EmailTrialRequest', trialBody),
    examples: [{ zone: '_dmarc IN TXT "v=DMARC1; p=reject"' }],
  },
  response: {
    200: envelope(
      'Both checks, and what differs.',
      namedObject('EmailTrial', { ...trial, history: optional(senders) }),
    ),
    400: refusal(
      'No domain, not a domain, selectors that are none or too many, or a body or records that cannot be read.',
      [
        'MISSING_DOMAIN',
        'INVALID_DOMAIN',
        'INVALID_SELECTOR',
        'TOO_MANY_SELECTORS',
        'INVALID_REQUEST',
      ],
    ),
    ...bodyRefusals,
    ...refusals,
    503: judgementUnavailable,
  },
});
