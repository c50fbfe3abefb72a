/**
 * Records that are tried on the page of a domain: what differs from DNS, and how the address bar
 * carries it.
 */
import type { EmailReport, EmailTrial } from '@whence/client/wire';
import type { Input } from '@whence/server/dashboard-wire/contract';
import type { MxHost } from '@whence/server/dashboard-wire/domains';

/** Texts that differ from what is published; an empty text removes the record. */
export type TriedChange = Pick<Input<'tryDomain'>['body'], 'mx' | 'spf' | 'dmarc' | 'dkim'>;

/** What the editor shows. Without a selector no key is tried. */
export type EditedRecords = {
  /** Hosts with their preferences, one per line. */
  readonly mx: string;
  readonly spf: string;
  readonly dmarc: string;
  readonly dkim?: EditedKey | undefined;
};
type CheckedRecords = { readonly report: EmailReport; readonly mx_hosts: readonly MxHost[] };
type EditedKey = { readonly selector: string; readonly text: string };

/** The domain's own records: a policy that a domain above it has is not one of them. */
function publishedRecords({
  report: { domain, mx, spf, dmarc },
  mx_hosts,
}: CheckedRecords): EditedRecords {
  const hosts = mx_hosts.map(({ preference, host }) => `${preference} ${host}`);
  const isNull = mx.records.length === 1 && mx.records[0] === '.';
  return {
    mx: isNull ? '0 .' : hosts.join('\n'),
    spf: spf.raw,
    dmarc: dmarc.record_domain === domain ? dmarc.raw : '',
  };
}

export function publishedKey({ dkim }: EmailReport, selector: string): string {
  return dkim.find((key) => key.selector.toLowerCase() === selector.toLowerCase())?.raw ?? '';
}

export function editedRecords(
  check: CheckedRecords,
  { mx, spf, dmarc, dkim }: TriedChange,
): EditedRecords {
  const published = publishedRecords(check);
  return {
    mx: mx ?? published.mx,
    spf: spf ?? published.spf,
    dmarc: dmarc ?? published.dmarc,
    ...(dkim && { dkim }),
  };
}

/** What of it has to be tried. A line break in a text is a blank, as pasted records have them. */
export function changeOf(
  check: CheckedRecords,
  { mx, spf, dmarc, dkim }: EditedRecords,
): TriedChange {
  const published = publishedRecords(check);
  const key = dkim && { selector: dkim.selector.trim(), text: oneLine(dkim.text) };
  const isKeyTried =
    key && key.selector !== '' && key.text !== publishedKey(check.report, key.selector);
  return {
    ...(mx.trim() !== published.mx && { mx: mx.trim() }),
    ...(oneLine(spf) !== published.spf && { spf: oneLine(spf) }),
    ...(oneLine(dmarc) !== published.dmarc && { dmarc: oneLine(dmarc) }),
    ...(isKeyTried && { dkim: key }),
  };
}

/** Whether a trial was judged against the records that the page shows. */
export function isOfCheck(
  { report }: CheckedRecords,
  { mx, spf, dmarc, score }: EmailTrial['before'],
): boolean {
  const shown = [report.mx.records, report.spf.raw, report.dmarc.raw, report.domain_auth_score];
  return JSON.stringify(shown) === JSON.stringify([mx, spf, dmarc, score]);
}

export function isEmpty(change: TriedChange): boolean {
  return Object.keys(change).length === 0;
}

/** `try` of the address bar; an empty object opens the editor. */
export function parseTried(value: unknown): TriedChange | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { mx, spf, dmarc, dkim } = value as Record<string, unknown>;
  return {
    ...(typeof mx === 'string' && { mx }),
    ...(typeof spf === 'string' && { spf }),
    ...(typeof dmarc === 'string' && { dmarc }),
    ...(isKey(dkim) && { dkim: { selector: dkim.selector, text: dkim.text } }),
  };
}

function isKey(value: unknown): value is EditedKey {
  if (typeof value !== 'object' || value === null) return false;
  const { selector, text } = value as Record<string, unknown>;
  return typeof selector === 'string' && typeof text === 'string';
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*[\r\n]+\s*/g, ' ');
}
