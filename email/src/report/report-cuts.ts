/** What a report shows of texts and lists that are as long as a hostile zone makes them. */
import { type Finding, formatFinding, limitFindings, MAX_FINDINGS } from '../findings/finding.ts';
import { cutText, MAX_TEXT_CHARACTERS } from '../visible-text.ts';

/** One `raw`, as JSON. A record of ASCII characters stays whole up to this length. */
export const MAX_RAW_BYTES = 4 * 1024;
/** A name, which may contain any bytes. */
export const MAX_NAME_BYTES = 255;
/** The texts of a list that is as long as a record makes it: terms, report addresses. */
const MAX_LIST_BYTES = 16 * 1024;

export function sentences(
  findings: readonly Finding[],
  maxFindings: number = MAX_FINDINGS,
): string[] {
  return limitFindings(findings, maxFindings).map(formatFinding);
}

/** As many as fit, each of them cut; `…` stands for the others. */
export function cutList(texts: readonly string[], maxBytes: number = MAX_LIST_BYTES): string[] {
  const shown: string[] = [];
  let left = maxBytes;
  for (const text of texts) {
    const cut = cutText(text, MAX_TEXT_CHARACTERS);
    left -= jsonBytes(cut) + '"",'.length;
    if (left < 0) return [...shown, '…'];
    shown.push(cut);
  }
  return shown;
}

/** The text, or its beginning and `…`, in at most `maxBytes` bytes of JSON. */
export function cutToBytes(text: string, maxBytes: number): string {
  // A character takes a byte at least.
  if (text.length <= maxBytes && jsonBytes(text) <= maxBytes) return text;
  let cut = text.slice(0, maxBytes);
  for (;;) {
    const excess = jsonBytes(`${cut}…`) - maxBytes;
    if (excess <= 0) return `${cut}…`;
    cut = cut.slice(0, -Math.ceil(excess / MAX_CHARACTER_BYTES));
  }
}

/** `\u001b`. */
const MAX_CHARACTER_BYTES = 6;

/** Without the quotation marks. */
function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}
