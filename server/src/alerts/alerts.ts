/**
 * Makes deliveries of the changes of events, and sends what is due. Every process of a deployment
 * does: storage gives each delivery to one of them at a time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, fromStored } from '../accounts/account.ts';
import { HOUR_MS } from '../day.ts';
import type { Logger } from '../log/log.ts';
import type { AccountStore } from '../storage/stores/account-store.ts';
import type { AlertStore, StoredChannel, StoredDelivery } from '../storage/stores/alert-store.ts';
import type { WatchChange, WatchEvent } from '../storage/stores/watch-event-store.ts';
import type { WatchStore } from '../storage/stores/watch-store.ts';
import { MAX_WATCHED_DOMAINS } from '../storage/stores/watched-domain-store.ts';
import { type ChannelFormat, type DeliveryState, rankOf } from '../vocabulary.ts';
import { deliveryId, newDelivery, retryAt } from './deliveries.ts';
import type { Mailer } from './mailer.ts';
import { type AlertMessage, eventMessage } from './message.ts';
import { hasTag, mayRead } from './rights.ts';
import { nextSummary, summaryBegin, summaryMessage, WEEK_MS } from './summary.ts';
import type { Sent, Webhooks } from './webhook.ts';

/** Longer than any attempt takes: a mail server may take seconds for each of its answers. */
const CLAIM_MS = 180_000;
const CHANGES_PER_PAGE = 200;
/** How long an attempt may go on when the process ends. */
const STOP_MS = 5_000;
type AlertsOptions = {
  readonly store: AlertStore;
  readonly watch: Pick<
    WatchStore,
    'lastChange' | 'changesAfter' | 'event' | 'events' | 'find' | 'list'
  >;
  readonly accounts: Pick<AccountStore, 'find'>;
  readonly webhooks: Webhooks;
  /** Undefined without WHENCE_SMTP_URL. */
  readonly mailer: Mailer | undefined;
  readonly publicUrl: string | undefined;
  readonly metrics: { countDelivery(state: StateAfter): void };
  readonly nowMs: () => number;
  readonly log: Logger;
};

export class Alerts {
  readonly #options: AlertsOptions;
  readonly #stop = new AbortController();
  #isStopping = false;
  /** By channel: one message at a time, so that a slow receiver delays only its own. */
  readonly #sending = new Map<string, Promise<void>>();
  /** Channels whose last attempt failed, when this was last read. */
  failingChannels = 0;

  constructor(options: AlertsOptions) {
    this.#options = options;
  }

  get isSending(): boolean {
    return this.#sending.size > 0;
  }

