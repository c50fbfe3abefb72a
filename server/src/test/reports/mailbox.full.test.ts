/**
 * A mailbox of reports on Dovecot as Debian ships it: what is read, what a process that is killed
 * leaves behind, and who fetches.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAuthority } from '@whence/testing/servers/certificates';
import { DovecotServer, missingDovecot } from '@whence/testing/servers/dovecot-server';
import { until } from '@whence/testing/until';
import { Command } from '../command.ts';
import { openTestStorage } from '../storage/engines.ts';
import { TestFolder } from '../test-server.ts';

const PASSWORD = 'correct horse';
const DAY_S = 86_400;
const TODAY = Math.floor(Date.now() / 1000 / DAY_S) * DAY_S;
const MANY = 10_000;
const skip = missingDovecot() ?? false;
const authority = createAuthority('Test Authority');
let dovecot: DovecotServer;
let ca = '';
const files = new TestFolder();

before(async () => {
  if (skip !== false) return;
  dovecot = await DovecotServer.start(authority.issue(['localhost']), PASSWORD);
  ca = join(files.dataDir, 'ca.pem');
  writeFileSync(ca, authority.cert);
});
after(async () => {
  await dovecot?.close();
  files.remove();
});

/** Without a signature it is counted. */
const message = (id: string, day = TODAY - DAY_S): string =>
  `From: r@example.net\r\nMIME-Version: 1.0\r\nContent-Type: application/xml\r\nContent-Disposition: attachment; filename="r.xml"\r\n\r\n<feedback><report_metadata><org_name>example.net</org_name><email>r@example.net</email><report_id>${id}</report_id><date_range><begin>${day}</begin><end>${day + DAY_S - 1}</end></date_range></report_metadata><policy_published><domain>d${id}.example.com</domain><p>none</p></policy_published><record><row><source_ip>192.0.2.1</source_ip><count>1</count></row></record></feedback>\r\n`;
const LETTER = 'From: a@example.net\r\nSubject: hello\r\n\r\nhello\r\n';

const environment = (folder: TestFolder, given: Record<string, string> = {}) => ({
  ...folder.environment,
  WHENCE_REPORTS_IMAP: `imaps://dmarc@localhost:${dovecot.port}/INBOX`,
  WHENCE_REPORTS_IMAP_PASSWORD: PASSWORD,
  NODE_EXTRA_CA_CERTS: ca,
  ...given,
});
const fetchOnce = (folder: TestFolder, given: Record<string, string> = {}) =>
  new Command(['email', 'reports', 'fetch', '--json', '--new'], environment(folder, given)).ended;

async function storedReports(folder: TestFolder): Promise<number> {
  const storage = await openTestStorage(folder.location, { mustExist: true });
  try {
    const mailbox = await storage.mailboxes.find(`dmarc localhost ${dovecot.port} INBOX`);
    return mailbox?.reportsRead ?? 0;
  } finally {
    await storage.close();
  }
}

test('mailbox: a command reads what has arrived, marks it, and reads it once', {
  skip,
}, async (t) => {
  const folder = new TestFolder();
  t.after(() => folder.remove());
  dovecot.deliver([message('a1'), LETTER, message('a2')]);
  const first = await fetchOnce(folder);
  assert.equal(first.code, 0, first.stderr);
  assert.deepEqual(JSON.parse(first.stdout), {
    ...{ messages: 3, read: 2, repeated: 0, not_read: 0, without_report: 1, too_large: 0 },
  });
  assert.equal(dovecot.messages().filter((name) => /:2,.*S/.test(name)).length, 2);
  assert.equal(JSON.parse((await fetchOnce(folder)).stdout).messages, 0);
  dovecot.deliver([message('a3')]);
  assert.equal(JSON.parse((await fetchOnce(folder)).stdout).read, 1);
  dovecot.renumber();
  const again = JSON.parse((await fetchOnce(folder)).stdout);
  assert.deepEqual([again.messages, again.read, again.repeated], [4, 0, 3]);
});

test('mailbox: messages with a report are moved to a folder, others stay', { skip }, async (t) => {
  const folder = new TestFolder();
  t.after(() => folder.remove());
  dovecot.deliver([message('b1'), LETTER]);
  const outcome = await fetchOnce(folder, { WHENCE_REPORTS_IMAP_MOVE_TO: 'Done' });
  assert.equal(outcome.code, 0, outcome.stderr);
  assert.equal(dovecot.messages('Done').length, 4);
  assert.equal(dovecot.messages().length, 2);
});

