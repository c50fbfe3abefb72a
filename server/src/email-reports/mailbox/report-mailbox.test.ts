/**
 * A mailbox of reports on a server that follows the rules, and on servers that do not. What a real
 * server does is in `mailbox.full.test.ts`.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { KEY_RECORDS, MESSAGE, SIGNATURES } from '@whence/email/test/signed-report';
import {
  type ImapMessage,
  type ImapScript,
  startImapServer,
} from '@whence/testing/servers/imap-server';
import { startScriptedDnsServer } from '@whence/testing/servers/scripted-dns-server';
import type { Storage } from '../../storage/storage.ts';
import { openTestStorage } from '../../test/storage/engines.ts';
import { ReportImports } from '../report-imports.ts';
import type { MailboxSettings } from './mailbox.ts';
import { mailboxId } from './mailbox.ts';
import { ReportMailbox } from './report-mailbox.ts';

const DAY_S = 86_400;
const YESTERDAY = Math.floor(Date.now() / 1000 / DAY_S - 1) * DAY_S;
const dataDir = mkdtempSync(join(tmpdir(), 'whence-mailbox-'));
let storage: Storage;
const clockMs = Date.now();

before(async () => {
  storage = await openTestStorage(dataDir);
});
after(async () => {
  await storage.close();
  rmSync(dataDir, { recursive: true });
});

/** Not signed: it is read, counted and not used. */
const report = (id: string): string =>
  `From: r@example.net\r\nMIME-Version: 1.0\r\nContent-Type: application/xml\r\nContent-Disposition: attachment; filename="r.xml"\r\n\r\n<feedback><report_metadata><org_name>example.net</org_name><email>r@example.net</email><report_id>${id}</report_id><date_range><begin>${YESTERDAY}</begin><end>${YESTERDAY + DAY_S - 1}</end></date_range></report_metadata><policy_published><domain>example.com</domain><p>none</p></policy_published><record><row><source_ip>192.0.2.1</source_ip><count>1</count></row></record></feedback>\r\n`;
const LETTER = 'From: a@example.net\r\nSubject: hello\r\n\r\nhello\r\n';

type Limits = {
  readonly dnsServers?: readonly string[];
  readonly maxRoundMs?: number;
  readonly network?: { readonly idleMs: number };
};

const says = (text: string) => (socket: Socket, tag: string) => {
  socket.write(text.replaceAll('TAG', tag));
  return true;
};

/** A server, and a mailbox of a name of its own in storage. */
async function mailboxAt(
  script: ImapScript,
  user: string,
  given: Partial<MailboxSettings> = {},
  { dnsServers = [], ...limits }: Limits = {},
): Promise<{
  mailbox: ReportMailbox;
  settings: MailboxSettings;
  received: readonly string[];
  close(): Promise<void>;
}> {
  const server = await startImapServer(script);
  const settings: MailboxSettings = {
    mailbox: { host: '127.0.0.1', port: server.port, isTls: false, user, folder: 'INBOX' },
    password: 'pass word"\\',
    passwordFile: undefined,
    moveTo: undefined,
    ...given,
  };
  const nowMs = () => clockMs;
  const imports = new ReportImports(storage, { dnsServers, keepDays: 400 }, nowMs);
  const log = { info: () => {}, warn: () => {} };
  const parts = { store: storage.mailboxes, imports, mayRun: () => true, nowMs, log };
  return {
    mailbox: new ReportMailbox({ settings, ...parts, ...limits }),
    settings,
    received: server.received,
    close: () => server.close(),
  };
}

test('mailbox: messages are read once, marked if they have a report, and never deleted', async (t) => {
  const messages: ImapMessage[] = [
    { uid: 3, text: report('a') },
    { uid: 4, text: LETTER },
    { uid: 9, text: report('b') },
  ];
  const { mailbox, received, close } = await mailboxAt({ messages }, 'once');
  t.after(close);
  const counts = { messages: 3, read: 2, repeated: 0, notRead: 0, withoutReport: 1, tooLarge: 0 };
  assert.deepEqual(await mailbox.round(), { kind: 'read', isAll: true, counts });
  assert.ok(received.includes('UID STORE 3,9 +FLAGS.SILENT (\\Seen)'), received.join('\n'));
  assert.deepEqual(await mailbox.round(), { kind: 'busy' }, 'ten minutes have not passed');
  messages.push({ uid: 12, text: report('c') });
  const more = await mailbox.round(true);
  assert.deepEqual(more.kind === 'read' && more.counts, {
    ...{ messages: 1, read: 1, repeated: 0, notRead: 0, withoutReport: 0, tooLarge: 0 },
  });
  assert.equal(received.filter((command) => /DELETE|EXPUNGE/i.test(command)).length, 0);
});

