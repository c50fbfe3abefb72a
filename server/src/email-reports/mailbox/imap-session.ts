/**
 * A session with a mailbox, by the library `imapflow`. The server is not trusted: answers have
 * limits of size and time, and numbers are used only where they can be right.
 */
import { isIP } from 'node:net';
import type { ImapFlow } from 'imapflow';
import { isRefusedNow, sentenceOf } from './imap-failure.ts';
import { type Mailbox, MailboxError, type MailboxSettings, readPassword } from './mailbox.ts';

export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const CONNECT_MS = 10_000;
/** Without a byte from the server. */
const IDLE_MS = 30_000;
/** Beside messages: texts of the server, and what it says about messages that have changed. */
const MAX_OTHER_BYTES = 4 * 1024 * 1024;
const MAX_UID = 0xffff_ffff;
/** UIDs that are searched at a time: 11 bytes of an answer for each. */
const SEARCHED_UIDS = 100_000;
const MEASURE_MS = 50;

/** For tests: the certificate of another authority, and less patience. */
export type MailNetwork = { readonly ca?: string; readonly idleMs?: number };

type FetchedMessage = { readonly uid: number; readonly bytes: Buffer };

export class ImapSession {
  readonly uidValidity: number;
  /** Above the UIDs of all messages when the session began. */
  readonly uidNext: number;
  readonly #client: ImapFlow;
  readonly #mailbox: Mailbox;
  #limitBytes = Number.POSITIVE_INFINITY;
  #hasTooMuch = false;
  /** Why the connection has ended. */
  #broken: unknown;
  readonly #measuring: NodeJS.Timeout;

  readonly #signal: AbortSignal;

  private constructor(
    client: ImapFlow,
    mailbox: Mailbox,
    signal: AbortSignal,
    uids: { readonly validity: number; readonly next: number },
  ) {
    this.#client = client;
    this.#mailbox = mailbox;
    this.#signal = signal;
    this.uidValidity = uids.validity;
    this.uidNext = uids.next;
    client.on('error', (error) => {
      this.#broken ??= error;
    });
    // Also what is sent without being asked for.
    this.#measuring = setInterval(() => {
      if (client.stats().received <= this.#limitBytes) return;
      this.#hasTooMuch = true;
      client.close();
    }, MEASURE_MS).unref();
    this.#allow(0);
  }

  /** Throws a MailboxError. An abort of the signal ends the session at once. */
  static async open(
    settings: MailboxSettings,
    signal: AbortSignal,
    { ca, idleMs = IDLE_MS }: MailNetwork = {},
  ): Promise<ImapSession> {
    const { mailbox, moveTo } = settings;
    const { host, port, isTls, user, folder } = mailbox;
    const pass = await readPassword(settings);
    // Loaded only if it is used, to keep start-up fast.
    const { ImapFlow } = await import('imapflow');
    const client = new ImapFlow({
      host,
      port,
      secure: isTls,
      doSTARTTLS: false,
      auth: { user, pass },
      tls: {
        rejectUnauthorized: true,
        ...(isIP(host) === 0 && { servername: host }),
        ...(ca !== undefined && { ca }),
      },
      // Lines of the log would contain what the server says.
      logger: false,
      clientInfo: { name: 'Whence' },
      disableAutoIdle: true,
      disableAutoEnable: true,
      // Decoded parts of a message would not have the signature of its reporter.
      disableBinary: true,
      // A byte of it may become a thousand.
      disableCompression: true,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: idleMs,
      maxLiteralSize: MAX_MESSAGE_BYTES,
      maxLineLength: MAX_OTHER_BYTES,
      maxResponseSize: MAX_MESSAGE_BYTES + MAX_OTHER_BYTES,
    });
    let broken: unknown;
    client.on('error', (error) => {
      broken ??= error;
    });
    const end = () => client.close();
    signal.addEventListener('abort', end, { once: true });
    client.once('close', () => signal.removeEventListener('abort', end));
    const limit = setInterval(() => {
      if (client.stats().received > MAX_OTHER_BYTES) client.close();
    }, MEASURE_MS);
    try {
      signal.throwIfAborted();
      await client.connect();
      if (moveTo !== undefined) await requireMoves(client, moveTo, host);
      const opened = await client.mailboxOpen(folder).catch((error) => {
        throw isRefusal(error) ? noFolder(folder, host) : error;
      });
      const { uidNext } = opened;
      const uidValidity = Number(opened.uidValidity);
      if (!isUid(uidValidity) || !(isUid(uidNext) || uidNext === MAX_UID + 1))
        throw new MailboxError(`${host} does not number messages as IMAP requires.`);
      return new ImapSession(client, mailbox, signal, { validity: uidValidity, next: uidNext });
    } catch (error) {
      client.close();
      throw failureOf(broken ?? error, mailbox, signal);
    } finally {
      clearInterval(limit);
    }
  }

  /**
   * The lowest UIDs from `first` to `last`, in order, of messages that arrived on the day `since`
   * or later. `searched`: up to which UID these are all.
   */
  async search(
    first: number,
    last: number,
    since: Date | undefined,
  ): Promise<{ uids: number[]; searched: number }> {
    const searched = Math.min(last, first + SEARCHED_UIDS - 1);
    return this.#do(0, async (client) => {
      const found = await client.search(
        { uid: `${first}:${searched}`, ...(since && { since }) },
        { uid: true },
      );
      if (!Array.isArray(found))
        throw client.usable
          ? new MailboxError(`${this.#mailbox.host} refuses to search.`)
          : new Error('the connection has ended');
      const uids = found.filter((uid) => isUid(uid) && uid >= first && uid <= searched);
      return { uids: [...new Set(uids)].sort((a, b) => a - b), searched };
    });
  }

  /** In bytes, as the server says. Messages that were removed meanwhile are absent. */
  async sizes(uids: readonly number[]): Promise<Map<number, number>> {
    return this.#do(0, async (client) => {
      const asked = new Set(uids);
      const sizes = new Map<number, number>();
      for await (const { uid, size } of client.fetch(uids.join(), { size: true }, { uid: true }))
        if (asked.has(uid) && size !== undefined) sizes.set(uid, size);
      return sizes;
    });
  }

  /** Those of these messages that are there, without marking them. `bytes` are expected at most. */
  async messages(uids: readonly number[], bytes: number): Promise<FetchedMessage[]> {
    return this.#do(bytes, async (client) => {
      const asked = new Set(uids);
      const messages: FetchedMessage[] = [];
      // The library has `false` for NIL: without its text, a message has no report.
      for await (const { uid, source } of client.fetch(
        uids.join(),
        { source: true },
        { uid: true },
      ))
        if (asked.delete(uid))
          messages.push({ uid, bytes: Buffer.isBuffer(source) ? source : Buffer.alloc(0) });
      return messages;
    });
  }

  /**
   * Marks messages as seen, or moves them. A mailbox that may not be changed, or is full, is read
   * all the same. Returns what is refused, if a setting has asked for it.
   */
  async finish(uids: readonly number[], moveTo: string | undefined): Promise<string> {
    if (uids.length === 0) return '';
    return this.#do(0, async (client) => {
      const range = uids.join();
      if (moveTo !== undefined)
        return (await client.messageMove(range, moveTo, { uid: true }))
          ? ''
          : `${this.#mailbox.host} refuses to move messages to ${moveTo}: they are read, and stay.`;
      await client.messageFlagsAdd(range, ['\\Seen'], { uid: true, silent: true });
      return '';
    });
  }

  close(): void {
    clearInterval(this.#measuring);
    this.#client.close();
  }

  async #do<T>(bytes: number, work: (client: ImapFlow) => Promise<T>): Promise<T> {
    this.#allow(bytes);
    try {
      return await work(this.#client);
    } catch (error) {
      // What waits for an answer fails, too, and with less to say.
      const cause = this.#hasTooMuch ? tooMuch(this.#mailbox) : (this.#broken ?? error);
      throw failureOf(
        isRefusal(cause) ? noAccess(this.#mailbox) : cause,
        this.#mailbox,
        this.#signal,
      );
    }
  }

  #allow(bytes: number): void {
    this.#limitBytes = this.#client.stats().received + bytes + MAX_OTHER_BYTES;
  }
}

