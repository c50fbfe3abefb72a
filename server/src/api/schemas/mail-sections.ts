/** What the report of a domain has on request: transport security, what MX hosts say on port 25, and networks. */
import { CONNECTION_TYPES, THREAT_LEVELS } from '@whence/dataset/record';
import { boolean, integer, list, named, namedObject, oneOfTexts, string, strings } from '../../http/json-schema.ts';
import { findings, isValid } from './mail-records.ts';

const record = { found: boolean('Whether the record is published.'), raw: string('The record.') };
const recommendation = namedObject('TransportRecommendation', {
  text: string('What to do.'),
  record: string('Record to publish, as a line of a zone file, or empty.'),
  file_url: string('Where the file belongs, or empty.'),
  file: string('File to publish there.'),
});
const recommendations = {
  ...list(recommendation),
  description: 'What to publish; empty for a domain that takes no mail.',
};
const judged = { is_valid: isValid, validation_errors: findings };
const senderRules = named('SenderRulesState', oneOfTexts(['met', 'not_met', 'unverified', 'not_applicable']));
export const transport = namedObject('TransportReport', {
  mta_sts: namedObject('MtaStsReport', {
    ...record,
    id: string('id of the record.', '20260101T000000'),
    policy_found: boolean('Whether the policy could be fetched.'),
    mode: oneOfTexts(['enforce', 'testing', 'none', '']),
    max_age: integer('Seconds for which senders keep the policy.'),
    mx: strings('Hosts that the policy allows.'),
    ...judged,
    recommendations,
  }),
  tls_rpt: namedObject('TlsRptReport', { ...record, report_uris: strings('rua.'), ...judged, recommendations }),
  dane: namedObject('DaneReport', {
    is_authenticated: boolean('The resolver authenticated the MX records with DNSSEC.'),
    hosts: list(
      namedObject('DaneHost', {
        host: string('The MX host.', 'mx.example.com'),
        records: strings('TLSA records, as in a zone file.'),
        is_authenticated: boolean('The resolver authenticated them with DNSSEC.'),
      }),
    ),
    ...judged,
  }),
  bimi: namedObject('BimiReport', {
    ...record,
    record_domain: string('Whose record it is.', 'example.com'),
    location: string('l=, where the mark is.', 'https://example.com/mark.svg'),
    certificate: string('a=, where the mark certificate is.', 'https://example.com/mark.pem'),
    ...judged,
  }),
  dnssec: namedObject('DnssecReport', {
    is_authenticated: boolean('The resolver authenticated the answers with DNSSEC.'),
    ...judged,
  }),
  sender_rules: namedObject('SenderRulesReport', {
    google: senderRules,
    yahoo: senderRules,
    microsoft: senderRules,
    ...judged,
  }),
});

const comparison = oneOfTexts(['match', 'mismatch', '']);

/** Where it is switched on. */
export const smtp = namedObject('SmtpReport', {
  is_blocked: boolean('No address answered: port 25 is probably blocked where the server runs.'),
  servers: list(
    namedObject('SmtpServer', {
      host: string('The MX host.', 'mx.example.com'),
      address: string('The address that was connected to.', '192.0.2.1'),
      banner: string('Text of the greeting.', 'mx.example.com ESMTP'),
      banner_name: string('The name in it, or empty.', 'mx.example.com'),
      banner_addresses: strings('Addresses of that name.'),
      reverse_name: string('A name of the address, or empty.', 'mx.example.com'),
      is_reverse_confirmed: boolean('That name has this address.'),
      has_starttls: boolean('STARTTLS is offered.'),
      tls_version: string('Version of TLS that was agreed on, or empty.', 'TLSv1.3'),
      certificate: namedObject('SmtpCertificate', {
        names: strings('DNS names.'),
        issuer: string('Who issued it, or empty.', 'CN=Example CA'),
        valid_from: string('ISO 8601, or empty.', '2026-01-01T00:00:00.000Z'),
        valid_to: string('ISO 8601, or empty.', '2027-01-01T00:00:00.000Z'),
        is_trusted: boolean('The chain leads to a known authority and is valid now.'),
        is_for_host: boolean('It has the name of the MX host.'),
      }),
      dane: { ...comparison, description: 'Whether a TLSA record fits; empty if DANE does not apply.' },
      mta_sts: {
        ...comparison,
        description: 'Whether the MTA-STS policy names it and accepts its certificate; or empty.',
      },
      stops_delivery: boolean('Senders that use DANE, or an enforced MTA-STS policy, do not deliver to it.'),
      ...judged,
    }),
  ),
  unprobed: strings('Addresses that were not connected to.'),
  ...judged,
});

const mailNetwork = {
  prefix: string('Announced prefix, or empty.', '192.0.2.0/24'),
  asn: integer('Network that announces it, or 0.'),
  asn_name: string('Its name.', 'Example'),
  country: string('ISO 3166-1 alpha-2, or empty.', 'US'),
  connection_type: oneOfTexts([...CONNECTION_TYPES, '']),
  threat_level: oneOfTexts([...THREAT_LEVELS, '']),
};
const carrier = namedObject('MailCarrier', {
  asn: integer('The network.'),
  asn_name: string('Its name.', 'Example'),
  mx_hosts: integer('MX hosts in it.'),
  ipv4_addresses: integer('Its IPv4 addresses that may send.'),
});
const mxNetwork = namedObject('MxNetwork', {
  ...mailNetwork,
  host: string('The MX host.', 'mx.example.com'),
  address: string('One of its addresses.', '192.0.2.1'),
});
const networkShare = namedObject('NetworkShare', {
  asn: integer('The network.'),
  asn_name: string('Its name.', 'Example'),
  percent: integer('Its part of the range, in percent.'),
});
const senderNetwork = namedObject('SenderNetwork', {
  ...mailNetwork,
  range: string('Addresses that SPF lets send.', '192.0.2.0/24'),
  record_domain: string('Whose SPF record names them.', 'example.com'),
  asn_count: integer('Networks that announce parts of it.'),
  shares: {
    ...list(networkShare),
    description: 'The networks with the largest parts, at most five; of a sample if there are very many.',
  },
});

export const networks = namedObject('NetworksReport', {
  carriers: {
    ...list(carrier),
    description: 'Networks by how much they carry.',
  },
  mx: list(mxNetwork),
  senders: { ...list(senderNetwork), description: 'At most 100, the largest first.' },
  range_count: integer('All ranges.'),
  ipv4_addresses: integer('IPv4 addresses that may send as the domain.'),
  ipv6_48s: integer('IPv6 /48s that may.'),
  open_to_all: boolean('Everyone may.'),
  unlisted_terms: strings('Terms of SPF whose addresses only a receiver can know.'),
  errors: findings,
});
