/** What the report of a domain says of its MX, SPF, DKIM and DMARC records. */
import { boolean, integer, named, namedObject, oneOfTexts, string, strings } from '../../http/json-schema.ts';

const policy = named('DmarcPolicy', oneOfTexts(['none', 'quarantine', 'reject']));
const publishedPolicy = oneOfTexts(['none', 'quarantine', 'reject', '']);
const alignment = oneOfTexts(['r', 's']);
export const isValid = boolean('Whether there is no error.');
export const findings = strings('`code: explanation`, one per finding.');

export const mx = namedObject('MxReport', {
  records: strings('Hosts by preference; "." for a null MX.'),
  is_valid: isValid,
  errors: findings,
});
export const spf = namedObject('SpfReport', {
  raw: string('The record.', 'v=spf1 mx -all'),
  mechanisms: strings('Every term after the version, as written.'),
  all_qualifier: oneOfTexts(['+', '-', '~', '?', '']),
  is_valid: isValid,
  is_permissive: boolean('The record ends in +all.'),
  validation_errors: findings,
  dns_lookup_count: integer('DNS lookups that the record needs, over its whole tree.'),
  exceeds_lookups: boolean('More than the 10 of RFC 7208.'),
});
export const dkim = namedObject('DkimReport', {
  selector: string('Name of the selector.', 'google'),
  found: boolean('Whether a key is published there.'),
  raw: string('The record.'),
  key_type: oneOfTexts(['rsa', 'ed25519', '']),
  key_bits: integer('Size of the key.'),
  is_valid: isValid,
  validation_errors: findings,
});
export const dmarc = namedObject('DmarcReport', {
  raw: string('The record that applies.'),
  version: string('DMARC1.'),
  policy: publishedPolicy,
  subdomain_policy: publishedPolicy,
  effective_policy: policy,
  percentage: integer('pct.'),
  aggregate_report_uris: strings('rua.'),
  forensic_report_uris: strings('ruf.'),
  dkim_alignment: alignment,
  spf_alignment: alignment,
  failure_options: string('fo.', '0'),
  report_interval: integer('ri, in seconds.'),
  organizational_domain: string('RFC 9989 section 4.10.2.', 'example.com'),
  record_domain: string('Where the record was found.', 'example.com'),
  inherited: boolean('The record is of a parent domain.'),
  partial_rollout: boolean('pct is below 100.'),
  no_visibility: boolean('There is no rua.'),
  strength_rating: oneOfTexts(['weak', 'moderate', 'strong']),
  is_valid: isValid,
  validation_errors: findings,
});