test('mailbox: other UIDs than before are read again, and repeated reports do not count', async (t) => {
  const messages = [{ uid: 3, text: report('again') }];
  const script = { messages, uidValidity: 1 };
  const { mailbox, close } = await mailboxAt(script, 'validity');
  t.after(close);
  await mailbox.round();
  script.uidValidity = 2;
  const round = await mailbox.round(true);
  assert.deepEqual(round.kind === 'read' && [round.counts.read, round.counts.repeated], [0, 1]);
});

test('mailbox: messages are moved to the folder of the setting', async (t) => {
  const messages = [
    { uid: 3, text: report('moved') },
    { uid: 4, text: LETTER },
  ];
  const { mailbox, received, close } = await mailboxAt({ messages }, 'moved', { moveTo: 'Done' });
  t.after(close);
  assert.equal((await mailbox.round()).kind, 'read');
  assert.deepEqual(
    received.filter((command) => command.startsWith('UID MOVE')),
    ['UID MOVE 3 Done'],
  );
});

test('mailbox: messages that cannot be moved are read once and stay, which is said', async (t) => {
  const messages = Array.from({ length: 150 }, (_, i) => ({
    uid: i + 1,
    text: report(`full${i}`),
  }));
  const on = { 'UID MOVE': says('TAG NO [OVERQUOTA] full\r\n') };
  const { mailbox, close } = await mailboxAt({ messages, on }, 'full', { moveTo: 'Done' });
  t.after(close);
  const round = await mailbox.round();
  assert.equal(round.kind, 'failed');
  assert.match(round.failure, /refuses to move messages to Done: they are read, and stay/);
  assert.equal(round.counts.read, 150);
  const next = await mailbox.round(true);
  assert.equal(next.kind === 'read' && next.counts.messages, 0);
});

const ENDLESS = 'x'.repeat(1 << 20);
/** Until the client has ended the connection. */
function pour(socket: Socket, beginning: string): true {
  socket.write(beginning);
  const more = () => {
    while (!socket.destroyed && socket.write(ENDLESS));
  };
  socket.on('drain', more);
  more();
  return true;
}
const ONE = [{ uid: 3, text: report('hostile') }];

