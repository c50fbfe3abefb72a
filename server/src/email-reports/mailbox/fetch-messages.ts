/**
 * Reads the messages of a mailbox that are not read yet, in the order of their UIDs. Reports are
 * stored first, then messages are marked, then the position is: a process that is killed in between
 * repeats a few messages, whose reports are known, and misses none.
 */
import type { MailboxCounts, MailboxPosition } from '../../storage/stores/mailbox-store.ts';
import type { ImportedReport, MailedReports, MailImport } from '../report-imports.ts';
import { type ImapSession, MAX_MESSAGE_BYTES } from './imap-session.ts';
import { MailboxError } from './mailbox.ts';

/** Messages whose sizes are asked for at once. */
const SIZED_AT_ONCE = 200;
/** Messages of one import: each import starts a thread and waits for the disk. */
const MESSAGES_AT_ONCE = 100;
const BYTES_AT_ONCE = 2 * 1024 * 1024;
const FIRST_DAYS_MS = 90 * 86_400_000;

type Session = Pick<
  ImapSession,
  'uidValidity' | 'uidNext' | 'search' | 'sizes' | 'messages' | 'finish'
>;

type Reading = {
  readonly session: Session;
  readonly moveTo: string | undefined;
  /** As `ReportImports.importMessages`. */
  readonly importMessages: (messages: readonly Buffer[]) => Promise<MailImport>;
  /** Stores what was read. Throws if another process reads the mailbox now. */
  readonly store: (position: MailboxPosition, counts: MailboxCounts) => Promise<void>;
  /** Whether there is time for more. */
  readonly mayGoOn: () => boolean;
};

export const NOTHING_READ: MailboxCounts = {
  messages: 0,
  read: 0,
  repeated: 0,
  notRead: 0,
  withoutReport: 0,
  tooLarge: 0,
};

export function sumCounts(a: MailboxCounts, b: MailboxCounts): MailboxCounts {
  return {
    messages: a.messages + b.messages,
    read: a.read + b.read,
    repeated: a.repeated + b.repeated,
    notRead: a.notRead + b.notRead,
    withoutReport: a.withoutReport + b.withoutReport,
    tooLarge: a.tooLarge + b.tooLarge,
  };
}

/**
 * Where to go on. Without a position, with other UIDs than before, or with fewer than were read,
 * the messages of the last 90 days are read.
 */
export function positionIn(
  { uidValidity, uidNext }: Pick<Session, 'uidValidity' | 'uidNext'>,
  last: MailboxPosition | undefined,
  nowMs: number,
): MailboxPosition {
  if (last?.uidValidity === uidValidity && last.lastUid < uidNext) return last;
  const since = new Date(nowMs - FIRST_DAYS_MS);
  return { uidValidity, lastUid: 0, firstUid: uidNext, since };
}

/** True if all messages are read, false if there was no time for more. */
export async function fetchMessages(from: MailboxPosition, reading: Reading): Promise<boolean> {
  const { session, store, mayGoOn } = reading;
  let position = from;
  let refused = '';
  while (position.lastUid + 1 < session.uidNext) {
    if (!mayGoOn()) return false;
    const first = position.lastUid + 1;
    const isBefore = first < position.firstUid;
    const last = (isBefore ? Math.min(position.firstUid, session.uidNext) : session.uidNext) - 1;
    const { uids, searched } = await session.search(
      first,
      last,
      isBefore ? position.since : undefined,
    );
    for (let i = 0; i < uids.length; i += SIZED_AT_ONCE) {
      const sizes = await session.sizes(uids.slice(i, i + SIZED_AT_ONCE));
      for (const group of groupsOf(sizes)) {
        if (!mayGoOn()) return false;
        const result = await readGroup(group, reading);
        if (result === undefined) return false;
        const { counts } = result;
        refused ||= result.refused;
        position = { ...position, lastUid: Math.max(...group.keys()) };
        await store(position, counts);
      }
    }
    position = { ...position, lastUid: searched };
    await store(position, NOTHING_READ);
  }
  if (refused !== '') throw new MailboxError(refused);
  return true;
}

/** In the order of UIDs. A message that is too large is in no group with others. */
function* groupsOf(sizes: ReadonlyMap<number, number>): Generator<ReadonlyMap<number, number>> {
  let group = new Map<number, number>();
  let bytes = 0;
  for (const [uid, size] of [...sizes].sort(([a], [b]) => a - b)) {
    if (group.size > 0 && (group.size >= MESSAGES_AT_ONCE || bytes + size > BYTES_AT_ONCE)) {
      yield group;
      group = new Map();
      bytes = 0;
    }
    group.set(uid, size);
    bytes += size;
  }
  if (group.size > 0) yield group;
}

/** Undefined if other imports use the time. */
async function readGroup(
  sizes: ReadonlyMap<number, number>,
  { session, moveTo, importMessages }: Reading,
): Promise<{ counts: MailboxCounts; refused: string } | undefined> {
  const small = [...sizes].filter(([, size]) => size <= MAX_MESSAGE_BYTES);
  const bytes = small.reduce((sum, [, size]) => sum + size, 0);
  const messages =
    small.length === 0
      ? []
      : await session.messages(
          small.map(([uid]) => uid),
          bytes,
        );
  const mailed = await importAll(
    messages.map((message) => message.bytes),
    importMessages,
  );
  if (mailed === undefined) return undefined;
  const withReport = messages.filter((_, i) => mailed[i]?.hasReport === true);
  const refused = await session.finish(
    withReport.map(({ uid }) => uid),
    moveTo,
  );
  const reports = mailed.flatMap((each) => (each?.hasReport === true ? each.reports : []));
  const count = (state: ImportedReport['state']) =>
    reports.filter((report) => report.state === state).length;
  const counts = {
    messages: sizes.size,
    read: count('read'),
    repeated: count('repeated'),
    notRead: count('not_read') + mailed.filter((each) => each === undefined).length,
    withoutReport: mailed.filter((each) => each?.hasReport === false).length,
    tooLarge: sizes.size - small.length,
  };
  return { counts, refused };
}

/**
 * What each message had; undefined for one that takes too long alone, too. Then it stays as it is:
 * no message keeps those behind it from being read.
 */
async function importAll(
  messages: readonly Buffer[],
  importMessages: Reading['importMessages'],
): Promise<readonly (MailedReports | undefined)[] | undefined> {
  if (messages.length === 0) return [];
  const together = await importMessages(messages);
  if (together === 'no_dns')
    throw new MailboxError('DNS does not answer, and reports are proven by it: they wait.');
  if (together !== 'overdue') return together;
  if (messages.length === 1) return [undefined];
  const mailed: (MailedReports | undefined)[] = [];
  for (const message of messages) {
    const alone = await importAll([message], importMessages);
    if (alone === undefined) return undefined;
    mailed.push(...alone);
  }
  return mailed;
}