/** Why a session has failed. An abort has its own reason. */
function failureOf(error: unknown, mailbox: Mailbox, signal: AbortSignal): Error {
  if (signal.aborted && !(error instanceof MailboxError)) return signal.reason as Error;
  return error instanceof MailboxError ? error : new MailboxError(sentenceOf(error, mailbox));
}

/** Without MOVE (RFC 6851) a client has to delete the original. */
async function requireMoves(client: ImapFlow, folder: string, host: string): Promise<void> {
  if (!client.capabilities.has('MOVE'))
    throw new MailboxError(
      `${host} cannot move messages: leave WHENCE_REPORTS_IMAP_MOVE_TO empty.`,
    );
  // Refusals for other reasons than its absence are no error of the library.
  const status: unknown = await client.status(folder, { messages: true }).catch((error) => {
    if (!isRefusal(error)) throw error;
  });
  if (!status) throw noFolder(folder, host);
}

const isUid = (uid: unknown): uid is number =>
  Number.isInteger(uid) && Number(uid) > 0 && Number(uid) <= MAX_UID;
const isRefusal = (error: unknown) => {
  const { responseStatus, code } = error as { responseStatus?: unknown; code?: unknown };
  return (responseStatus === 'NO' || code === 'NotFound') && !isRefusedNow(error as object);
};
const noFolder = (folder: string, host: string) =>
  new MailboxError(`${host} has no folder ${folder} that this user may open.`);
const noAccess = ({ host }: Mailbox) => new MailboxError(`${host} refuses to hand out messages.`);
const tooMuch = ({ host, port }: Mailbox) =>
  new MailboxError(`${host}:${port} sends more than it is asked for.`);
