/**
 * The list of watched domains and its events as people and keys see and change it: those of other
 * domains do not exist for a reader that is limited to some.
 */
import { normalizeDomain } from '@whence/email/domain-name';
import type { Actor, AuditLog } from '../audit/audit-log.ts';
import { timeOf } from '../day.ts';
import { type AllowedDomains, isAllowedDomain } from '../domains/allowed-domains.ts';
import { ApiError } from '../http/errors.ts';
import type { QueryOf } from '../http/json-schema.ts';
import { parseLimit } from '../http/requests.ts';
import { present } from '../present.ts';
import type { WatchEvent } from '../storage/stores/watch-event-store.ts';
import type { WatchStore } from '../storage/stores/watch-store.ts';
import {
  type ListedDomain,
  MAX_WATCHED_DOMAINS,
  TooManyDomains,
} from '../storage/stores/watched-domain-store.ts';
import { SEVERITIES } from '../vocabulary.ts';
import { acceptEvent, readState } from './domain-state.ts';
import {
  type AddedDomains,
  type DomainPage,
  type EventPage,
  type eventsQuery,
  type listQuery,
  MAX_AT_ONCE,
  type ShownDomain,
  type ShownEvent,
} from './watch-schema.ts';

export type WatchReader = {
  readonly allowedDomains: AllowedDomains;
  /** Verdicts, and events from reports. */
  readonly mayReadReports: boolean;
};
export type WatchWriter = WatchReader & { readonly actor: Actor };

const TAG = /^[a-z0-9][a-z0-9._-]{0,39}$/;
const LIMIT = { fallback: 100, max: MAX_AT_ONCE };
const CURSOR = 'next_cursor of an earlier answer';

export class WatchList {
  readonly #store: WatchStore;
  readonly #audit: AuditLog;

  constructor(store: WatchStore, audit: AuditLog) {
    this.#store = store;
    this.#audit = audit;
  }

