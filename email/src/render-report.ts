/**
 * The report as it is sent: the results of the parts, with findings as sentences. It is small whatever the zone
 * contains: the largest takes less than MAX_REPORT_BYTES as JSON, of which an answer that is not read holds one copy.
 */
import type { Advice } from './advice/advice.ts';
import { formatAdvice } from './advice/advice-text.ts';
import type { Finding } from './finding.ts';
import { limitFindings, MAX_FINDINGS } from './finding-list.ts';
import { formatFinding } from './finding-text.ts';
import type { DkimReport, EmailReport } from './report.ts';
import type { Findings, Score } from './score.ts';
import { cutText, MAX_TEXT_CHARACTERS } from './visible-text.ts';

export const MAX_REPORT_BYTES = 256 * 1024;

/** Of one `raw`, as JSON. A record of ASCII characters stays whole up to this length. */
const MAX_RAW_BYTES = 4 * 1024;
/** Of a name, which may contain any bytes. */
const MAX_NAME_BYTES = 255;
/** The texts of a list that is as long as a record makes it: terms, report addresses. */
const MAX_LIST_BYTES = 16 * 1024;
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
  const maxRawBytes = Math.min(MAX_RAW_BYTES, Math.floor(MAX_DKIM_RAW_BYTES / Math.max(1, keys.length)));
  const maxErrors = Math.min(MAX_FINDINGS, Math.floor(MAX_DKIM_ERRORS / Math.max(1, keys.length)));
  return keys.map((key) => ({
    ...key,
    raw: cutToBytes(key.raw, maxRawBytes),
    validation_errors: sentences(key.validation_errors, maxErrors),
  }));
}

function sentences(findings: readonly Finding[], maxFindings: number = MAX_FINDINGS): string[] {
  return limitFindings(findings, maxFindings).map(formatFinding);
}

/** As many as fit, each of them cut; `…` stands for the others. */
function cutList(texts: readonly string[]): string[] {
  const shown: string[] = [];
  let left = MAX_LIST_BYTES;
  for (const text of texts) {
    const cut = cutText(text, MAX_TEXT_CHARACTERS);
    left -= jsonBytes(cut) + '"",'.length;
    if (left < 0) return [...shown, '…'];
    shown.push(cut);
  }
  return shown;
}

/** The text, or its beginning and `…`, in at most so many bytes of JSON. */
function cutToBytes(text: string, maxBytes: number): string {
  // A character takes a byte at least.
  if (text.length <= maxBytes && jsonBytes(text) <= maxBytes) return text;
  let bytes = ELLIPSIS_BYTES;
  let end = 0;
  for (; end < text.length; end++) {
    bytes += jsonBytesOf(text.charCodeAt(end));
    if (bytes > maxBytes) break;
  }
  return `${text.slice(0, end)}…`;
}

const ELLIPSIS_BYTES = 3;

function jsonBytes(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) bytes += jsonBytesOf(text.charCodeAt(i));
  return bytes;
}

/** At most: `\u001b` takes six bytes, a quotation mark two, and half a surrogate pair is escaped if it stands alone. */
function jsonBytesOf(code: number): number {
  if (code < 0x20) return 6;
  if (code === 0x22 || code === 0x5c) return 2;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code >= 0xd800 && code < 0xe000 ? 6 : 3;
}