for (const [behaviour, script, want] of [
  [
    'a wrong password',
    { on: { LOGIN: says('TAG NO [AUTHENTICATIONFAILED] no: pass word\r\n') } },
    /^127\.0\.0\.1 does not accept the user or the password\.$/,
  ],
  [
    'no such folder',
    { on: { SELECT: says('TAG NO [NONEXISTENT] no\r\n') } },
    /has no folder INBOX that/,
  ],
  [
    'no IMAP on this port',
    { greeting: '220 mx.example.com ESMTP\r\n', isBusy: true },
    /does not speak IMAP/,
  ],
  [
    'no search',
    { messages: ONE, on: { 'UID SEARCH': says('TAG NO no\r\n') } },
    /refuses to search/,
  ],
  ['no UIDVALIDITY', { messages: ONE, uidValidity: 0 }, /does not number messages/],
  [
    'a UIDVALIDITY of 20 digits',
    { messages: ONE, uidValidity: '99999999999999999999' },
    /does not number/,
  ],
  ['a UIDNEXT of 20 digits', { messages: ONE, uidNext: '99999999999999999999' }, /does not number/],
  ['an endless greeting', { greeting: `* OK ${'x'.repeat(6 << 20)}` }, /too large|more than|ended/],
  [
    'a literal of a terabyte',
    {
      messages: ONE,
      on: { 'UID FETCH': (socket) => pour(socket, '* 1 FETCH (UID 3 BODY[] {1099511627776}\r\n') },
    },
    /too large/,
  ],
  [
    'a literal larger than it said',
    {
      messages: ONE,
      on: {
        'UID FETCH': (socket, _, rest) =>
          rest.includes('BODY') && pour(socket, '* 1 FETCH (UID 3 BODY[] {16777216}\r\n'),
      },
    },
    /sends more than it is asked for/,
  ],
  [
    'an endless line',
    { messages: ONE, on: { 'UID SEARCH': (socket) => pour(socket, '* SEARCH ') } },
    /too large|more than/,
  ],
  [
    'endless lines',
    {
      messages: ONE,
      on: { 'UID SEARCH': (socket) => pour(socket, `${'* OK x\r\n'.repeat(1000)}* OK `) },
    },
    /too large|more than/,
  ],
  [
    'an end in the middle',
    { messages: ONE, on: { 'UID FETCH': (socket) => Boolean(socket.destroy()) } },
    /has ended the connection/,
  ],
  [
    'a BYE in the middle',
    {
      messages: ONE,
      on: {
        'UID FETCH': (socket) => {
          socket.end('* BYE closing\r\n');
          return true;
        },
      },
    },
    /has ended the connection/,
  ],
  [
    'messages that are refused',
    {
      messages: ONE,
      on: {
        'UID FETCH': (socket, tag, rest) =>
          rest.includes('BODY') && says('TAG NO [UNAVAILABLE] later\r\n')(socket, tag),
      },
    },
    /refuses to hand out messages/,
  ],
  [
    'sizes that are refused',
    { messages: ONE, on: { 'UID FETCH': says('TAG NO [INUSE] later\r\n') } },
    /refuses to hand out messages/,
  ],
  [
    'a login that is refused for now',
    { on: { LOGIN: says('TAG NO [UNAVAILABLE] later\r\n') } },
    /refuses the user or the folder for now/,
  ],
  [
    'a folder that is in use',
    { on: { SELECT: says('TAG NO [INUSE] locked\r\n') } },
    /refuses the user or the folder for now/,
  ],
  [
    'a referral to another server',
    { on: { LOGIN: says('TAG NO [REFERRAL imap://evil.example/] elsewhere\r\n') } },
    /does not accept the user or the password/,
  ],
] as readonly [string, ImapScript, RegExp][])
  test(`mailbox: ${behaviour} is a sentence, and the next round is tried in ten minutes`, async (t) => {
    const { mailbox, settings, close } = await mailboxAt(script, behaviour);
    t.after(close);
    const round = await mailbox.round();
    assert.equal(round.kind, 'failed');
    assert.match(round.kind === 'failed' ? round.failure : '', want);
    const stored = await storage.mailboxes.find(mailboxId(settings.mailbox));
    assert.match(stored?.failure ?? '', want);
    assert.doesNotMatch(stored?.failure ?? '', /pass word/);
    assert.ok((stored?.dueAt.getTime() ?? 0) >= clockMs + 600_000);
  });

for (const [behaviour, script, want] of [
  [
    'UIDs that were not asked for',
    {
      messages: ONE,
      on: { 'UID SEARCH': says('* SEARCH 3 4294967295 99999999999 0 -1 7 3 3\r\nTAG OK\r\n') },
    },
    1,
  ],
  [
    'messages that were not asked for',
    {
      messages: ONE,
      on: {
        'UID FETCH': (socket, tag) =>
          Boolean(
            socket.write(
              `* 1 FETCH (UID 8 RFC822.SIZE 5)\r\n* 2 FETCH (RFC822.SIZE 5)\r\n${tag} OK\r\n`,
            ),
          ),
      },
    },
    0,
  ],
  ['four billion UIDs without a message', { messages: [], uidNext: 4_000_000 }, 0],
  [
    'a message of 17 MiB',
    {
      messages: ONE,
      on: { 'UID FETCH': says(`* 1 FETCH (UID 3 RFC822.SIZE ${17 << 20})\r\nTAG OK\r\n`) },
    },
    1,
  ],
  [
    'a message whose text is NIL',
    {
      messages: ONE,
      on: {
        'UID FETCH': (socket, tag, rest) =>
          rest.includes('BODY') && says('* 1 FETCH (UID 3 BODY[] NIL)\r\nTAG OK\r\n')(socket, tag),
      },
    },
    1,
  ],
  [
    'a message without its text',
    {
      messages: ONE,
      on: {
        'UID FETCH': (socket, tag, rest) =>
          rest.includes('BODY') && says('* 1 FETCH (UID 3)\r\nTAG OK\r\n')(socket, tag),
      },
    },
    1,
  ],
  [
    'EXISTS, EXPUNGE and UIDVALIDITY in the middle',
    {
      messages: ONE,
      on: {
        'UID SEARCH': says(
          '* 0 EXISTS\r\n* 1 EXPUNGE\r\n* OK [UIDVALIDITY 9] x\r\n* OK [UIDNEXT 1] x\r\n* SEARCH 3\r\nTAG OK\r\n',
        ),
      },
    },
    1,
  ],
] as readonly [string, ImapScript, number][])
  test(`mailbox: ${behaviour}: the round comes to its end`, async (t) => {
    const { mailbox, close } = await mailboxAt(script, behaviour);
    t.after(close);
    const round = await mailbox.round();
    assert.ok(round.kind === 'read', JSON.stringify(round));
    assert.deepEqual([round.isAll, round.counts.messages], [true, want]);
  });