  /** Names as people paste them. All or none of those that are domains. */
  async add(
    writer: WatchWriter,
    {
      domains: texts,
      tags = [],
      note,
    }: { domains: readonly string[]; tags?: readonly string[]; note?: string },
    now: Date,
  ): Promise<AddedDomains> {
    const invalid: string[] = [];
    const names = new Set<string>();
    for (const text of texts.map((line) => line.trim()).filter((line) => line !== '')) {
      const domain = normalizeDomain(text);
      if (domain === undefined) invalid.push(text);
      else names.add(domain);
    }
    requireAllowed(writer, [...names]);
    const domains = [...names];
    const row = { tags: parseTags(tags), ...(note && { note }), by: writer.actor.name };
    const added = await this.#store.add(domains, row, now).catch((error: unknown) => {
      if (!(error instanceof TooManyDomains)) throw error;
      throw new ApiError('WATCH_LIST_FULL', { extra: { details: { limit: MAX_WATCHED_DOMAINS } } });
    });
    const isAdded = new Set(added);
    await this.#record(writer, 'domain.watched', added, now);
    return { added, watched: domains.filter((domain) => !isAdded.has(domain)), invalid };
  }

  async list(reader: WatchReader, query: QueryOf<typeof listQuery>): Promise<DomainPage> {
    const limit = parseLimit(query.limit, LIMIT);
    const { domains, total } = await this.#store.list({
      allowed: reader.allowedDomains,
      mayReadReports: reader.mayReadReports,
      sort: query.sort ?? 'domain',
      limit: limit + 1,
      after: query.cursor === undefined ? undefined : parseCursor(query.cursor),
      tag: query.tag,
      grade: query.grade,
      open: query.open,
      q: query.q?.normalize('NFC').toLowerCase(),
    });
    const shown = domains.slice(0, limit);
    const last = shown.at(-1);
    const rank = last?.worst === undefined ? 0 : SEVERITIES.indexOf(last.worst) + 1;
    return {
      domains: shown.map((domain) => showDomain(domain, reader)),
      total,
      ...(domains.length > limit && last && { next_cursor: `${rank}.${last.domain}` }),
    };
  }

  async get(reader: WatchReader, text: string): Promise<ShownDomain> {
    const domain = requireName(reader, text);
    const { domains } = await this.#store.list({
      allowed: [domain],
      mayReadReports: reader.mayReadReports,
      sort: 'domain',
      q: domain,
      limit: 1,
    });
    const [found] = domains;
    if (found?.domain !== domain) throw new ApiError('DOMAIN_NOT_WATCHED');
    return showDomain(found, reader);
  }

  async change(
    writer: WatchWriter,
    text: string,
    { tags, note }: { tags?: readonly string[]; note?: string },
  ): Promise<ShownDomain> {
    const domain = requireName(writer, text);
    await this.#store.change(domain, { tags: tags && parseTags(tags), note });
    return this.get(writer, domain);
  }

  /** Their events end. */
  async remove(
    writer: WatchWriter,
    texts: readonly string[],
    now: Date,
  ): Promise<{ removed: string[] }> {
    const names = requireNames(writer, texts);
    const removed = await this.#store.remove(names, writer.actor.name, now);
    await this.#record(writer, 'domain.unwatched', removed, now);
    return { removed };
  }

  /** They are checked within seconds, if the server is not busy. */
  async checkNow(
    writer: WatchWriter,
    texts: readonly string[],
    now: Date,
  ): Promise<{ checking: string[] }> {
    return { checking: await this.#store.makeDue(requireNames(writer, texts), now) };
  }

  async events(
    reader: WatchReader,
    query: QueryOf<typeof eventsQuery>,
    now: Date,
  ): Promise<EventPage> {
    const limit = parseLimit(query.limit, LIMIT);
    const domain = query.domain === undefined ? undefined : requireName(reader, query.domain);
    const since = query.since === undefined ? undefined : new Date(timeOf(query.since));
    if (since !== undefined && Number.isNaN(since.getTime()))
      throw invalid('since', 'a day or a time, such as 2026-11-15 or 2026-11-15T05:26:11Z');
    const events = await this.#store.events({
      allowed: reader.allowedDomains,
      mayReadReports: reader.mayReadReports,
      domain,
      since,
      state: query.state,
      before: query.cursor === undefined ? undefined : parseEventCursor(query.cursor),
      limit: limit + 1,
    });
    const shown = events.slice(0, limit);
    const last = shown.at(-1);
    return {
      events: shown.map((event) => showEvent(event, now)),
      ...(events.length > limit && last && { next_cursor: last.id }),
    };
  }

  /** Expects from now on what the last check has found. */
  async accept(writer: WatchWriter, id: string, now: Date): Promise<ShownEvent> {
    const event = await this.#store.event(id);
    const isVisible =
      event !== undefined &&
      event.domain !== '' &&
      isAllowedDomain(event.domain, writer.allowedDomains) &&
      (event.source !== 'reports' || writer.mayReadReports);
    if (!isVisible) throw new ApiError('EVENT_NOT_FOUND');
    const watched = await this.#store.find(event.domain);
    const before = watched?.state ?? '{}';
    const after = acceptEvent(readState(before), event);
    if (after === undefined || event.resolvedAt !== undefined)
      throw new ApiError('EVENT_NOT_ACCEPTABLE');
    const state = { before, after: JSON.stringify(after) };
    if (!(await this.#store.accept(event, state, writer.actor.name, now)))
      throw new ApiError('EVENT_NOT_ACCEPTABLE');
    await this.#audit.record(
      writer.actor,
      'domain.event_accepted',
      { kind: 'domain', name: event.domain },
      now,
      { code: event.code, subject: event.subject },
    );
    return showEvent({ ...event, resolvedAt: now, acceptedBy: writer.actor.name }, now);
  }

  /** One entry for a list of domains, however many. */
  async #record(
    { actor }: WatchWriter,
    action: 'domain.watched' | 'domain.unwatched',
    domains: readonly string[],
    now: Date,
  ): Promise<void> {
    const [first] = domains;
    if (first === undefined) return;
    const details = { domains: String(domains.length) };
    await this.#audit.record(actor, action, { kind: 'domain', name: first }, now, details);
  }
}

