import { readFileSync, rmSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { DAY_MS } from '../day.ts';
import { StreamError } from '../io/content.ts';
import { decompressFile } from '../io/decompress.ts';
import type { Network } from '../io/download/connection.ts';
import { download } from '../io/download/download.ts';
import type { DownloadFailed, DownloadRequest } from '../io/download/download-request.ts';
import type { TransferLimits } from '../io/download/transfer-timeouts.ts';
import type { Feed } from './feed.ts';
import type { Candidate, Failure, FeedCache, FeedSource } from './feed-cache.ts';

export type FetchFeedOptions = {
  readonly now: Date;
  readonly sleep: (ms: number) => Promise<void>;
  readonly contact?: string | undefined;
  readonly isForced?: boolean;
  readonly timeouts?: TransferLimits;
  readonly network?: Network | undefined;
};

export type FetchFeedResult =
  /** The caller reads the file, and then accepts or refuses `candidate` in the cache. */
  | { readonly kind: 'candidate'; readonly path: string; readonly candidate: Candidate }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'fresh' }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * For feeds without a `max_bytes` of their own. Applies to the body as received and decompressed.
 */
const MAX_BYTES = 256_000_000;
const TIMEOUTS = { idleTimeoutMs: 30_000, totalTimeoutMs: 1_800_000 };

export async function fetchFeed(
  feed: Feed,
  cache: FeedCache,
  options: FetchFeedOptions,
): Promise<FetchFeedResult> {
  const { id } = feed;
  const { now } = options;
  if (options.isForced !== true && cache.isFresh(feed, now)) return { kind: 'fresh' };
  cache.prepare(id);
  const fail = (failure: Failure): FetchFeedResult => {
    cache.fail(feed, failure, now);
    return { kind: 'failed', reason: failure.reason };
  };

  const located = await locate(feed, cache, options);
  if (located.kind === 'failed') return fail(located);
  const request = {
    ...requestFor(feed, located.url, cache.downloadPath(id), options),
    ...validatorsFor(cache, id, located.url),
  };
  const downloaded = await download(request);
  if (downloaded.kind === 'failed') return fail(downloaded);
  if (downloaded.kind === 'unchanged') {
    cache.confirm(feed, now);
    return { kind: 'unchanged' };
  }

  const path = cache.candidatePath(id);
  const { etag, lastModified } = downloaded;
  const source: FeedSource = {
    resolved_url: located.url,
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { last_modified: lastModified }),
  };
  let candidate: Candidate;
  try {
    candidate = { ...source, ...(await decompressFile(request.target, path, request.limits)) };
  } catch (error) {
    if (!(error instanceof StreamError)) throw error;
    return fail({ reason: error.message, isAnswered: true });
  } finally {
    rmSync(request.target, { force: true });
  }
  // Many servers send the same file again, with no validators or new ones.
  if (cache.contentPath(id) !== undefined && cache.state(id)?.sha256 === candidate.sha256) {
    cache.confirm(feed, now, source);
    return { kind: 'unchanged' };
  }
  cache.offer(feed, now);
  return { kind: 'candidate', path, candidate };
}

/** The URL of the current file: the URL in the catalogue, or the link on the page at that URL. */
async function locate(
  feed: Feed,
  cache: FeedCache,
  options: FetchFeedOptions,
): Promise<{ readonly kind: 'located'; readonly url: string } | DownloadFailed> {
  const url = fillDate(feed.url, options.now);
  if (feed.link === undefined) return { kind: 'located', url };
  const target = `${cache.downloadPath(feed.id)}-page`;
  const request = requestFor(feed, url, target, options);
  const page = await download({
    ...request,
    limits: { ...request.limits, maxBytes: MAX_PAGE_BYTES },
  });
  if (page.kind === 'failed') return { ...page, reason: `the page with the link: ${page.reason}` };
  const pageUrl = page.kind === 'fetched' ? page.url : url;
  const link = findLink(readFileSync(target, 'utf8'), pageUrl, feed.link);
  rmSync(target, { force: true });
  return link.kind === 'found'
    ? { kind: 'located', url: link.url }
    : { kind: 'failed', reason: link.reason, isAnswered: true };
}

function requestFor(
  feed: Feed,
  url: string,
  target: string,
  options: FetchFeedOptions,
): DownloadRequest {
  const { now, sleep, contact, network, timeouts = TIMEOUTS } = options;
  const limits = { maxBytes: feed.max_bytes ?? MAX_BYTES, ...timeouts };
  return { url, target, limits, now, sleep, contact, network };
}

/** Used only if the copy that they belong to still exists and came from the same URL. */
function validatorsFor(
  cache: FeedCache,
  id: string,
  url: string,
): Pick<DownloadRequest, 'etag' | 'lastModified'> {
  const state = cache.state(id);
  if (state?.resolved_url !== url || cache.contentPath(id) === undefined) return {};
  return { etag: state.etag, lastModified: state.last_modified };
}

/**
 * `{yyyy}`, `{mm}` and `{dd}` are the day before, in UTC: the last day that is complete and has a
 * file.
 */
export function fillDate(url: string, now: Date): string {
  const day = new Date(now.getTime() - DAY_MS).toISOString();
  return url
    .replaceAll('{yyyy}', day.slice(0, 4))
    .replaceAll('{mm}', day.slice(5, 7))
    .replaceAll('{dd}', day.slice(8, 10));
}

type Link =
  | { readonly kind: 'found'; readonly url: string }
  | { readonly kind: 'missing'; readonly reason: string };

/**
 * A page with a link is small. Size and time limits bound the cost of a slow regular expression.
 */
const MAX_PAGE_BYTES = 2_000_000;
const MATCHING_MS = 1000;

/**
 * The last match, as a URL. A pattern of the operator may backtrack exponentially, so it runs with
 * a timeout.
 */
export function findLink(page: string, pageUrl: string, pattern: string): Link {
  let text: unknown;
  try {
    text = runInNewContext(LAST_MATCH, { page, pattern }, { timeout: MATCHING_MS });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      return missing(
        `the regular expression for the link took more than ${MATCHING_MS / 1000} s on the page`,
      );
    return missing(`the regular expression for the link cannot be used: ${message}`);
  }
  if (typeof text !== 'string' || text === '')
    return missing('the link to the file was not found on the page');
  const link = text.replaceAll('&amp;', '&');
  if (!URL.canParse(link, pageUrl))
    return missing(`the link on the page is not a URL: ${JSON.stringify(link)}`);
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
