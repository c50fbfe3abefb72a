/**
 * Feeds in, readings out. Each feed is fetched, read and judged by itself: one that fails, shrinks, is empty or has lost its format is refused and
 * named, the copy that was good last time is read instead, and the others go on.
 */
import type { Refusal, Source } from '../record.ts';
import type { Feed } from './feed.ts';
import type { FeedCache, FeedState } from './feed-cache.ts';
import { type FetchFeedOptions, type FetchFeedResult, fetchFeed } from './fetch-feed.ts';
import { FORMATS } from './formats.ts';
import type { Parsed } from './parsed.ts';
import { type Content, fileContent } from './sources/content.ts';

/** A feed that was understood, with the source that answers will name. */
export type Reading = { readonly feed: Feed; readonly source: Source; readonly parsed: Parsed };

export type Intake = { readonly readings: readonly Reading[]; readonly refused: readonly Refusal[] };

/** Told of every feed when it is done: what came of it, in words. */
export type IntakeProgress = (feed: Feed, outcome: string, share: number) => void;

/** A feed that loses more than this since its last good copy has more likely been cut off than cleaned up. */
const MAX_SHRINK = 0.3;
/** More rows than this that cannot be read mean another format. */
const MAX_SKIPPED = 0.1;
const HOUR_MS = 3_600_000;
const FETCHES_AT_ONCE = 6;

export type IntakeOptions = Omit<FetchFeedOptions, 'now'> & {
  readonly now: () => Date;
  /** Feeds that somebody has looked at: they are fetched, and may have shrunk. */
  readonly accepted?: ReadonlySet<string>;
};

export async function takeIn(
  feeds: readonly Feed[],
  cache: FeedCache,
  options: IntakeOptions,
  progress: IntakeProgress = () => {},
): Promise<Intake> {
  const readings: Reading[] = [];
  const refused: Refusal[] = [];
  const fetches = fetchAll(feeds, cache, options);
  let done = 0;
  for (const feed of feeds) {
    const { reading, problem, outcome } = takeFeed(feed, cache, await (fetches.get(feed.id) as Fetch), options);
    if (reading !== undefined) readings.push(reading);
    if (problem !== undefined)
      refused.push({ id: feed.id, reason: problem, ...(reading === undefined ? {} : { used: reading.source.as_of }) });
    progress(feed, outcome, ++done / feeds.length);
  }
  return { readings, refused };
}

type Fetch = Promise<FetchFeedResult>;

/** Several feeds at once, so that a slow server does not hold up the others; they are read one after the other. */
function fetchAll(feeds: readonly Feed[], cache: FeedCache, options: IntakeOptions): Map<string, Fetch> {
  const fetches = new Map<string, Fetch>();
  feeds.forEach((feed, i) => {
    const before = fetches.get(feeds[i - FETCHES_AT_ONCE]?.id ?? '') ?? Promise.resolve();
    const isForced = options.isForced === true || options.accepted?.has(feed.id) === true;
    const fetch = before.then(() =>
      feed.needs_contact === true && options.contact === undefined
        ? NO_CONTACT
        : fetchFeed(feed, cache, { ...options, isForced, now: options.now() }),
    );
    // Whoever awaits it hears of its failure; until then it must not count as unheard.
    fetch.catch(() => {});
    fetches.set(feed.id, fetch);
  });
  return fetches;
}

const NO_CONTACT = {
  kind: 'failed',
  reason: 'its operator wants to know whom to write to: set WHENCE_CONTACT to an address or a URL',
} as const;

type Taken = { reading: Reading | undefined; problem: string | undefined; outcome: string };

