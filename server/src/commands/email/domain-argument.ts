/** The domain that a person means. The API takes domains only; on a command line and in lists, much else is pasted. */
import { normalizeDomain } from '@whence/email/domain-name';

/**
 * Of `example.com`, `user@example.com`, `Name <user@example.com>`, `https://example.com/x`, `example.com/x`,
 * `example.com:25`, `example.com,`, `_dmarc.example.com` and the like in quotation marks; undefined if there is none.
 */
export function domainOf(text: string): string | undefined {
  const written = text.trim().replace(QUOTES, '').trim();
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(written))
    return URL.canParse(written) ? normalizeDomain(new URL(written).hostname) : undefined;
  const address = written.slice(written.lastIndexOf('@') + 1).replace(/^mailto:/i, '');
  const name = address
    .replace(/[>)\]]+$/, '')
    .replace(/[,;]+$/, '')
    .replace(/[/?#].*$/, '')
    .replace(/:\d{1,5}$/, '');
  return normalizeDomain(withoutServiceLabels(name));
}

/** At either end, straight or typographic; beside them, the commas of a list. */
const QUOTES = /^["'`\u2018-\u201f\u2039\u203a\u00ab\u00bb,;]+|["'`\u2018-\u201f\u2039\u203a\u00ab\u00bb,;]+$/g;

/** `_dmarc`, `selector._domainkey`, `_smtp._tls` and other names of records are below the domain that is meant. */
function withoutServiceLabels(name: string): string {
  const labels = name.split('.');
  const last = labels.findLastIndex((label) => label.startsWith('_'));
  return labels.slice(last + 1).join('.');
}
