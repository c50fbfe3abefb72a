/** One feed from its URL to a candidate in the cache: find the file, download it, decompress it. */
import { readFileSync, rmSync } from 'node:fs';
import { StreamError } from '../io/content.ts';
import { decompressFile } from '../io/decompress.ts';
import type { Network } from '../io/download/connection.ts';
import { download } from '../io/download/download.ts';
import type { DownloadFailed, DownloadRequest } from '../io/download/download-request.ts';
import type { TransferLimits } from '../io/download/transfer-timeouts.ts';
import type { Feed } from './feed.ts';
import type { Candidate, Failure, FeedCache, FeedSource } from './feed-cache.ts';
import { fillDate, findLink, MAX_PAGE_BYTES } from './feed-url.ts';

export type FetchFeedOptions = {
  readonly now: Date;
  readonly sleep: (ms: number) => Promise<void>;
  readonly contact?: string;
  /** Send a request even if the copy is fresh. */
  readonly isForced?: boolean;
  readonly timeouts?: TransferLimits;
  readonly network?: Network;
};

export type FetchFeedResult =
  /** The caller reads the file, and then accepts or refuses `candidate` in the cache. */
  | { readonly kind: 'candidate'; readonly path: string; readonly candidate: Candidate }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'fresh' }
  | { readonly kind: 'failed'; readonly reason: string };

/** For feeds without a `max_bytes` of their own. Applies to the body as received and decompressed. */
const MAX_BYTES = 256_000_000;
const TIMEOUTS = { idleTimeoutMs: 30_000, totalTimeoutMs: 1_800_000 };

export async function fetchFeed(feed: Feed, cache: FeedCache, options: FetchFeedOptions): Promise<FetchFeedResult> {
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
  const page = await download({ ...request, limits: { ...request.limits, maxBytes: MAX_PAGE_BYTES } });
  if (page.kind === 'failed') return { ...page, reason: `the page with the link: ${page.reason}` };
  const pageUrl = page.kind === 'fetched' ? page.url : url;
  const link = findLink(readFileSync(target, 'utf8'), pageUrl, feed.link);
  rmSync(target, { force: true });
  return link.kind === 'found'
    ? { kind: 'located', url: link.url }
    : { kind: 'failed', reason: link.reason, isAnswered: true };
}

function requestFor(feed: Feed, url: string, target: string, options: FetchFeedOptions): DownloadRequest {
  const { now, sleep, contact, network, timeouts = TIMEOUTS } = options;
  const limits = { maxBytes: feed.max_bytes ?? MAX_BYTES, ...timeouts };
  return {
    url,
    target,
    limits,
    now,
    sleep,
    ...(contact === undefined ? {} : { contact }),
    ...(network === undefined ? {} : { network }),
  };
}

/** Used only if the copy that they belong to still exists and came from the same URL. */
function validatorsFor(cache: FeedCache, id: string, url: string): Pick<DownloadRequest, 'etag' | 'lastModified'> {
  const state = cache.state(id);
  if (state?.resolved_url !== url || cache.contentPath(id) === undefined) return {};
  return {
    ...(state.etag === undefined ? {} : { etag: state.etag }),
    ...(state.last_modified === undefined ? {} : { lastModified: state.last_modified }),
  };
}
