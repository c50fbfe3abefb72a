/**
 * From an empty mailbox to a verdict by mails alone: two servers that share a database, and Dovecot
 * as Debian ships it.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { createAuthority } from '@whence/testing/servers/certificates';
import { DovecotServer, missingDovecot } from '@whence/testing/servers/dovecot-server';
import { executeOn, NO_POSTGRES, PostgresServer } from '@whence/testing/servers/postgres-server';
import { startScriptedDnsServer } from '@whence/testing/servers/scripted-dns-server';
import { until } from '@whence/testing/until';
import { runCommand } from '../run-command.ts';
import { openTestStorage } from '../storage/engines.ts';
import { ServerProcess, TestFolder } from '../test-server.ts';
import { KEY_RECORD, signedMessage } from './signed-message.ts';

const PASSWORD = 'correct horse';
const DAY_S = 86_400;
const TODAY = Math.floor(Date.now() / 1000 / DAY_S) * DAY_S;
const DAYS = 35;

/** A day of mail from the domain's own server, all of which passes. */
const report = (day: number): string =>
  `<feedback><report_metadata><org_name>google.com</org_name><email>noreply-dmarc-support@google.com</email><report_id>r${day}</report_id><date_range><begin>${day}</begin><end>${day + DAY_S - 1}</end></date_range></report_metadata>
<policy_published><domain>example.com</domain><p>none</p></policy_published>
<record><row><source_ip>192.0.2.1</source_ip><count>40</count><policy_evaluated><disposition>none</disposition><dkim>pass</dkim><spf>pass</spf></policy_evaluated></row>
<identifiers><header_from>example.com</header_from></identifiers>
<auth_results><dkim><domain>example.com</domain><selector>s1</selector><result>pass</result></dkim><spf><domain>example.com</domain><result>pass</result></spf></auth_results></record></feedback>`;

const ZONE = {
  'example.com': { TXT: ['v=spf1 ip4:192.0.2.1 -all'], MX: [[0, '.']] },
  '_dmarc.example.com': { TXT: ['v=DMARC1; p=none; rua=mailto:dmarc@example.com'] },
  's1._domainkey.google.com': { TXT: [KEY_RECORD] },
} as const;

test('mailbox: two servers read an empty mailbox as it fills, each message once, up to a verdict', {
  skip: (missingDovecot() ?? false) || NO_POSTGRES,
}, async (t) => {
  const cleanups: (() => unknown)[] = [];
  t.after(async () => {
    for (const clean of cleanups.reverse()) await clean();
  });
  const authority = createAuthority('Test Authority');
  const dovecot = await DovecotServer.start(authority.issue(['localhost']), PASSWORD);
  cleanups.push(() => dovecot.close());
  const postgres = await PostgresServer.start();
  cleanups.push(() => postgres.stop());
  const database = await postgres.createDatabase();
  cleanups.push(() => database.drop());
  const dns = await startScriptedDnsServer(ZONE);
  cleanups.push(() => dns.close());
  const folders = [new TestFolder(database.url), new TestFolder(database.url)] as const;
  cleanups.push(() => {
    for (const folder of folders) folder.remove();
  });
  const [{ dataDir }] = folders;
  writeFileSync(join(dataDir, 'password'), `${PASSWORD}\n`);
  writeFileSync(join(dataDir, 'ca.pem'), authority.cert);
  const environment = {
    WHENCE_REPORTS_IMAP: `imaps://dmarc@localhost:${dovecot.port}`,
    WHENCE_REPORTS_IMAP_PASSWORD_FILE: join(dataDir, 'password'),
    WHENCE_DNS_SERVERS: dns.address,
    NODE_EXTRA_CA_CERTS: join(dataDir, 'ca.pem'),
  };
  for (const folder of folders) folder.publish();
  const servers = [];
  for (const folder of folders) {
    const server = await ServerProcess.start(folder, environment);
    cleanups.push(() => server.stop());
    servers.push(server);
  }
  const storage = await openTestStorage(database.url);
  cleanups.push(() => storage.close());
  const find = () => storage.mailboxes.find(`dmarc localhost ${dovecot.port} INBOX`);
  await until('the empty mailbox was read', async () => (await find())?.fetchedAt !== undefined);
  const ask = () =>
    runCommand(['email', 'reports', 'example.com', '--json'], {
      ...folders[0].environment,
      ...environment,
    });
  assert.equal((await ask()).code, 4, 'without reports not enough is known');

  const days = Array.from({ length: DAYS }, (_, i) => TODAY - (DAYS - i) * DAY_S);
  dovecot.deliver(days.map((day) => signedMessage('google.com', report(day))));
  // Ten minutes later, to the servers.
  await executeOn(database.url, 'update report_mailboxes set due_at = 0');
  await until('all reports are read', async () => (await find())?.reportsRead === DAYS);
  const read = await find();
  assert.deepEqual([read?.messages, read?.reportsRepeated], [DAYS, 0]);
  const { code, stdout } = await ask();
  assert.equal(code, 0, stdout);
  for (const server of servers) {
    const { data } = (await (await fetch(`${server.url}/readyz`)).json()) as {
      data: { checks: { report_mailbox: string } };
    };
    assert.equal(data.checks.report_mailbox, 'ok');
  }
});
