/** The URL of a feed's current file, from the URL and the link pattern in the catalogue. */
import { runInNewContext } from 'node:vm';

/** `{yyyy}`, `{mm}` and `{dd}` are the day before, in UTC: the last day that is complete and has a file. */
export function fillDate(url: string, now: Date): string {
  const day = new Date(now.getTime() - 86_400_000).toISOString();
  return url
    .replaceAll('{yyyy}', day.slice(0, 4))
    .replaceAll('{mm}', day.slice(5, 7))
    .replaceAll('{dd}', day.slice(8, 10));
}

type Link = { readonly kind: 'found'; readonly url: string } | { readonly kind: 'missing'; readonly reason: string };

/** A page with a link is small. Size and time limits bound the cost of a slow regular expression. */
export const MAX_PAGE_BYTES = 2_000_000;
const MATCHING_MS = 1000;

/**
 * The last match of the pattern on a page, as a URL: its first group where it has one. The pattern comes from the
 * operator's catalogue and may backtrack exponentially, so it runs with a timeout, in a context that contains only the
 * two strings.
 */
export function findLink(page: string, pageUrl: string, pattern: string): Link {
  let text: unknown;
  try {
    text = runInNewContext(LAST_MATCH, { page, pattern }, { timeout: MATCHING_MS });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      return missing(`the regular expression for the link took more than ${MATCHING_MS / 1000} s on the page`);
    return missing(`the regular expression for the link cannot be used: ${message}`);
  }
  if (typeof text !== 'string' || text === '') return missing('the link to the file was not found on the page');
  const link = text.replaceAll('&amp;', '&');
  if (!URL.canParse(link, pageUrl)) return missing(`the link on the page is not a URL: ${JSON.stringify(link)}`);
  const url = new URL(link, pageUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return missing(`the link on the page has the scheme ${url.protocol} and not https: or http:`);
  if (url.protocol === 'http:' && new URL(pageUrl).protocol === 'https:')
    return missing('the link leads from https to http, which is refused');
  return { kind: 'found', url: url.href };
}

const LAST_MATCH = `
  let last;
  for (const match of page.matchAll(new RegExp(pattern, 'g'))) last = match[1] ?? match[0];
  last`;

function missing(reason: string): Link {
  return { kind: 'missing', reason };
}
