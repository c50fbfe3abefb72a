/** The domain that a person means. The API takes domains only; on a command line addresses and URLs are pasted too. */
import { normalizeDomain } from '@whence/email/domain-name';

/** Of `example.com`, `user@example.com`, `Name <user@example.com>` or `https://example.com/x`; undefined if there is none. */
export function domainOf(text: string): string | undefined {
  const written = text.trim();
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(written))
    return URL.canParse(written) ? normalizeDomain(new URL(written).hostname) : undefined;
  return normalizeDomain(written.slice(written.lastIndexOf('@') + 1).replace(/>$/, ''));
}
