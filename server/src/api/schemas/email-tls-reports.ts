/** `GET /v1/email/domain/{domain}/tls-reports`. */
import { tlsReports, tlsReportsQuery } from '../../email-reports/tls-reports-request.ts';
import { object, string } from '../../http/json-schema.ts';
import { envelope, operation, refusal, refusals } from './refusals.ts';

export const emailTlsReportsSchema = operation('Email', {
  operationId: 'findTlsReports',
  summary: 'How TLS fares on the way to a domain',
  description:
    'What TLS reports (RFC 8460) show, and whether MTA-STS may be set to enforce or DANE be kept. The reports are those imported on this server.',
  params: object({ domain: string('A domain name.', 'example.com') }),
  querystring: tlsReportsQuery,
  response: {
    200: envelope('The answer, by reporters, days and failures.', tlsReports),
    400: refusal('No domain, not a domain, or days that cannot be judged.', [
      'MISSING_DOMAIN',
      'INVALID_DOMAIN',
      'INVALID_QUERY',
    ]),
    ...refusals,
    503: refusal('DNS does not answer, storage is down, or the server is overloaded.', [
      'DNS_UNAVAILABLE',
      'STORAGE_UNAVAILABLE',
      'OVERLOADED',
    ]),
  },
});
