/** What MX hosts say on port 25; on request, where it is switched on. */
import { boolean, list, named, object, oneOfTexts, string, strings } from '../../http/json-schema.ts';
import { findings, isValid } from './mail-records.ts';

const judged = { is_valid: isValid, validation_errors: findings };
const comparison = oneOfTexts(['match', 'mismatch', '']);

export const smtp = named(
  'SmtpReport',
  object({
    is_blocked: boolean('No address answered: port 25 is probably blocked where the server runs.'),
    servers: list(
      named(
        'SmtpServer',
        object({
          host: string('The MX host.', 'mx.example.com'),
          address: string('The address that was connected to.', '192.0.2.1'),
          banner: string('Text of the greeting.', 'mx.example.com ESMTP'),
          banner_name: string('The name in it, or empty.', 'mx.example.com'),
          banner_addresses: strings('Addresses of that name.'),
          reverse_name: string('A name of the address, or empty.', 'mx.example.com'),
          is_reverse_confirmed: boolean('That name has this address.'),
          has_starttls: boolean('STARTTLS is offered.'),
          tls_version: string('Version of TLS that was agreed on, or empty.', 'TLSv1.3'),
          certificate: named(
            'SmtpCertificate',
            object({
              names: strings('DNS names.'),
              issuer: string('Who issued it, or empty.', 'CN=Example CA'),
              valid_from: string('ISO 8601, or empty.', '2026-01-01T00:00:00.000Z'),
              valid_to: string('ISO 8601, or empty.', '2027-01-01T00:00:00.000Z'),
              is_trusted: boolean('The chain leads to a known authority and is valid now.'),
              is_for_host: boolean('It has the name of the MX host.'),
            }),
          ),
          dane: { ...comparison, description: 'Whether a TLSA record fits; empty if DANE does not apply.' },
          mta_sts: { ...comparison, description: 'Whether the MTA-STS policy accepts it; empty without a policy.' },
          ...judged,
        }),
      ),
    ),
    unprobed: strings('Addresses that were not connected to.'),
    ...judged,
  }),
);
