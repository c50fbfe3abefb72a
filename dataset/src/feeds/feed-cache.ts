// The last good copy of every feed, and its state.
//
//   feeds/<id>/state.json          FeedState; names the content by its digest
//   feeds/<id>/content-<sha256>    the copy, uncompressed
//   feeds/<id>/candidate           fetched and not yet accepted
//   feeds/<id>/download…           a download, complete or not
//
// A new copy is stored under a name of its own before the state refers to it, and the old copy is
// removed after that: at any moment, also after the process was killed, the state and its content
// belong together. One process at a time uses the cache; the caller holds the lock.

import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS, HOUR_MS } from '../day.ts';
import type { Unreachable } from '../io/download/download-request.ts';
import { makeFolder, renameSynced, writeAtomically } from '../io/files.ts';
import type { Feed } from './feed.ts';

/** Times are ISO 8601. The fields of the copy are absent until there is one. */
type FeedState = {
  /** The URL in the catalogue at the last attempt. */
  readonly url: string;
  readonly attempted_at: string;
  /** The last attempt that reached the server. */
  readonly fetched_at?: string;
  readonly failures: number;
  readonly error?: string;
  /** Whether it failed before a server answered, and why. */
  readonly unreachable?: Unreachable;
  /** From Retry-After: no request before this time. */
  readonly not_before?: string;
} & Partial<FeedCopy>;

type FeedCopy = FeedSource & {
  readonly bytes: number;
  readonly sha256: string;
  readonly records: number;
  /** The date that the feed states. */
  readonly as_of?: string;
  readonly content_at: string;
  /** When the server last confirmed that it has nothing newer. */
  readonly checked_at: string;
};

/** Where a copy came from. The validators are valid only for this URL. */
export type FeedSource = {
  readonly resolved_url: string;
  readonly etag?: string;
  readonly last_modified?: string;
};

export type Candidate = FeedSource & { readonly bytes: number; readonly sha256: string };

export type Failure = {
  readonly reason: string;
  readonly isAnswered: boolean;
  readonly retryAfterSeconds?: number;
  readonly unreachable?: Unreachable;
};

type FeedLocation = Pick<Feed, 'id' | 'url'>;

const SHORTEST_WAIT_MS = 600_000;
/** A longer Retry-After is treated as a mistake of the server. */
const LONGEST_PAUSE_MS = 7 * DAY_MS;

export class FeedCache {
  readonly #folder: string;

  constructor(dataDir: string) {
    this.#folder = join(dataDir, 'feeds');
  }

  /**
   * Undefined if there is none. A state that cannot be read is ignored, so the feed is fetched
   * again.
   */
  state(id: string): FeedState | undefined {
    try {
      const state: unknown = JSON.parse(readFileSync(this.#path(id, 'state.json'), 'utf8'));
      return isState(state) ? state : undefined;
    } catch (error) {
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT')
        return undefined;
      throw error;
    }
  }

  /** The path of the last good copy, or undefined if there is none or it was truncated. */
  contentPath(id: string): string | undefined {
    const { sha256, bytes } = this.state(id) ?? {};
    if (sha256 === undefined) return undefined;
    const path = this.#path(id, `${CONTENT}${sha256}`);
    return statSync(path, { throwIfNoEntry: false })?.size === bytes ? path : undefined;
  }

  candidatePath(id: string): string {
    return this.#path(id, 'candidate');
  }

  downloadPath(id: string): string {
    return this.#path(id, 'download');
  }

  /** True if it is too early for the next request. */
  isFresh(feed: Pick<Feed, 'id' | 'url' | 'refresh_hours'>, now: Date): boolean {
    const state = this.state(feed.id);
    if (state === undefined || state.url !== feed.url) return false;
    const attempted = Date.parse(state.attempted_at);
    // The clock was wrong then or is wrong now; an additional request does little harm.
    if (attempted > now.getTime()) return false;
    if (state.not_before !== undefined && now.getTime() < Date.parse(state.not_before)) return true;
    // A copy that was removed is fetched again immediately, unless that has just failed.
    if (state.failures === 0 && this.contentPath(feed.id) === undefined) return false;
    return now.getTime() - attempted < waitMs(feed.refresh_hours * HOUR_MS, state.failures);
  }

  prepare(id: string): void {
    makeFolder(this.#path(id, ''));
    this.#sweep(id);
  }

  /**
   * Records a candidate. Until it is accepted the attempt counts as failed: reading it may crash
   * the process.
   */
  offer(feed: FeedLocation, now: Date): void {
    this.fail(
      feed,
      { reason: 'the last update was interrupted before it had read the feed', isAnswered: true },
      now,
    );
  }

  accept(id: string, candidate: Candidate & Pick<FeedCopy, 'records' | 'as_of'>, now: Date): void {
    const { url, fetched_at } = this.#known(id);
    if (!DIGEST.test(candidate.sha256))
      throw new Error(`not a SHA-256 digest: ${candidate.sha256}`);
    renameSynced(this.candidatePath(id), this.#path(id, `${CONTENT}${candidate.sha256}`));
    const at = now.toISOString();
    this.#write(id, {
      url,
      attempted_at: at,
      fetched_at: fetched_at ?? at,
      failures: 0,
      ...candidate,
      content_at: at,
      checked_at: at,
    });
    this.#sweep(id);
  }

  refuse(id: string, reason: string, now: Date): void {
    const state = this.#known(id);
    // `offer` has already counted this attempt.
    this.#write(id, {
      ...state,
      attempted_at: now.toISOString(),
      failures: Math.max(1, state.failures),
      error: reason,
    });
    rmSync(this.candidatePath(id), { force: true });
  }