function takeFeed(feed: Feed, cache: FeedCache, fetched: FetchFeedResult, options: IntakeOptions): Taken {
  const now = options.now();
  let problem = fetched.kind === 'failed' ? fetched.reason : undefined;
  if (fetched.kind === 'candidate') {
    const last = options.accepted?.has(feed.id) === true ? undefined : cache.state(feed.id);
    const result = readContent(feed, fileContent(fetched.path), last);
    if (result.kind === 'read') {
      const { parsed } = result;
      const as_of = parsed.asOf ?? day(new Date(fetched.candidate.last_modified ?? now));
      cache.accept(feed.id, { ...fetched.candidate, records: parsed.records, as_of }, now);
      return { reading: readingOf(feed, parsed, as_of), problem: undefined, outcome: counted(parsed.records) };
    }
    problem = result.reason;
    cache.refuse(feed.id, problem, now);
  }
  const last = cache.state(feed.id);
  const path = cache.contentPath(feed.id);
  const because = problem ?? last?.error;
  if (last === undefined || path === undefined)
    return { reading: undefined, problem: because ?? 'there is no copy of it yet', outcome: `refused: ${because}` };
  const ageHours = (now.getTime() - Date.parse(last.checked_at ?? '')) / HOUR_MS;
  if (feed.expire_hours !== undefined && ageHours > feed.expire_hours) {
    const expired = `the last good copy is ${Math.floor(ageHours)} hours old and holds for ${feed.expire_hours}`;
    const reason = because === undefined ? expired : `${because}; ${expired}`;
    return { reading: undefined, problem: reason, outcome: `refused: ${reason}` };
  }
  // The last good copy was judged when it came; only its reading can fail now, after an upgrade that reads it otherwise.
  const result = readContent(feed, fileContent(path), undefined);
  if (result.kind === 'refused')
    return { reading: undefined, problem: result.reason, outcome: `refused: ${result.reason}` };
  const as_of = last.as_of ?? day(new Date(last.content_at ?? now));
  const outcome =
    because === undefined
      ? `${counted(result.parsed.records)}, ${fetched.kind === 'unchanged' ? 'unchanged' : 'still fresh'}`
      : `refused: ${because}; using the copy of ${as_of}`;
  return { reading: readingOf(feed, result.parsed, as_of), problem: because, outcome };
}

type ReadResult = { kind: 'read'; parsed: Parsed } | { kind: 'refused'; reason: string };

/** Reads a copy and judges it beside the one before. */
function readContent(feed: Feed, content: Content, last: FeedState | undefined): ReadResult {
  const refuse = (reason: string): ReadResult => ({ kind: 'refused', reason });
  const format = FORMATS[feed.format];
  if (format === undefined) return refuse(`there is no format ${feed.format}`);
  const { parse, isHtml } = format;
  const start = beginning(content);
  if (start === '') return feed.min_records === 0 ? read() : refuse('it is empty');
  if (isHtml !== true && start.startsWith('<')) return refuse('it is an HTML page instead of data');
  return read();

  function read(): ReadResult {
    let parsed: Parsed;
    try {
      parsed = parse(content);
    } catch (error) {
      return refuse(`it has lost its format: ${(error as Error).message}`);
    }
    const { records, skipped } = parsed;
    if (skipped > (records + skipped) * MAX_SKIPPED)
      return refuse(
        `it has lost its format: ${counted(skipped, 'row')} of ${counted(records + skipped, 'row')} cannot be read`,
      );
    if (records < feed.min_records)
      return refuse(
        `it has ${counted(records)}, fewer than the ${feed.min_records.toLocaleString('en-US')} that it should have`,
      );
    if (last?.records !== undefined && records < last.records * (1 - MAX_SHRINK))
      return refuse(`it shrank from ${counted(last.records)} to ${counted(records)}, more than ${MAX_SHRINK * 100} %`);
    return { kind: 'read', parsed };
  }
}

function readingOf(feed: Feed, parsed: Parsed, as_of: string): Reading {
  const { id, licence, credit } = feed;
  return { feed, parsed, source: { id, as_of, licence, credit, records: parsed.records } };
}

/** The first characters that are not blank. */
function beginning(content: Content): string {
  for (const piece of content.pieces()) {
    const text = piece
      .toString('latin1', 0, 4096)
      .replace(/^\xef\xbb\xbf/, '')
      .trimStart();
    if (text !== '') return text.slice(0, 64);
  }
  return '';
}

function counted(count: number, what = 'record'): string {
  return `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`;
}

/** A server may send anything for a date; then it is nobody's. */
function day(date: Date): string {
  return Number.isNaN(date.getTime()) ? 'unknown' : date.toISOString().slice(0, 10);
}
