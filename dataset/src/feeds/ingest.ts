// Fetches, parses and checks feeds. One that fails, shrinks or has an unexpected format is refused
// and reported, its last good copy is used instead, and the others are not affected.
import { DAY_MS, dayOfMs, HOUR_MS } from '../day.ts';
import { ContentError, fileContent } from '../io/content.ts';
import type { Refusal, Source } from '../record.ts';
import type { Feed } from './feed.ts';
import type { FeedCache } from './feed-cache.ts';
import { type FetchFeedOptions, type FetchFeedResult, fetchFeed } from './fetch-feed.ts';
import { FORMATS } from './formats.ts';
import type { Parsed } from './parsed.ts';
import { plausibleRows } from './plausible-rows.ts';
import { dayOfFileName } from './sources/feed-day.ts';

/** A feed that was parsed, with the source that answers will name. */
export type IngestedFeed = {
  readonly feed: Feed;
  readonly source: Source;
  readonly parsed: Parsed;
};

type IngestResult = {
  readonly ingested: readonly IngestedFeed[];
  readonly refused: readonly Refusal[];
  readonly unreachable: UnreachableFeeds;
  readonly paused: readonly PausedFeed[];
};

/** A refused feed whose server has asked not to be asked again before `until` (Retry-After). */
export type PausedFeed = { readonly id: string; readonly until: string };

/** How many of the refused feeds could not be reached at the last attempt, by reason. */
export type UnreachableFeeds = { readonly dns: number; readonly connection: number };

/**
 * Called after each feed with its outcome as text, the share of feeds that are done, and whether it
 * was used.
 */
type IngestProgress = (feed: Feed, outcome: string, share: number, isUsed: boolean) => void;

/**
 * A feed that loses more than this share of its records was more likely truncated than cleaned up.
 */
const MAX_SHRINK = 0.3;
/**
 * More than this times the last accepted count: the publisher more likely lost a filter than found
 * records.
 */
const MAX_GROWTH = 3;
/**
 * For a feed that the operator has accepted: about the number of records that a dataset can hold.
 */
const MOST_RECORDS = 16_000_000;
/** A larger share of rows that cannot be parsed means a different format. */
const MAX_SKIPPED = 0.1;
const MAX_CONCURRENT_FETCHES = 6;

export type IngestOptions = Omit<FetchFeedOptions, 'now'> & {
  readonly now: () => Date;
  /**
   * Ids of feeds that the operator has checked: they may have shrunk or grown. One whose last copy
   * was refused is fetched again.
   */
  readonly accepted?: ReadonlySet<string>;
  /** Requested by a person: failed feeds are fetched again immediately. */
  readonly isRetrying?: boolean;
};

export async function ingestFeeds(
  feeds: readonly Feed[],
  cache: FeedCache,
  options: IngestOptions,
  progress: IngestProgress = () => {},
): Promise<IngestResult> {
  const ingested: IngestedFeed[] = [];
  const refused: Refusal[] = [];
  const unreachable = { dns: 0, connection: 0 };
  const paused: PausedFeed[] = [];
  const fetches = fetchAll(feeds, cache, options);
  let done = 0;
  for (const feed of feeds) {
    const result = ingestFeed(feed, cache, await (fetches.get(feed.id) as Fetch), options);
    if (result.ingested !== undefined) ingested.push(result.ingested);
    if (result.reason !== undefined) {
      refused.push(refusalOf(feed, result.reason, result.ingested));
      const { unreachable: cause, not_before: until } = cache.state(feed.id) ?? {};
      if (cause !== undefined) unreachable[cause]++;
      if (until !== undefined && isLater(until, options.now())) paused.push({ id: feed.id, until });
    }
    progress(feed, result.outcome, ++done / feeds.length, result.ingested !== undefined);
  }
  return { ingested, refused, unreachable, paused };
}

const isLater = (time: string, now: Date): boolean => Date.parse(time) > now.getTime();

function refusalOf({ id }: Feed, reason: string, ingested: IngestedFeed | undefined): Refusal {
  return { id, reason, ...(ingested === undefined ? {} : { used: ingested.source.as_of }) };
}

type Fetch = Promise<FetchFeedResult>;

/**
 * Several at once, so that a slow server does not delay the others. They are parsed one after the
 * other.
 */