  /**
   * Its result was not published: the next copy is not compared with its size, which a corrected
   * copy would fail.
   */
  distrust(id: string): void {
    const { records, ...state } = this.state(id) ?? {};
    if (records !== undefined) this.#write(id, state as FeedState);
  }

  /** The server has nothing newer than the copy, or has sent the same content from `source`. */
  confirm({ id, url }: FeedLocation, now: Date, source?: FeedSource): void {
    const copy = copyOf(this.#known(id));
    const at = now.toISOString();
    this.#write(id, {
      url,
      attempted_at: at,
      fetched_at: at,
      failures: 0,
      ...(source === undefined ? copy : { ...unsourced(copy), ...source }),
      checked_at: at,
    });
    rmSync(this.candidatePath(id), { force: true });
  }

  fail(
    { id, url }: FeedLocation,
    { reason, isAnswered, retryAfterSeconds, unreachable }: Failure,
    now: Date,
  ): void {
    const state = this.state(id);
    const at = now.toISOString();
    const fetchedAt = isAnswered ? at : state?.fetched_at;
    const pauseMs = Math.min((retryAfterSeconds ?? 0) * 1000, LONGEST_PAUSE_MS);
    this.#write(id, {
      url,
      attempted_at: at,
      ...(fetchedAt === undefined ? {} : { fetched_at: fetchedAt }),
      failures: (state?.failures ?? 0) + 1,
      error: reason,
      ...(unreachable && { unreachable }),
      ...(pauseMs === 0 ? {} : { not_before: new Date(now.getTime() + pauseMs).toISOString() }),
      ...(state === undefined ? {} : copyOf(state)),
    });
  }

  /**
   * Removes all but the state, the copy that it names, and parts of downloads that can be
   * continued.
   */
  #sweep(id: string): void {
    const content = `${CONTENT}${this.state(id)?.sha256}`;
    for (const name of readdirSync(this.#path(id, '')))
      if (name !== 'state.json' && name !== content && !PART.test(name))
        rmSync(this.#path(id, name), { force: true });
  }

  #known(id: string): FeedState {
    const state = this.state(id);
    if (state === undefined) throw new Error(`nothing was fetched for the feed ${id}`);
    return state;
  }

  #write(id: string, state: FeedState): void {
    writeAtomically(
      this.#path(id, 'state.json'),
      Buffer.from(`${JSON.stringify(state, null, 2)}\n`),
    );
  }

  #path(id: string, name: string): string {
    if (!FEED_ID.test(id)) throw new Error(`not the id of a feed: ${JSON.stringify(id)}`);
    return join(this.#folder, id, name);
  }
}

/** Ids are folder names; the lock and the report of the last update are in the same folder. */
export const FEED_ID = /^(?!lock$|last-update\.json)[a-z0-9][a-z0-9.-]{0,63}$/;
const CONTENT = 'content-';
const PART = /^download.*\.part(\.json)?$/;
const DIGEST = /^[0-9a-f]{64}$/;

/**
 * After a success the interval; after failures a quarter, half and then all of it, but at least ten
 * minutes.
 */
function waitMs(intervalMs: number, failures: number): number {
  if (failures === 0) return intervalMs;
  return Math.max(SHORTEST_WAIT_MS, Math.min(intervalMs, (intervalMs / 4) * 2 ** (failures - 1)));
}

function copyOf({
  url,
  attempted_at,
  fetched_at,
  failures,
  error,
  not_before,
  ...copy
}: FeedState): Partial<FeedCopy> {
  return copy;
}

function unsourced({
  resolved_url,
  etag,
  last_modified,
  ...content
}: Partial<FeedCopy>): Partial<FeedCopy> {
  return content;
}

function isState(value: unknown): value is FeedState {
  if (typeof value !== 'object' || value === null) return false;
  const { url, attempted_at, failures, sha256, bytes, resolved_url } = value as Record<
    string,
    unknown
  >;
  if (
    typeof url !== 'string' ||
    Number.isNaN(Date.parse(String(attempted_at))) ||
    !Number.isInteger(failures)
  )
    return false;
  return (
    sha256 === undefined ||
    (DIGEST.test(String(sha256)) && Number.isInteger(bytes) && typeof resolved_url === 'string')
  );
}
