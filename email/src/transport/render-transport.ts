/** The transport part of a report as it is sent: findings as sentences, texts and lists cut. */
import type { Finding } from '../findings/finding.ts';
import { cutList, cutToBytes, MAX_NAME_BYTES, MAX_RAW_BYTES, sentences } from '../report/report-cuts.ts';
import type { TransportReport } from '../report.ts';
import { cutText } from '../visible-text.ts';

/** TLSA records of one host. A record may hold a whole certificate. */
const MAX_TLSA_BYTES = 1024;
const MAX_LIST_BYTES = 4 * 1024;

export function renderTransport(transport: TransportReport<Finding>): TransportReport {
  const { mta_sts, tls_rpt, dane, bimi, dnssec, sender_rules } = transport;
  return {
    mta_sts: {
      ...mta_sts,
      raw: cutToBytes(mta_sts.raw, MAX_RAW_BYTES),
      id: cutText(mta_sts.id),
      mx: cutList(mta_sts.mx, MAX_LIST_BYTES),
      validation_errors: sentences(mta_sts.validation_errors),
    },
    tls_rpt: {
      ...tls_rpt,
      raw: cutToBytes(tls_rpt.raw, MAX_RAW_BYTES),
      report_uris: cutList(tls_rpt.report_uris, MAX_LIST_BYTES),
      validation_errors: sentences(tls_rpt.validation_errors),
    },
    dane: {
      ...dane,
      hosts: dane.hosts.map(({ host, records, is_authenticated }) => ({
        host: cutToBytes(host, MAX_NAME_BYTES),
        records: cutList(records, MAX_TLSA_BYTES),
        is_authenticated,
      })),
      validation_errors: sentences(dane.validation_errors),
    },
    bimi: {
      ...bimi,
      raw: cutToBytes(bimi.raw, MAX_RAW_BYTES),
      location: cutText(bimi.location),
      certificate: cutText(bimi.certificate),
      validation_errors: sentences(bimi.validation_errors),
    },
    dnssec: { ...dnssec, validation_errors: sentences(dnssec.validation_errors) },
    sender_rules: { ...sender_rules, validation_errors: sentences(sender_rules.validation_errors) },
  };
}