function fetchAll(
  feeds: readonly Feed[],
  cache: FeedCache,
  options: IngestOptions,
): Map<string, Fetch> {
  const fetches = new Map<string, Fetch>();
  feeds.forEach((feed, i) => {
    const previous = fetches.get(feeds[i - MAX_CONCURRENT_FETCHES]?.id ?? '') ?? Promise.resolve();
    const fetch = previous.then(() =>
      feed.needs_contact === true && options.contact === undefined
        ? NO_CONTACT
        : fetchFeed(feed, cache, {
            ...options,
            isForced: isForced(feed, cache, options),
            now: options.now(),
          }),
    );
    // The caller awaits it later and sees the failure then; until then this avoids an unhandled
    // rejection.
    fetch.catch(() => {});
    fetches.set(feed.id, fetch);
  });
  return fetches;
}

function isForced(
  { id }: Feed,
  cache: FeedCache,
  { isForced: isAll, accepted, isRetrying, now }: IngestOptions,
): boolean {
  const { failures = 0, not_before } = cache.state(id) ?? {};
  // Retry-After of its server.
  if (not_before !== undefined && isLater(not_before, now())) return false;
  const isRetried = isRetrying === true || accepted?.has(id) === true;
  return isAll === true || (isRetried && failures > 0);
}

const NO_CONTACT = {
  kind: 'failed',
  reason: 'its operator requires a contact: set WHENCE_CONTACT to an email address or a URL',
} as const;

/**
 * `reason` says why the newest copy was not used. Both are set where the last good copy was used
 * instead.
 */
type FeedResult = {
  ingested: IngestedFeed | undefined;
  reason: string | undefined;
  outcome: string;
};

function ingestFeed(
  feed: Feed,
  cache: FeedCache,
  fetched: FetchFeedResult,
  options: IngestOptions,
): FeedResult {
  const now = options.now();
  if (fetched.kind !== 'candidate')
    return useLastCopy(
      feed,
      cache,
      fetched.kind,
      fetched.kind === 'failed' ? fetched.reason : undefined,
      now,
    );
  const last = cache.state(feed.id)?.records;
  const isAccepted = options.accepted?.has(feed.id) === true;
  const result = isAccepted
    ? parseCopy(feed, fetched.path, { maxRecords: MOST_RECORDS, isAccepted })
    : parseCopy(feed, fetched.path, { maxRecords: maxRecordsOf(feed, last), last });
  if (result.kind === 'refused') {
    cache.refuse(feed.id, result.reason, now);
    return useLastCopy(feed, cache, fetched.kind, result.reason, now);
  }
  const { parsed } = result;
  const { resolved_url, last_modified } = fetched.candidate;
  const as_of =
    dayOf(parsed, resolved_url, now) ?? dayOfTime(last_modified, now) ?? dayOfTime(now, now) ?? '';
  cache.accept(feed.id, { ...fetched.candidate, records: parsed.records, as_of }, now);
  return {
    ingested: ingestedFeed(feed, parsed, as_of),
    reason: undefined,
    outcome: formatOutcome(result),
  };
}

/**
 * If the operator has accepted a copy larger than the catalogue allows, its size is the new
 * reference.
 */
function maxRecordsOf({ max_records }: Feed, last = 0): number {
  return last > max_records ? last * MAX_GROWTH : max_records;
}

/** The feed is not due or is unchanged, or its newest copy was refused. */
function useLastCopy(
  feed: Feed,
  cache: FeedCache,
  fetched: FetchFeedResult['kind'],
  refusedBecause: string | undefined,
  now: Date,
): FeedResult {
  const refuse = (reason: string): FeedResult => ({
    ingested: undefined,
    reason,
    outcome: `refused: ${reason}`,
  });
  const last = cache.state(feed.id);
  const path = cache.contentPath(feed.id);
  const reason = refusedBecause ?? last?.error;
  if (last === undefined || path === undefined)
    return refuse(reason ?? 'there is no copy of it yet');
  const ageHours = (now.getTime() - Date.parse(last.checked_at ?? '')) / HOUR_MS;
  if (feed.expire_hours !== undefined && ageHours > feed.expire_hours) {
    const expired = `the last good copy is ${Math.floor(ageHours)} hours old and expires after ${feed.expire_hours}`;
    return refuse(reason === undefined ? expired : `${reason}; ${expired}`);
  }
  // The copy was checked when it was accepted. Parsing it can still fail after an upgrade that
  // changed the parser.
  const maxRecords = Math.max(feed.max_records, last.records ?? 0);
  const result = parseCopy(feed, path, { maxRecords, isAccepted: true });
  if (result.kind === 'refused') return refuse(result.reason);
  // Its date is read again: the copy may have been accepted by a version that could not read it. A
  // date that had not come when the copy was taken stays a mistake.
  const takenAt = new Date(last.content_at ?? now);
  const as_of =
    dayOf(result.parsed, last.resolved_url, takenAt) ?? last.as_of ?? dayOfTime(takenAt, now) ?? '';
  const outcome =
    reason === undefined
      ? `${formatOutcome(result)}, ${fetched === 'unchanged' ? 'unchanged' : 'still fresh'}`
      : `refused: ${reason}; using the copy of ${as_of}`;
  return { ingested: ingestedFeed(feed, result.parsed, as_of), reason, outcome };
}

