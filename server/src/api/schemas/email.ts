/** `GET /v1/email/domain/{domain}/dns`. */
import { details, envelope, oneOfErrors } from './envelope.ts';
import { integer, object, string, strings } from './json-schema.ts';
import { networks } from './mail-networks.ts';
import { dkim, dmarc, mx, spf } from './mail-records.ts';
import { transport } from './mail-transport.ts';
import { refusals, security } from './refusals.ts';

export const emailDomainSchema = {
  operationId: 'checkEmailDomain',
  summary: 'Check a domain’s mail records',
  description:
    'MX, SPF, DKIM and DMARC with a score, a grade and what to fix first. On request also what protects mail on its way, and the networks that carry it.',
  tags: ['Email'],
  security,
  params: object({ domain: string('A domain name.', 'example.com') }),
  querystring: {
    type: 'object',
    properties: {
      selectors: string(
        'DKIM selectors separated by commas, at most 50. Without it, the common ones are tried.',
        'google,selector1',
      ),
      include: string(
        'What the report also has, separated by commas: transport (MTA-STS, TLS-RPT, DANE, BIMI, DNSSEC), networks (who carries the mail). Neither counts for the score.',
        'transport,networks',
      ),
    },
  },
  response: {
    200: envelope(
      'The report.',
      object(
        {
          domain: string('The checked domain, in A-labels.', 'example.com'),
          domain_auth_score: { type: 'integer', minimum: 0, maximum: 100 },
          grade: { type: 'string', enum: ['A', 'B', 'C', 'D', 'F'] },
          mx,
          spf,
          dkim: { type: 'array', items: dkim },
          dmarc,
          recommendations: strings('What to do, the most rewarding first.'),
          transport,
          networks,
        },
        ['transport', 'networks'],
      ),
    ),
    400: envelope(
      'No domain, not a domain, selectors that are none or too many, or an unknown include.',
      oneOfErrors(
        {
          MISSING_DOMAIN: 'missing domain parameter',
          INVALID_DOMAIN: 'invalid domain',
          INVALID_SELECTOR: 'invalid selector',
          TOO_MANY_SELECTORS: 'too many selectors',
          INVALID_INCLUDE: 'invalid include',
        },
        details({ limit: integer('The most that are taken.'), allowed: strings('What can be included.') }),
      ),
    ),
    ...refusals,
    503: envelope(
      'DNS does not answer, storage is down, there is no dataset for networks, or the server is overloaded.',
      oneOfErrors({
        DNS_UNAVAILABLE: 'DNS unavailable',
        STORAGE_UNAVAILABLE: 'storage unavailable',
        DATASET_UNAVAILABLE: 'dataset unavailable',
        OVERLOADED: 'overloaded',
      }),
    ),
  },
};
