/** The transport part of a report as it is sent: findings as sentences, texts and lists cut. */
import type { Finding } from '../findings/finding.ts';
import {
  cutList,
  cutToBytes,
  MAX_NAME_BYTES,
  MAX_RAW_BYTES,
  sentences,
} from '../report/report-cuts.ts';
import type { TransportReport } from '../report.ts';
import { cutText } from '../visible-text.ts';

/** TLSA records of one host. A record may hold a whole certificate. */
const MAX_TLSA_BYTES = 1024;
const MAX_LIST_BYTES = 4 * 1024;

export function renderTransport(transport: TransportReport<Finding>): TransportReport {
  const { mta_sts, tls_rpt, dane, bimi, dnssec, sender_rules } = transport;
  return {
    mta_sts: {
      ...recordOf(mta_sts),
      id: cutText(mta_sts.id),
      mx: cutList(mta_sts.mx, MAX_LIST_BYTES),
    },
    tls_rpt: { ...recordOf(tls_rpt), report_uris: cutList(tls_rpt.report_uris, MAX_LIST_BYTES) },
    dane: {
      ...judgementOf(dane),
      hosts: dane.hosts.map(({ host, records, is_authenticated }) => ({
        host: cutToBytes(host, MAX_NAME_BYTES),
        records: cutList(records, MAX_TLSA_BYTES),
        is_authenticated,
      })),
    },
    bimi: {
      ...recordOf(bimi),
      location: cutText(bimi.location),
      certificate: cutText(bimi.certificate),
    },
    dnssec: judgementOf(dnssec),
    sender_rules: judgementOf(sender_rules),
  };
}

function recordOf<Part extends { raw: string; validation_errors: Finding[] }>(part: Part) {
  return { ...judgementOf(part), raw: cutToBytes(part.raw, MAX_RAW_BYTES) };
}

function judgementOf<Part extends { validation_errors: Finding[] }>(part: Part) {
  return { ...part, validation_errors: sentences(part.validation_errors) };
}
