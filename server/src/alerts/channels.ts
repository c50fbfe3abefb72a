/**
 * Channels as administrators manage them. Every change is in the audit log, without what is secret.
 */
import { normalizeDomain } from '@whence/email/domain-name';
import { makeAccountId } from '../accounts/account.ts';
import { hashToken, isToken, makeToken } from '../accounts/token.ts';
import type { Actor, AuditLog } from '../audit/audit-log.ts';
import { DAY_MS } from '../day.ts';
import { present } from '../present.ts';
import type { AlertStore, StoredChannel, StoredDelivery } from '../storage/stores/alert-store.ts';
import {
  type AuditAction,
  type ChannelFormat,
  CONFIRMATION_PAGE,
  type DeliveryKind,
  type DeliveryState,
  rankOf,
  type Severity,
  severityOf,
} from '../vocabulary.ts';
import type { Mailer } from './mailer.ts';
import { nextSummary } from './summary.ts';
import { makeWebhookSecret } from './webhook.ts';

const CONFIRMATION_MS = 7 * DAY_MS;
const MAX_CHANNELS = 100;
const MAX_NAME_CHARACTERS = 100;
const MAX_URL_CHARACTERS = 2_000;
const MAX_ADDRESS_CHARACTERS = 254;

export type NewChannel = {
  readonly name: string;
  readonly format: ChannelFormat;
  /** URL of a webhook, or an email address. */
  readonly target: string;
  readonly minSeverity: Severity;
  readonly tags: readonly string[];
  /** The account that it belongs to. */
  readonly accountId: string;
};

/** What is wrong with a channel; `path` is the field. */
export class InvalidChannel extends Error {
  override name = 'InvalidChannel';
  readonly path: string;

  constructor(path: string, rule: string) {
    super(rule);
    this.path = path;
  }
}

type ChannelSources = {
  readonly store: AlertStore;
  readonly audit: AuditLog;
  readonly mailer: Mailer | undefined;
  readonly publicUrl: string | undefined;
  /** Whether http: may be used at all. */
  readonly hasAllowedNetworks: boolean;
};

export class Channels {
  readonly #sources: ChannelSources;

  constructor(sources: ChannelSources) {
    this.#sources = sources;
  }

  /** Why there can be no channels by email; undefined if there can. */
  get mailProblem(): string | undefined {
    const { mailer, publicUrl } = this.#sources;
    if (mailer === undefined) return 'set WHENCE_SMTP_URL to send email';
    return publicUrl === undefined
      ? 'set WHENCE_PUBLIC_URL: a recipient confirms by a link'
      : undefined;
  }

  list(): Promise<StoredChannel[]> {
    return this.#sources.store.list();
  }

  find(id: string): Promise<StoredChannel | undefined> {
    return this.#sources.store.find(id);
  }

  lastDeliveries(id: string): Promise<StoredDelivery[]> {
    return this.#sources.store.lastDeliveries(id, 20);
  }

  /** A recipient of email confirms first. */
  async create(given: NewChannel, actor: Actor, now: Date): Promise<StoredChannel> {
    const { store } = this.#sources;
    const { format, accountId } = given;
    const isEmail = format === 'email';
    if ((await store.list()).length >= MAX_CHANNELS)
      throw new InvalidChannel('/name', `at most ${MAX_CHANNELS} channels: delete one`);
    const channel = {
      id: makeAccountId(),
      accountId,
      name: parseName(given.name),
      format,
      target: isEmail ? this.#parseAddress(given.target) : this.#parseUrl(given.target),
      ...present({ secret: format === 'standard' ? makeWebhookSecret() : undefined }),
      minSeverity: rankOf(given.minSeverity),
      tags: parseTags(given.tags),
      createdAt: now,
      ...present({ confirmedAt: isEmail ? undefined : now }),
      summaryAt: nextSummary(now.getTime()),
    };
    await store.insert(channel);
    await this.#record(actor, 'channel.created', channel, now);
    const stored = { ...channel, lastChange: 0 };
    try {
      if (isEmail) await this.sendConfirmation(stored, now);
    } catch (error) {
      // Whoever corrects the address would have both.
      await this.remove(stored, actor, now);
      throw error;
    }
    return stored;
  }

  async change(
    channel: StoredChannel,
    changed: Partial<Pick<NewChannel, 'name' | 'minSeverity' | 'tags'>>,
    actor: Actor,
    now: Date,
  ): Promise<StoredChannel> {
    const { name, minSeverity, tags } = changed;
    const after = {
      ...channel,
      ...present({
        name: name === undefined ? undefined : parseName(name),
        minSeverity: minSeverity === undefined ? undefined : rankOf(minSeverity),
        tags: tags === undefined ? undefined : parseTags(tags),
      }),
    };
    await this.#sources.store.change(after);
    await this.#record(actor, 'channel.changed', after, now);
    return after;
  }

  async remove(channel: StoredChannel, actor: Actor, now: Date): Promise<void> {
    await this.#sources.store.remove(channel.id);
    await this.#record(actor, 'channel.deleted', channel, now);
  }

