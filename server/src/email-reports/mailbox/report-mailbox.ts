/**
 * Fetches reports from the mailbox of WHENCE_REPORTS_IMAP: every ten minutes, and without a pause
 * while there is more to read. Processes claim the mailbox in storage, so that one of a deployment
 * reads it; the claim of a process that was killed expires.
 */
import { randomUUID } from 'node:crypto';
import { HOUR_MS } from '../../day.ts';
import type { Requester } from '../../limits/cost-classes.ts';
import type { Logger } from '../../log/log.ts';
import type {
  MailboxCounts,
  MailboxEnd,
  MailboxPosition,
  MailboxStore,
  StoredMailbox,
} from '../../storage/stores/mailbox-store.ts';
import type { MailImport } from '../report-imports.ts';
import { fetchMessages, NOTHING_READ, positionIn, sumCounts } from './fetch-messages.ts';
import { ImapSession, MAX_MESSAGE_BYTES, type MailNetwork } from './imap-session.ts';
import { type Mailbox, MailboxError, type MailboxSettings, mailboxId } from './mailbox.ts';

const EVERY_MS = 600_000;
const CLAIM_MS = 30_000;
const RENEW_MS = 10_000;
/** After this time a round begins no further import, and the next round follows at once. */
const ROUND_MS = 120_000;
/** The longest round: what is in progress then is given up. */
const MAX_ROUND_MS = 240_000;
/** Where other imports are in the way, and where this machine has failed. */
const BUSY_MS = 10_000;
const REPEAT_MS = 60_000;
/** Since when a failure is shown to those who watch the server. */
const SHOWN_MS = HOUR_MS;

type Imports = {
  importMessages(
    messages: readonly Buffer[],
    maxMessageBytes: number,
    requester: Requester,
  ): Promise<MailImport>;
};

type MailboxParts = {
  readonly settings: MailboxSettings;
  readonly store: MailboxStore;
  readonly imports: Imports;
  /** False while storage does not answer, or other requests need the process. */
  readonly mayRun: () => boolean;
  readonly nowMs: () => number;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly network?: MailNetwork | undefined;
  /** Instead of MAX_ROUND_MS, for tests. */
  readonly maxRoundMs?: number;
};

/** `busy`: another process reads the mailbox, or it is not due. */
export type Round =
  | { readonly kind: 'busy' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly failure: string; readonly counts: MailboxCounts }
  | { readonly kind: 'read'; readonly isAll: boolean; readonly counts: MailboxCounts };

export class ReportMailbox {
  readonly #parts: MailboxParts;
  readonly #id: string;
  readonly #stopped = new AbortController();
  #working: Promise<unknown> = Promise.resolve();
  #known: StoredMailbox | undefined;
  #isFirst = true;

  constructor(parts: MailboxParts) {
    this.#parts = parts;
    this.#id = mailboxId(parts.settings.mailbox);
  }

  /** Whether it could not be read for an hour. */
  get isFailing(): boolean {
    const since = this.#known?.failingSinceAt;
    return since !== undefined && this.#parts.nowMs() - since.getTime() >= SHOWN_MS;
  }

  gauges(): Readonly<Record<string, number>> {
    const { fetchedAt } = this.#known ?? {};
    return {
      whence_report_mailbox_failing: this.isFailing ? 1 : 0,
      ...(fetchedAt && {
        whence_report_mailbox_fetched_timestamp_seconds: Math.floor(fetchedAt.getTime() / 1000),
      }),
    };
  }