type ParsedCopy = { kind: 'parsed'; parsed: Parsed; tooWide: number };
type ParseResult = ParsedCopy | { kind: 'refused'; reason: string };

type ParseOptions = {
  readonly maxRecords: number;
  readonly last?: number | undefined;
  /** The operator has accepted the copy, or it was accepted before. */
  readonly isAccepted?: boolean;
};

function parseCopy(
  feed: Feed,
  path: string,
  { maxRecords, last, isAccepted }: ParseOptions,
): ParseResult {
  const content = fileContent(path, maxRecords);
  const refuse = (reason: string): ParseResult => ({ kind: 'refused', reason });
  const format = FORMATS[feed.format];
  if (format === undefined) return refuse(`there is no format ${feed.format}`);
  const start = firstCharacters(content);
  if (start === '' && feed.min_records > 0) return refuse('it is empty');
  if (format.isHtml !== true && start.startsWith('<'))
    return refuse('it is an HTML page instead of data');
  let parsed: Parsed;
  try {
    parsed = format.parse(content);
  } catch (error) {
    if (error instanceof ContentError) return refuse(error.message);
    return refuse(`unexpected format: ${(error as Error).message}`);
  }
  const { records, skipped } = parsed;
  const rows = records + skipped;
  if (skipped > rows * MAX_SKIPPED)
    return refuse(
      `unexpected format: ${skipped.toLocaleString('en-US')} of ${formatCount(rows, 'row')} cannot be parsed`,
    );
  if (records < feed.min_records)
    return refuse(
      `it has ${formatCount(records, 'record')}, expected at least ${feed.min_records.toLocaleString('en-US')}`,
    );
  if (records > maxRecords)
    return refuse(
      `it has ${formatCount(records, 'record')}, expected at most ${maxRecords.toLocaleString('en-US')}`,
    );
  if (last !== undefined && records < last * (1 - MAX_SHRINK))
    return refuse(
      `it shrank from ${formatCount(last, 'record')} to ${formatCount(records, 'record')}, ` +
        `more than ${MAX_SHRINK * 100}%`,
    );
  if (last !== undefined && last > 0 && records > last * MAX_GROWTH)
    return refuse(
      `it grew from ${formatCount(last, 'record')} to ${formatCount(records, 'record')}, ` +
        `more than ${MAX_GROWTH} times`,
    );
  const plausible = plausibleRows(parsed, feed.drives, isAccepted);
  return plausible.kind === 'refused' ? plausible : { ...plausible, kind: 'parsed' };
}

function formatOutcome({ parsed, tooWide }: ParsedCopy): string {
  const records = formatCount(parsed.records, 'record');
  return tooWide === 0
    ? records
    : `${records}, ${formatCount(tooWide, 'row')} of them dropped as too wide`;
}

function ingestedFeed(feed: Feed, parsed: Parsed, as_of: string): IngestedFeed {
  const { id, licence, credit, max_age_days, broad } = feed;
  const source: Source = { id, as_of, licence, credit, records: parsed.records };
  if (max_age_days !== undefined) source.max_age_days = max_age_days;
  if (broad === true) source.is_broad = true;
  return { feed, parsed, source };
}

/** The first characters that are not white space, without a byte order mark. */
function firstCharacters(content: ReturnType<typeof fileContent>): string {
  for (const chunk of content.chunks()) {
    const text = chunk
      .toString('latin1', 0, 4096)
      .replace(/^\xef\xbb\xbf/, '')
      .trimStart();
    if (text !== '') return text.slice(0, 64);
  }
  return '';
}

function formatCount(count: number, what: string): string {
  return `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`;
}

/**
 * The date that the feed states, in its content or its file name. A date that has not come is a
 * mistake.
 */
function dayOf({ asOf }: Parsed, url: string | undefined, now: Date): string | undefined {
  return [asOf, dayOfFileName(url ?? '')].find((day) => day !== undefined && isPast(day, now));
}

/** A server may send anything as Last-Modified. */
function dayOfTime(time: string | Date | undefined, now: Date): string | undefined {
  const date = new Date(time ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return undefined;
  const day = dayOfMs(date.getTime());
  return isPast(day, now) ? day : undefined;
}

/** Clocks and time zones differ by less than a day. */
const isPast = (day: string, now: Date): boolean => Date.parse(day) <= now.getTime() + DAY_MS;