export function showEvent(event: WatchEvent, now: Date): ShownEvent {
  const { id, domain, code, subject, severity, sentence, act, firstSeenAt, lastSeenAt } = event;
  const endMs = (event.resolvedAt ?? now).getTime();
  return {
    id,
    domain,
    code,
    subject,
    severity,
    sentence,
    act,
    first_seen: firstSeenAt.toISOString(),
    last_seen: lastSeenAt.toISOString(),
    duration_seconds: Math.max(0, Math.round((endMs - firstSeenAt.getTime()) / 1_000)),
    ...present({
      old_text: event.oldText,
      new_text: event.newText,
      reopened_at: event.reopenedAt?.toISOString(),
      resolved_at: event.resolvedAt?.toISOString(),
      accepted_by: event.acceptedBy,
      quiet: event.quiet,
    }),
  };
}

function showDomain(watched: ListedDomain, { mayReadReports }: WatchReader): ShownDomain {
  const { domain, tags, addedAt, addedBy, dueAt, openEvents } = watched;
  return {
    domain,
    tags: tags === '' ? [] : tags.split(' '),
    added_at: addedAt.toISOString(),
    added_by: addedBy,
    open_events: openEvents,
    next_check_at: dueAt.toISOString(),
    ...present({
      note: watched.note,
      score: watched.score,
      // Written by checks.
      grade: watched.grade as ShownDomain['grade'],
      policy: watched.policy || undefined,
      verdict: mayReadReports ? (watched.verdict as ShownDomain['verdict']) : undefined,
      worst: watched.worst,
      checked_at: watched.triedAt?.toISOString(),
      unanswered_since: watched.unansweredSinceAt?.toISOString(),
    }),
  };
}

function requireAllowed({ allowedDomains }: WatchReader, domains: readonly string[]): void {
  if (!domains.every((domain) => isAllowedDomain(domain, allowedDomains)))
    throw new ApiError('FORBIDDEN', { extra: { details: { required: 'access to this domain' } } });
}

function requireName(reader: WatchReader, text: string): string {
  const domain = normalizeDomain(text);
  if (domain === undefined) throw new ApiError('INVALID_DOMAIN');
  requireAllowed(reader, [domain]);
  return domain;
}

function requireNames(reader: WatchReader, texts: readonly string[]): string[] {
  if (texts.length === 0 || texts.length > MAX_AT_ONCE)
    throw invalid('domains', `1 to ${MAX_AT_ONCE} domains`);
  return texts.map((text) => requireName(reader, text));
}

function parseTags(tags: readonly string[]): string {
  const tidy = [...new Set(tags.map((tag) => tag.trim().toLowerCase()))].filter(
    (tag) => tag !== '',
  );
  if (!tidy.every((tag) => TAG.test(tag)))
    throw new ApiError('INVALID_REQUEST', {
      extra: {
        details: { path: '/tags', expected: 'letters, digits, ".", "_" and "-", at most 40' },
      },
    });
  return tidy.join(' ');
}

function parseCursor(text: string): { worst: number; domain: string } {
  const [, worst, domain] = /^([0-3])\.([a-z0-9._-]+)$/.exec(text) ?? [];
  if (worst === undefined || domain === undefined) throw invalid('cursor', CURSOR);
  return { worst: Number(worst), domain };
}

/** The id of an event. */
function parseEventCursor(text: string): string {
  if (!/^[0-9a-f]{24}$/.test(text)) throw invalid('cursor', CURSOR);
  return text;
}

function invalid(parameter: string, ...allowed: string[]): ApiError {
  return new ApiError('INVALID_QUERY', { extra: { details: { parameter, allowed } } });
}
