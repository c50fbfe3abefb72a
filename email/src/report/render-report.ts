// The report as it is sent, with findings as sentences: less than MAX_REPORT_BYTES as JSON,
// whatever the zone has.
import { type Advice, formatAdvice } from '../advice/advice.ts';
import { type Finding, MAX_FINDINGS } from '../findings/finding.ts';
import type { DkimReport, EmailReport } from '../report.ts';
import type { Findings, Score } from '../score/score.ts';
import { cutText } from '../visible-text.ts';
import { cutList, cutToBytes, MAX_NAME_BYTES, MAX_RAW_BYTES, sentences } from './report-cuts.ts';

/** Up to 50 keys share these, so that many keys do not make a large report. */
const MAX_DKIM_RAW_BYTES = 64 * 1024;
const MAX_DKIM_ERRORS = 200;

export function renderReport(
  domain: string,
  { mx, spf, dkim, dmarc }: Findings,
  { total, grade }: Score,
  advice: readonly Advice[],
): EmailReport {
  return {
    domain,
    domain_auth_score: total,
    grade,
    mx: {
      ...mx.report,
      records: mx.report.records.map((host) => cutToBytes(host, MAX_NAME_BYTES)),
      errors: sentences(mx.report.errors),
    },
    spf: {
      ...spf.report,
      raw: cutToBytes(spf.report.raw, MAX_RAW_BYTES),
      mechanisms: cutList(spf.report.mechanisms),
      validation_errors: sentences(spf.report.validation_errors),
    },
    dkim: renderKeys(dkim.report),
    dmarc: {
      ...dmarc.report,
      raw: cutToBytes(dmarc.report.raw, MAX_RAW_BYTES),
      aggregate_report_uris: cutList(dmarc.report.aggregate_report_uris),
      forensic_report_uris: cutList(dmarc.report.forensic_report_uris),
      failure_options: cutText(dmarc.report.failure_options),
      validation_errors: sentences(dmarc.report.validation_errors),
    },
    recommendations: advice.map(formatAdvice),
  };
}

function renderKeys(keys: readonly DkimReport<Finding>[]): DkimReport[] {
  const maxRawBytes = Math.min(
    MAX_RAW_BYTES,
    Math.floor(MAX_DKIM_RAW_BYTES / Math.max(1, keys.length)),
  );
  const maxErrors = Math.min(MAX_FINDINGS, Math.floor(MAX_DKIM_ERRORS / Math.max(1, keys.length)));
  return keys.map((key) => ({
    ...key,
    raw: cutToBytes(key.raw, maxRawBytes),
    validation_errors: sentences(key.validation_errors, maxErrors),
  }));
}
