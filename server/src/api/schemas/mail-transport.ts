/** What the report of a domain says of MTA-STS, TLS-RPT, DANE, BIMI and DNSSEC; on request. */
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