  /** The link of an earlier message no longer works. */
  async sendConfirmation({ id, name, target }: StoredChannel, now: Date): Promise<void> {
    const { store, mailer, publicUrl } = this.#sources;
    if (mailer === undefined || publicUrl === undefined)
      throw new InvalidChannel('/format', this.mailProblem ?? '');
    const token = makeToken();
    await store.setToken(id, hashToken(token), new Date(now.getTime() + CONFIRMATION_MS));
    const { isDelivered, result } = await mailer.send(target, `confirm_${hashToken(token)}`, {
      type: 'test',
      title: 'Confirm that you want these alerts',
      text: `An administrator of Whence at ${publicUrl} wants to send alerts of watched domains to this address, as “${name}”. To receive them, open the link within seven days. To receive nothing, do nothing.`,
      url: `${publicUrl}${CONFIRMATION_PAGE}#${token}`,
      data: {},
    });
    if (!isDelivered)
      throw new InvalidChannel('/target', `the message with the link was not accepted: ${result}`);
  }

  /** False for a token that is unknown, used or expired. */
  async confirm(token: string, address: string, now: Date): Promise<boolean> {
    if (!isToken(token)) return false;
    const { store } = this.#sources;
    const channel = await store.confirm(hashToken(token), now, nextSummary(now.getTime()));
    if (channel === undefined) return false;
    const actor = { name: channel.target, address };
    await this.#record(actor, 'channel.confirmed', channel, now);
    return true;
  }

  async #record(
    actor: Actor,
    action: AuditAction,
    channel: Parameters<typeof detailsOf>[0] & { readonly id: string; readonly name: string },
    now: Date,
  ): Promise<void> {
    const { id, name } = channel;
    const target = { kind: 'channel', id, name } as const;
    await this.#sources.audit.record(actor, action, target, now, detailsOf(channel));
  }

  #parseUrl(text: string): string {
    const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
    const protocols = this.#sources.hasAllowedNetworks ? ['https:', 'http:'] : ['https:'];
    if (
      url === undefined ||
      !protocols.includes(url.protocol) ||
      url.href.length > MAX_URL_CHARACTERS
    )
      throw new InvalidChannel(
        '/target',
        'an https: URL; http: is for the networks in WHENCE_ALERT_NETWORKS',
      );
    return url.href;
  }

  #parseAddress(text: string): string {
    if (this.mailProblem !== undefined) throw new InvalidChannel('/format', this.mailProblem);
    const [, local, host = ''] = /^([^\s@<>()[\]\\,;:"]{1,64})@([^\s@]+)$/.exec(text.trim()) ?? [];
    const domain = normalizeDomain(host);
    if (local === undefined || domain === undefined || text.length > MAX_ADDRESS_CHARACTERS)
      throw new InvalidChannel('/target', 'an email address such as alerts@example.com');
    return `${local}@${domain}`;
  }
}

/** As the dashboard shows it. */
export function describeChannel(channel: StoredChannel) {
  const { id, accountId, name, format, minSeverity, tags, createdAt } = channel;
  const { confirmedAt, failingSinceAt } = channel;
  return {
    id,
    account_id: accountId,
    name,
    // Written by Channels, which knows no others.
    format: format as ChannelFormat,
    target: maskedTarget(channel),
    min_severity: severityOf(minSeverity),
    tags: tags === '' ? [] : tags.split(' '),
    created_at: createdAt.toISOString(),
    is_confirmed: confirmedAt !== undefined,
    ...(failingSinceAt && { failing_since: failingSinceAt.toISOString() }),
  };
}

export function describeDelivery(delivery: StoredDelivery) {
  const { id, kind, state, attempts, createdAt, dueAt, triedAt, result, eventId } = delivery;
  return {
    id,
    kind: kind as DeliveryKind,
    state: state as DeliveryState,
    attempts,
    created_at: createdAt.toISOString(),
    ...(triedAt && { tried_at: triedAt.toISOString() }),
    ...(state === 'waiting' && { due_at: dueAt.toISOString() }),
    ...present({ result, event_id: eventId }),
  };
}

/** Anyone with the URL of a webhook may post to it. */
function maskedTarget({ format, target }: Pick<StoredChannel, 'format' | 'target'>): string {
  return format === 'email' ? target : `${new URL(target).origin}/…`;
}

function detailsOf({
  format,
  target,
  minSeverity,
  tags,
}: Pick<StoredChannel, 'format' | 'target' | 'minSeverity' | 'tags'>): Record<string, string> {
  return {
    format,
    target: maskedTarget({ format, target }),
    min_severity: severityOf(minSeverity),
    ...(tags !== '' && { tags }),
  };
}

function parseName(text: string): string {
  const name = text.normalize('NFC').trim();
  if (name === '' || name.length > MAX_NAME_CHARACTERS || /[\p{Cc}\p{Cf}]/u.test(name))
    throw new InvalidChannel(
      '/name',
      `1 to ${MAX_NAME_CHARACTERS} characters, none of them a control character`,
    );
  return name;
}

function parseTags(tags: readonly string[]): string {
  // Those of domains are in lower case.
  const trimmed = tags.map((tag) => tag.trim().toLowerCase());
  const [wrong] = trimmed.filter((tag) => tag === '' || /\s/.test(tag));
  if (wrong !== undefined)
    throw new InvalidChannel('/tags', `${JSON.stringify(wrong)}: a tag is one word`);
  return [...new Set(trimmed)].join(' ');
}
