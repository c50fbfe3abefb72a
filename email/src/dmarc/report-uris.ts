/** The report URIs of `rua` and `ruf` (RFC 9989 §4.6 to §4.8). */
import { domainToASCII } from 'node:url';

export type ReportUri = {
  /** As published, without the obsolete `!10m` at its end. */
  readonly uri: string;
  /**
   * The host that receives the mail; `''` for schemes other than mailto, which receivers do not
   * use.
   */
  readonly host: string;
};

/** The valid URIs in order, the others as written, and the number of those that were not read. */
export function parseReportUris(list: string): {
  uris: ReportUri[];
  bad: string[];
  unread: number;
} {
  const uris: ReportUri[] = [];
  const bad: string[] = [];
  const items = list.split(',');
  for (const item of items.slice(0, MAX_URIS).map((text) => text.trim())) {
    const uri = parseUri(item.replace(REPORT_SIZE, ''));
    if (uri === undefined) bad.push(item);
    else uris.push(uri);
  }
  return { uris, bad, unread: Math.max(0, items.length - MAX_URIS) };
}

/** Receivers must support two (RFC 7489 §6.2), and few support many. */
const MAX_URIS = 100;
/** RFC 9989 §4.8 obs-dmarc-report-size: ignored. */
const REPORT_SIZE = /![0-9]+[kmgt]?$/i;
/** RFC 3986 without `,` and `!`, which must be percent-encoded here. */
const URI = /^([a-z][a-z0-9+.-]*):((?:[a-z0-9._~:/?#[\]@$&'()*+;=-]|%[0-9a-f]{2})+)$/i;
/**
 * RFC 6068 §2: one address, in which `/ ? # [ ]` must be percent-encoded; header fields may follow.
 */
const MAIL_ADDRESS = /^([^@/?#[\]]+)@([^@/?#[\]]+)(?:\?.*)?$/;
const HOST_NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;

function parseUri(uri: string): ReportUri | undefined {
  const [, scheme, rest] = URI.exec(uri) ?? [];
  if (scheme === undefined || rest === undefined) return undefined;
  if (scheme.toLowerCase() !== 'mailto') return { uri, host: '' };
  const [, , encoded] = MAIL_ADDRESS.exec(rest) ?? [];
  const host = hostName(encoded ?? '');
  return host === undefined ? undefined : { uri, host };
}

function hostName(encoded: string): string | undefined {
  try {
    const host = domainToASCII(decodeURIComponent(encoded)).replace(/\.$/, '');
    return HOST_NAME.test(host) ? host : undefined;
  } catch {
    // Percent-encoded bytes that are not UTF-8.
    return undefined;
  }
}