  /** The mailbox without its password, and what was read. */
  async state() {
    const { mailbox } = this.#parts.settings;
    return { mailbox, stored: await this.#parts.store.find(this.#id) };
  }

  /** What is due, until all is read. */
  async work(): Promise<void> {
    if (!this.#parts.mayRun()) return;
    this.#known = await this.#parts.store.find(this.#id);
    // After a restart: what was wrong may have been repaired.
    const isForced = this.#isFirst && this.#known?.failure !== undefined;
    this.#isFirst = false;
    let round = await this.round(isForced);
    while (round.kind === 'read' && !round.isAll && this.#parts.mayRun())
      round = await this.round();
    if (round.kind !== 'busy') this.#known = await this.#parts.store.find(this.#id);
  }

  /** Ends a round in progress; another process goes on where it was. */
  async stop(): Promise<void> {
    this.#stopped.abort(new Ended());
    await this.#working;
  }

  /** One round, if no other process is in one. `isForced` also if it is not due. */
  async round(isForced = false): Promise<Round> {
    const { store, nowMs, log, settings } = this.#parts;
    const claim = randomUUID();
    if (this.#stopped.signal.aborted) return { kind: 'ended' };
    const now = new Date(nowMs());
    const claiming = { claimMs: CLAIM_MS, dueMs: EVERY_MS, isForced };
    const stored = await store.claim(this.#id, claim, now, claiming);
    if (stored === undefined) return { kind: 'busy' };
    const working = this.#read(stored, claim);
    this.#working = working.catch(() => {});
    const round = await working.catch(async (error): Promise<never> => {
      // Storage or the import failed, which says nothing about the mailbox.
      const dueAt = new Date(nowMs() + REPEAT_MS);
      await store.release(this.#id, claim, new Date(nowMs()), { kind: 'ended', dueAt });
      throw error;
    });
    await store.release(this.#id, claim, new Date(nowMs()), this.#endOf(round));
    const { host, folder } = settings.mailbox;
    if (round.kind === 'failed')
      log.warn({ host, folder, reason: round.failure }, 'the mailbox of reports was not read');
    else if (round.kind === 'read' && round.counts.messages > 0)
      log.info({ host, folder, ...round.counts }, 'reports were fetched');
    return round;
  }

  async #read(stored: StoredMailbox, claim: string): Promise<Exclude<Round, { kind: 'busy' }>> {
    const { settings, store, nowMs, network, imports, maxRoundMs = MAX_ROUND_MS } = this.#parts;
    const { mailbox, moveTo } = settings;
    const lost = new AbortController();
    const signal = AbortSignal.any([
      this.#stopped.signal,
      lost.signal,
      AbortSignal.timeout(maxRoundMs),
    ]);
    const renewing = setInterval(() => {
      const until = new Date(nowMs() + CLAIM_MS);
      store.renew(this.#id, claim, until).then(
        (isOurs) => isOurs || lost.abort(new Ended()),
        () => lost.abort(new Ended()),
      );
    }, RENEW_MS).unref();
    const startedMs = performance.now();
    let counts = NOTHING_READ;
    let session: ImapSession | undefined;
    try {
      session = await ImapSession.open(settings, signal, network);
      const isAll = await fetchMessages(positionIn(session, positionOf(stored), nowMs()), {
        session,
        moveTo,
        importMessages: (messages) => {
          const requester = { fairnessKey: 'mailbox of reports', signal };
          return imports.importMessages(messages, MAX_MESSAGE_BYTES, requester);
        },
        store: async (position, more) => {
          if (!(await store.advance(this.#id, claim, position, more))) throw new Ended();
          counts = sumCounts(counts, more);
        },
        mayGoOn: () => !signal.aborted && performance.now() - startedMs < ROUND_MS,
      });
      return signal.aborted ? { kind: 'ended' } : { kind: 'read', isAll, counts };
    } catch (error) {
      if (error instanceof Ended || this.#stopped.signal.aborted || lost.signal.aborted)
        return { kind: 'ended' };
      // What it has read so far is stored: the next round goes on behind it.
      if (signal.aborted && counts.messages > 0) return { kind: 'read', isAll: false, counts };
      if (signal.aborted) return { kind: 'failed', failure: tooSlow(mailbox), counts };
      if (error instanceof MailboxError) return { kind: 'failed', failure: error.message, counts };
      throw error;
    } finally {
      clearInterval(renewing);
      session?.close();
    }
  }

  #endOf(round: Exclude<Round, { kind: 'busy' }>): MailboxEnd {
    const dueIn = (ms: number) => new Date(this.#parts.nowMs() + ms);
    if (round.kind === 'ended') return { kind: 'ended', dueAt: dueIn(0) };
    if (round.kind === 'failed') return { ...round, dueAt: dueIn(EVERY_MS) };
    const { isAll, counts } = round;
    const nextMs = isAll ? EVERY_MS : counts.messages > 0 ? 0 : BUSY_MS;
    return { kind: 'read', isAll, dueAt: dueIn(nextMs) };
  }
}

/** The process stops, or another one reads the mailbox. */
class Ended extends Error {
  override name = 'Ended';
}

const tooSlow = ({ host, port }: Mailbox) =>
  `${host}:${port} is too slow: not one message in four minutes.`;
const positionOf = (stored: StoredMailbox): MailboxPosition | undefined =>
  stored.uidValidity === 0 ? undefined : { ...stored, since: stored.sinceAt };
