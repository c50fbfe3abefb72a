/** `GET /v1/email/domain/{domain}/dns`. */
import { checkQuery } from '../../email-checks/check-request.ts';
import {
  details,
  dkim,
  dmarc,
  mx,
  networks,
  smtp,
  spf,
  transport,
} from '../../email-checks/report-schema.ts';
import {
  list,
  namedObject,
  object,
  oneOfTexts,
  optional,
  string,
  strings,
} from '../../http/json-schema.ts';
import { envelope, operation, refusal, refusals } from './refusals.ts';

export const emailDomainSchema = operation('Email', {
  operationId: 'checkEmailDomain',
  summary: 'Check a domain’s mail records',
  description:
    'MX, SPF, DKIM and DMARC with a score, a grade and what to fix first. On request also what protects mail on its way, and the networks that carry it.',
  params: object({ domain: string('A domain name.', 'example.com') }),
  querystring: checkQuery,
  response: {
    200: envelope(
      'The report.',
      namedObject('EmailReport', {
        domain: string('The checked domain, in A-labels.', 'example.com'),
        domain_auth_score: {
          type: 'integer',
          minimum: 0,
          maximum: 100,
          description: '100 is the best.',
        },
        grade: oneOfTexts(['A', 'B', 'C', 'D', 'F']),
        mx,
        spf,
        dkim: list(dkim),
        dmarc,
        recommendations: strings('What to do, the most rewarding first.'),
        recommendation_codes: optional(
          strings('A stable code for each recommendation, in the same order. With any include.'),
        ),
        transport: optional(transport),
        networks: optional(networks),
        smtp: optional(smtp),
        details: optional(details),
      }),
    ),
    400: refusal(
      'No domain, not a domain, selectors that are none or too many, or an include that is unknown or switched off.',
      [
        'MISSING_DOMAIN',
        'INVALID_DOMAIN',
        'INVALID_SELECTOR',
        'TOO_MANY_SELECTORS',
        'INVALID_INCLUDE',
      ],
    ),
    ...refusals,
    503: refusal(
      'DNS does not answer, storage is down, there is no dataset for networks, or the server is overloaded.',
      ['DNS_UNAVAILABLE', 'STORAGE_UNAVAILABLE', 'DATASET_UNAVAILABLE', 'OVERLOADED'],
    ),
  },
});