  /** Returns without waiting for receivers. */
  async work(): Promise<void> {
    const { store, watch, nowMs } = this.#options;
    const channels = await store.list();
    this.failingChannels = channels.filter(({ failingSinceAt }) => failingSinceAt).length;
    if (channels.length === 0) return;
    const last = await watch.lastChange();
    for (const channel of channels) {
      if (channel.confirmedAt === undefined) continue;
      if (channel.lastChange < last) await this.#makeAlerts(channel, last);
      const untilSummaryMs = channel.summaryAt.getTime() - nowMs();
      // One that is weeks ahead was planned when the clock was wrong.
      if (untilSummaryMs <= 0 || untilSummaryMs > WEEK_MS) await this.#makeSummary(channel);
    }
    const due = new Set(await store.dueChannels(this.#now()));
    for (const { id } of channels) if (due.has(id) && !this.#sending.has(id)) this.#start(id);
  }

  /** One attempt at once. Throws if the channel is gone. */
  async test(channel: StoredChannel): Promise<StoredDelivery> {
    const { store, nowMs } = this.#options;
    const claimed = new Date(nowMs() + CLAIM_MS);
    const made = newDelivery(channel.id, 'test', `${nowMs()}`, this.#now());
    const delivery = { ...made, attempts: 1, dueAt: claimed };
    await store.insertDelivery(delivery);
    return this.#attempt(channel, delivery, {
      type: 'test',
      title: 'Test',
      text: 'This is a test message of Whence. Alerts of watched domains will arrive here.',
      data: {},
    });
  }

  async close(): Promise<void> {
    this.#isStopping = true;
    const left = Promise.all(this.#sending.values());
    await Promise.race([left, sleep(STOP_MS, undefined, { ref: false })]);
    this.#stop.abort();
  }

  #now(): Date {
    return new Date(this.#options.nowMs());
  }

  async #accountOf({ accountId }: StoredChannel): Promise<Account | undefined> {
    const stored = await this.#options.accounts.find(accountId);
    return stored && fromStored(stored);
  }

  /** `last` is the number of a change before which all are committed. */
  async #makeAlerts(channel: StoredChannel, last: number): Promise<void> {
    const { store, watch } = this.#options;
    const account = await this.#accountOf(channel);
    for (let from = channel.lastChange; from < last; ) {
      const changes = await watch.changesAfter(from, CHANGES_PER_PAGE);
      // Changes of events that were removed are not among them.
      const to = changes.at(-1)?.seq ?? last;
      const made = await this.#alertsOf(channel, account, changes);
      if (!(await store.makeAlerts(channel.id, from, to, made))) return;
      from = to;
    }
  }

  /** Openings that the channel wants, and the ends of those that it has received. */
  async #alertsOf(
    channel: StoredChannel,
    account: Account | undefined,
    changes: readonly WatchChange[],
  ): Promise<StoredDelivery[]> {
    const openings: WatchChange[] = [];
    for (const change of changes) {
      const { kind, event } = change;
      if (kind !== 'opened' || event.quiet !== undefined || !mayRead(account, event.domain))
        continue;
      if (await this.#isWanted(channel, event)) openings.push(change);
    }
    const ends = changes.filter(({ kind }) => kind === 'resolved');
    const openedId = ({ event }: WatchChange) => deliveryId(channel.id, 'opened', event.id);
    const received = await this.#options.store.existing(ends.map(openedId));
    for (const opening of openings) received.add(openedId(opening));
    const now = this.#now();
    return [...openings, ...ends.filter((end) => received.has(openedId(end)))].map(
      ({ kind, event, seq }) => ({
        ...newDelivery(channel.id, kind, event.id, now),
        // By which they are sent, in the order of the changes.
        createdAt: new Date(now.getTime() + seq - channel.lastChange),
      }),
    );
  }

  async #isWanted(channel: StoredChannel, event: WatchEvent): Promise<boolean> {
    if (rankOf(event.severity) < channel.minSeverity) return false;
    if (channel.tags === '' || event.domain === '') return true;
    const watched = await this.#options.watch.find(event.domain);
    return watched !== undefined && hasTag(channel.tags, watched.tags);
  }

  /** One, however many weeks the deployment was stopped. */
  async #makeSummary({ id, summaryAt }: StoredChannel): Promise<void> {
    const { store, nowMs } = this.#options;
    const made = newDelivery(id, 'summary', summaryAt.toISOString(), this.#now());
    await store.makeSummary(id, summaryAt, nextSummary(nowMs()), [made]);
  }