for (const [behaviour, limits, on, want] of [
  ['says nothing', { network: { idleMs: 100 } }, () => true, /does not answer/],
  [
    'says a byte from time to time',
    { maxRoundMs: 300 },
    (socket) => {
      const dripping = setInterval(() => socket.write('x'), 20);
      socket.once('close', () => clearInterval(dripping));
      return true;
    },
    /is too slow: not one message in four minutes/,
  ],
] as readonly [string, Limits, (socket: Socket) => boolean, RegExp][])
  test(`mailbox: a server that ${behaviour} is given up`, async (t) => {
    const script = { messages: ONE, on: { 'UID FETCH': on } };
    const { mailbox, close } = await mailboxAt(script, behaviour, {}, limits);
    t.after(close);
    const round = await mailbox.round();
    assert.match(round.kind === 'failed' ? round.failure : round.kind, want);
  });

for (const [kind, password] of [
  ['a line break', 'a\r\nX1 DELETE INBOX'],
  ['a null character', 'a\0b'],
] as const)
  test(`mailbox: a password with ${kind} is not sent`, async (t) => {
    const { mailbox, received, close } = await mailboxAt({}, kind, { password });
    t.after(close);
    const round = await mailbox.round();
    assert.match(round.kind === 'failed' ? round.failure : round.kind, /has a control character/);
    assert.deepEqual(received, []);
  });

test('mailbox: a password that is not ASCII is sent as UTF-8', async (t) => {
  const { mailbox, received, close } = await mailboxAt({}, 'utf8', { password: 'pässwörd' });
  t.after(close);
  await mailbox.round();
  const bytes = Buffer.from('pässwörd').toString('latin1');
  assert.ok(
    received.some((command) => command.includes(bytes)),
    received.join(),
  );
});

test('mailbox: a message of nested parts without an end is no report', async (t) => {
  const nested = Array.from(
    { length: 20_000 },
    (_, i) => `Content-Type: multipart/mixed; boundary=${i}\r\n\r\n--${i}\r\n`,
  );
  const messages = [{ uid: 1, text: `From: a@example.net\r\n${nested.join('')}` }];
  const { mailbox, close } = await mailboxAt({ messages }, 'bomb');
  t.after(close);
  const round = await mailbox.round();
  assert.ok(round.kind === 'read', JSON.stringify(round));
  const { withoutReport, notRead } = round.counts;
  assert.equal(withoutReport + notRead, 1);
});

test('mailbox: while DNS does not answer no report is stored, and then it is', async (t) => {
  const dns = await startScriptedDnsServer({
    'example.com': { fail: 'SERVFAIL' },
    'rsa._domainkey.example.net': { fail: 'SERVFAIL' },
  });
  t.after(() => dns.close());
  const messages = [{ uid: 1, text: `${SIGNATURES.relaxed}${MESSAGE}` }];
  const limits = { dnsServers: [dns.address] };
  const { mailbox, close } = await mailboxAt({ messages }, 'no dns', {}, limits);
  t.after(close);
  const first = await mailbox.round();
  assert.match(first.kind === 'failed' ? first.failure : first.kind, /^DNS does not answer/);
  dns.publish({ 'rsa._domainkey.example.net': { TXT: [KEY_RECORDS.rsa] } });
  const round = await mailbox.round(true);
  assert.equal(round.kind === 'read' && round.counts.read, 1, JSON.stringify(round));
  const { reports } = await storage.reports.window('example.com', '2000-01-01', '2099-01-01');
  assert.equal(reports, 1);
});