/** To Dovecot: a few bytes at a time. The first connection ends after `firstBytes` of an answer. */
async function startSlowLine(firstBytes: number) {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    return socket;
  };
  let left = firstBytes;
  let writes = 0;
  const drip = async (upstream: Socket, client: Socket) => {
    for await (const chunk of upstream as AsyncIterable<Buffer>)
      for (let at = 0; at < chunk.length && !client.destroyed; at += 64) {
        client.write(chunk.subarray(at, at + 64));
        writes += 1;
        left -= 64;
        await sleep(1);
        if (left > 0 || left <= -64) continue;
        client.destroy();
      }
    client.end();
  };
  const server = createServer((client) => {
    const upstream = keep(connect(dovecot.port, 'localhost'));
    keep(client).pipe(upstream);
    client.on('close', () => upstream.destroy());
    // Either side may end it.
    drip(upstream, client).catch(() => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    writes: () => writes,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

test('mailbox: over a slow line that is cut once, each message is read once', {
  skip,
}, async (t) => {
  const folder = new TestFolder();
  const line = await startSlowLine(16_384);
  t.after(() => {
    line.close();
    folder.remove();
  });
  const before = dovecot.messages().length;
  dovecot.deliver(Array.from({ length: 30 }, (_, i) => message(`slow${i}`)));
  const given = { WHENCE_REPORTS_IMAP: `imaps://dmarc@localhost:${line.port}/INBOX` };
  const cut = await fetchOnce(folder, given);
  assert.equal(cut.code, 3, cut.stdout);
  assert.match(cut.stderr, /^error: localhost:\d+ has ended the connection/);
  const outcome = await fetchOnce(folder, given);
  assert.equal(outcome.code, 0, outcome.stderr);
  const { messages, repeated } = JSON.parse(outcome.stdout);
  assert.deepEqual([messages, repeated], [before + 30, 0]);
  assert.equal(JSON.parse((await fetchOnce(folder, given)).stdout).messages, 0);
  assert.ok(line.writes() > 500, `${line.writes()} writes`);
});

for (const [behaviour, given, want] of [
  [
    'a wrong password',
    { WHENCE_REPORTS_IMAP_PASSWORD: 'wrong' },
    /^error: localhost does not accept the user or the password\.\n$/,
  ],
  [
    'an authority that is not known',
    { NODE_EXTRA_CA_CERTS: '' },
    /The certificate of localhost:\d+ is not accepted: no authority/,
  ],
  [
    'a missing folder',
    { PATHNAME: '/None' },
    /localhost has no folder None that this user may open/,
  ],
  [
    'a missing folder to move to',
    { WHENCE_REPORTS_IMAP_MOVE_TO: 'None' },
    /localhost has no folder None/,
  ],
  ['a name without an address', { HOST: 'whence.invalid' }, /whence\.invalid has no address/],
  [
    'another name in the certificate',
    { HOST: '127.0.0.1' },
    /The certificate of 127\.0\.0\.1:\d+ is not accepted: it is for another name/,
  ],
  ['a port without TLS', { PORT: 'plain' }, /does not speak TLS: IMAP over TLS is on port 993/],
  ['a port that is closed', { PORT: '9' }, /No program listens on localhost:9/],
] as readonly [string, Record<string, string>, RegExp][])
  test(`mailbox: ${behaviour} is one sentence`, { skip }, async (t) => {
    const folder = new TestFolder();
    t.after(() => folder.remove());
    const { HOST = 'localhost', PORT, PATHNAME = '/INBOX', ...settings } = given;
    const port = PORT === 'plain' ? dovecot.plainPort : (PORT ?? dovecot.port);
    const outcome = await fetchOnce(folder, {
      WHENCE_REPORTS_IMAP: `imaps://dmarc@${HOST}:${port}${PATHNAME}`,
      ...settings,
    });
    assert.equal(outcome.code, 3, outcome.stdout);
    assert.match(outcome.stderr, want);
    assert.ok(!outcome.stderr.includes(PASSWORD));
  });

test('mailbox: 10,000 messages, and processes that are killed: none is missed, none counts twice', {
  skip,
}, async (t) => {
  const folder = new TestFolder();
  t.after(() => folder.remove());
  const before = dovecot.messages().length + MANY;
  dovecot.deliver(Array.from({ length: MANY }, (_, i) => message(`c${i}`)));
  for (const reports of [MANY / 50, MANY / 20]) {
    const command = new Command(['email', 'reports', 'fetch', '--new'], environment(folder));
    await until(
      `${reports} reports are stored`,
      async () => {
        assert.equal(command.child.exitCode, null, command.stderr);
        return (await storedReports(folder).catch(() => 0)) >= reports;
      },
      { everyMs: 200 },
    );
    command.child.kill('SIGKILL');
    await command.ended;
    // Its claim lasts for half a minute.
    const busy = await fetchOnce(folder);
    assert.match(busy.stderr, /fetches reports from this mailbox at the moment/);
    await until(
      'the claim has expired',
      async () => {
        const storage = await openTestStorage(folder.location);
        try {
          const mailbox = await storage.mailboxes.find(`dmarc localhost ${dovecot.port} INBOX`);
          return (mailbox?.claimedUntil ?? 0) < Date.now();
        } finally {
          await storage.close();
        }
      },
      { everyMs: 500 },
    );
  }
  const last = await fetchOnce(folder);
  assert.equal(last.code, 0, last.stderr);
  const storage = await openTestStorage(folder.location);
  t.after(() => storage.close());
  const mailbox = await storage.mailboxes.find(`dmarc localhost ${dovecot.port} INBOX`);
  assert.equal(mailbox?.messages, before);
  const window = await Promise.all(
    [0, MANY / 2, MANY - 1].map((i) =>
      storage.reports.window(`dc${i}.example.com`, '2000-01-01', '2099-01-01'),
    ),
  );
  for (const { unproven } of window) assert.equal(unproven[0]?.reports, 1);
});