  #start(channelId: string): void {
    const sending = this.#sendDue(channelId)
      .catch((error) => this.#options.log.error({ err: error }, 'alerts could not be delivered'))
      .finally(() => this.#sending.delete(channelId));
    this.#sending.set(channelId, sending);
  }

  /** Until one fails: the others of the channel are tried with the next turn. */
  async #sendDue(channelId: string): Promise<void> {
    const { store, nowMs } = this.#options;
    while (!this.#isStopping) {
      const delivery = await store.nextDue(channelId, this.#now());
      if (delivery === undefined) return;
      const until = new Date(nowMs() + CLAIM_MS);
      if (!(await store.claim(delivery, until))) return;
      const claimed = { ...delivery, dueAt: until, attempts: delivery.attempts + 1 };
      // Read again: rights and filters are those of this moment.
      const channel = await store.find(channelId);
      if (channel === undefined) return;
      const message = await this.#messageOf(channel, claimed);
      if (typeof message === 'string') {
        await store.finish({ ...claimed, state: 'dropped', result: message });
        continue;
      }
      if (message instanceof Date) {
        // It was no attempt, and its day of attempts begins later.
        await store.finish({ ...delivery, createdAt: this.#now(), dueAt: message });
        continue;
      }
      const { state } = await this.#attempt(channel, claimed, message);
      if (state !== 'delivered') return;
    }
  }

  /** Or why it is not sent any more, or when it is due. */
  async #messageOf(
    channel: StoredChannel,
    { kind, eventId, createdAt }: StoredDelivery,
  ): Promise<AlertMessage | string | Date> {
    const { store, watch, publicUrl } = this.#options;
    const account = await this.#accountOf(channel);
    if (account === undefined || account.disabledAt !== undefined) return 'the account is disabled';
    if (kind === 'test') return 'the process that sent it has ended';
    if (eventId === undefined) return this.#summaryOf(channel, account, createdAt);
    const event = await watch.event(eventId);
    if (event === undefined) return 'the event was removed';
    if (!mayRead(account, event.domain)) return 'the account may not read this domain';
    if (kind === 'opened') return eventMessage('event.opened', event, publicUrl);
    // It came back before its end was sent.
    if (event.resolvedAt === undefined) return new Date(this.#options.nowMs() + HOUR_MS);
    const opening = await store.findDelivery(deliveryId(channel.id, 'opened', eventId));
    if (opening?.state === 'waiting') return new Date(opening.dueAt.getTime() + 1);
    return opening?.state === 'delivered'
      ? eventMessage('event.resolved', event, publicUrl)
      : 'its beginning was not delivered';
  }

  async #summaryOf(channel: StoredChannel, account: Account, until: Date): Promise<AlertMessage> {
    const { watch, publicUrl } = this.#options;
    const rights = { allowed: account.allowedDomains, mayReadReports: true };
    const since = summaryBegin(until);
    const limit = MAX_WATCHED_DOMAINS;
    const [listed, open, changed] = await Promise.all([
      watch.list({ ...rights, sort: 'domain', limit }),
      watch.events({ ...rights, state: 'open', limit }),
      watch.events({ ...rights, since, limit }),
    ]);
    const watched = listed.domains.filter(({ tags }) => hasTag(channel.tags, tags));
    const domains = new Set(['', ...watched.map(({ domain }) => domain)]);
    const events = new Map([...open, ...changed].map((event) => [event.id, event]));
    const content = {
      events: [...events.values()].filter(({ domain }) => domains.has(domain)),
      checkedAt: watched.map(({ answeredAt }) => answeredAt),
    };
    return summaryMessage(content, until, publicUrl);
  }

  /** Stores what became of it. Returns the delivery as it is now. */
  async #attempt(
    channel: StoredChannel,
    delivery: StoredDelivery,
    message: AlertMessage,
  ): Promise<StoredDelivery> {
    const { store, metrics } = this.#options;
    const { isDelivered, result } = await this.#send(channel, delivery.id, message);
    const now = this.#now();
    const again = isDelivered || delivery.kind === 'test' ? undefined : retryAt(delivery, now);
    const state = stateAfter(isDelivered, again);
    const after = { ...delivery, state, dueAt: again ?? now, triedAt: now, result };
    metrics.countDelivery(state);
    await store.finish(after);
    await store.setFailingSince(channel.id, isDelivered ? undefined : now);
    return after;
  }

  async #send(
    { format, target, secret }: StoredChannel,
    id: string,
    message: AlertMessage,
  ): Promise<Sent> {
    const { webhooks, mailer } = this.#options;
    const kind = format as ChannelFormat;
    if (kind !== 'email')
      return webhooks.send(
        { format: kind, url: target, secret },
        id,
        message,
        this.#now(),
        this.#stop.signal,
      );
    if (mailer === undefined) return { isDelivered: false, result: 'WHENCE_SMTP_URL is not set' };
    return mailer.send(target, id, message);
  }
}

type StateAfter = Exclude<DeliveryState, 'dropped'>;

function stateAfter(isDelivered: boolean, again: Date | undefined): StateAfter {
  if (isDelivered) return 'delivered';
  return again === undefined ? 'failed' : 'waiting';
}
