/** One feed from its URL to a candidate in the cache: find the file, download it, decompress it. */
import { readFileSync, rmSync } from 'node:fs';
import type { Network } from '../download/connection.ts';
import { decompressFile } from '../download/decompress.ts';
import { download } from '../download/download.ts';
import type { DownloadFailed, DownloadRequest } from '../download/download-request.ts';
import { StreamError } from '../download/stream-error.ts';
import type { TransferLimits } from '../download/transfer-timeouts.ts';
import type { Feed } from './feed.ts';
import type { Candidate, Failure, FeedCache, FeedSource } from './feed-cache.ts';
import { fillDate, findLink, MAX_PAGE_BYTES } from './feed-url.ts';

export type FetchFeedOptions = {
  readonly now: Date;
  readonly sleep: (ms: number) => Promise<void>;
  readonly contact?: string;
  /** Ask even if the copy is fresh. */
  readonly isForced?: boolean;
  readonly timeouts?: TransferLimits;
  readonly network?: Network;
};

export type FetchFeedResult =
  /** To be read, and then accepted or refused. `candidate` is what the cache needs to accept it. */
  | { readonly kind: 'candidate'; readonly path: string; readonly candidate: Candidate }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'fresh' }
  | { readonly kind: 'failed'; readonly reason: string };

/** For feeds without a `max_bytes` of their own; for the body as it comes and decompressed. */
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

/** The URL of today's file: that of the catalogue, or what the page there links to. */
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

/** Only where the copy that they belong to is still there, and came from the same URL. */
function validatorsFor(cache: FeedCache, id: string, url: string): Pick<DownloadRequest, 'etag' | 'lastModified'> {
  const state = cache.state(id);
  if (state?.resolved_url !== url || cache.contentPath(id) === undefined) return {};
  return {
    ...(state.etag === undefined ? {} : { etag: state.etag }),
    ...(state.last_modified === undefined ? {} : { lastModified: state.last_modified }),
  };
}
