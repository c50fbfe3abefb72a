/** Outcomes as JSON, one object on a line. */
import { evidenceOf } from '@whence/email/internal/report/evidence';
import type { Checked } from '../../email-checks/examine-mail.ts';
import type { Failed, SavedReport } from './outcome.ts';

/** The report of the API, and what only a comparison needs. */
export function savedReport({ answer, findings }: Checked): SavedReport {
  return { ...answer, evidence: evidenceOf(findings) };
}

export function reportLine(report: SavedReport): string {
  return `${visibleJson(report)}\n`;
}

/** As the API writes an error. */
export function failureLine({ domain, reason, code }: Failed): string {
  return `${visibleJson({ domain, error: reason, code })}\n`;
}

/** JSON.stringify escapes C0 control characters only; a terminal also obeys those from U+0080 on. */
export function visibleJson(value: object): string {
  return JSON.stringify(value).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, i) => unicodeEscape(character.charCodeAt(i))).join(''),
  );
}

function unicodeEscape(codeUnit: number): string {
  return `\\u${codeUnit.toString(16).padStart(4, '0')}`;
}
