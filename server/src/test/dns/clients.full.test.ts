/**
 * The configurations of docs/dns.md, run by these programs as Debian ships them: dig, resolvers in
 * front of the zone, rspamd, SpamAssassin, Postfix. Resolvers listen on port 53, because Postfix
 * asks no other.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { promisify } from 'node:util';
import { findProgram, freePort } from '@whence/testing/programs';
import { createAuthority } from '@whence/testing/servers/certificates';
import {
  missingMailServer,
  RESOLVER,
  startMailServer,
} from '@whence/testing/servers/debian-mail-server';
import { until } from '@whence/testing/until';
import { blocksOf } from '../packages/page-blocks.ts';
import { SAMPLE, TestFolder } from '../test-server.ts';
import { startZone } from './dns-client.ts';

const run = promisify(execFile);
const block = (language: string) => blocksOf('docs/dns.md', language)[0] ?? assert.fail(language);
const folder = new TestFolder();
const scratch = mkdtempSync(join(tmpdir(), 'whence-dns-'));
let zone: Awaited<ReturnType<typeof startZone>>;
before(async () => {
  folder.publish({ ...SAMPLE, tor: [['1.0.9.9/32', 'Relay Friends']] });
  // rspamd and unbound run as users of their own.
  chmodSync(scratch, 0o755);
  zone = await startZone(folder);
});
after(async () => {
  await zone.close();
  folder.remove();
  rmSync(scratch, { recursive: true, force: true });
});

const needs = (...programs: string[]) => {
  if (process.getuid?.() !== 0) return { skip: 'needs root, to listen on port 53' };
  const missing = programs.find((name) => findProgram(name) === undefined);
  return { skip: missing === undefined ? false : `needs ${missing} (npm run test:tools)` };
};
const dig = async (...args: string[]) =>
  (await run('dig', [...args, '+short', '+tries=1', '+time=5'])).stdout.trim();

test(
  'dns zone: dig over UDP and TCP, with and without EDNS and cookies',
  needs('dig'),
  async () => {
    const server = ['@127.0.0.1', '-p', String(zone.port)];
    for (const option of [
      '+notcp',
      '+tcp',
      '+noedns',
      '+nocookie',
      '+bufsize=512',
      '+dnssec',
      '+norecurse',
    ])
      assert.equal(
        await dig(...server, option, 'TXT', '8.8.8.8.origin.whence.invalid'),
        '"15169 | 8.8.8.0/24 | US | arin |"',
        option,
      );
    const { stdout } = await run('dig', [
      ...server,
      '+comments',
      'A',
      '1.0.0.127.bl.whence.invalid',
    ]);
    assert.match(
      stdout,
      /status: NXDOMAIN[\s\S]*AUTHORITY SECTION[\s\S]*SOA\tns\.whence\.invalid\./,
    );
    assert.doesNotMatch(stdout, /malformed|mismatch|extra bytes/i);
  },
);

/** Listens where Postfix asks, and forwards the zone as the page says. */
async function startResolver(name: 'unbound' | 'dnsmasq'): Promise<ChildProcess> {
  const own = block(name).replace('@5353', `@${zone.port}`).replace('#5353', `#${zone.port}`);
  const path = join(scratch, `${name}.conf`);
  const settings = {
    unbound: `server:\n interface: ${RESOLVER}\n chroot: ""\n username: ""\n pidfile: ""\n use-syslog: no\n${own}`,
    dnsmasq: `listen-address=${RESOLVER}\nbind-interfaces\nno-resolv\nno-hosts\npid-file=\nuser=root\nstop-dns-rebind\n${own}`,
  };
  writeFileSync(path, settings[name]);
  const args = name === 'unbound' ? ['-d', '-c', path] : ['-k', '-C', path];
  const child = spawn(findProgram(name) ?? name, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const output = collect(child);
  await until(
    `${name} answers`,
    async () =>
      (await dig(`@${RESOLVER}`, '2.0.0.127.bl.whence.invalid').catch(() => '')) === '127.0.0.2',
    { everyMs: 200, state: output },
  );
  return child;
}

function collect(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (piece) => {
      text += piece;
    });
  return () => text;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

for (const name of ['unbound', 'dnsmasq'] as const)
  test(
    `dns zone: the configuration of the documentation for ${name}`,
    needs('dig', name),
    async (t) => {
      const resolver = await startResolver(name);
      t.after(() => stop(resolver));
      const ask = (type: string, question: string) =>
        dig(`@${RESOLVER}`, type, `${question}.whence.invalid`);
      assert.equal(await ask('TXT', '8.8.8.8.origin'), '"15169 | 8.8.8.0/24 | US | arin |"');
      assert.equal(await ask('TXT', 'AS15169.asn'), '"15169 | US | arin |  | Google LLC, US"');
      assert.equal(
        (await ask('A', '9.9.0.1.bl')).split('\n').sort().join(),
        '127.0.0.10,127.0.0.4',
      );
      assert.equal(await ask('A', '1.0.0.127.bl'), '');
    },
  );

const MESSAGE = [
  'Received: from mail.example.com (mail.example.com [1.0.9.9]) by mx.example.net with ESMTP id 1; Mon, 16 Nov 2026 10:00:00 +0000',
  'From: a@example.com',
  'To: b@example.net',
  'Subject: test',
  'Date: Mon, 16 Nov 2026 10:00:00 +0000',
  'Message-ID: <1@example.com>',
  '',
  'text',
  '',
].join('\r\n');

test(
  'dns zone: the configuration of the documentation for rspamd',
  needs('dig', 'unbound', 'rspamd'),
  async (t) => {
    const resolver = await startResolver('unbound');
    t.after(() => stop(resolver));
    const port = await freePort();
    const config = join(scratch, 'rspamd');
    for (const path of [config, join(config, 'local.d'), join(config, 'data')]) mkdirSync(path);
    const local = (name: string, text: string) =>
      writeFileSync(join(config, 'local.d', name), text);
    local('asn.conf', block('ucl'));
    local('rbl.conf', block('rbl'));
    local(
      'options.inc',
      `dns { nameserver = ["${RESOLVER}:53"]; }\nlocal_addrs = [];\npidfile = null;\n`,
    );
    local('logging.inc', 'type = "console";\nlevel = "info";\n');
    local('worker-normal.inc', `bind_socket = "127.0.0.1:${port}";\ncount = 1;\n`);
    for (const worker of ['proxy', 'controller', 'fuzzy'])
      local(`worker-${worker}.inc`, 'enabled = false;\n');
    const child = spawn(
      findProgram('rspamd') ?? 'rspamd',
      [
        '-f',
        '-i',
        '-c',
        '/etc/rspamd/rspamd.conf',
        `--var=LOCAL_CONFDIR=${config}`,
        `--var=DBDIR=${config}/data`,
        `--var=RUNDIR=${config}/data`,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    t.after(() => stop(child));
    const output = collect(child);
    type Scan = { symbols: Record<string, { options?: string[] }> };
    let scan: Scan | undefined;
    await until(
      'rspamd scans',
      async () => {
        const headers = { IP: '1.0.9.9', Helo: 'mail.example.com', From: 'a@example.com' };
        const response = await fetch(`http://127.0.0.1:${port}/checkv2`, {
          method: 'POST',
          body: MESSAGE,
          headers,
        }).catch(() => undefined);
        scan = response?.ok ? ((await response.json()) as Scan) : undefined;
        return scan !== undefined;
      },
      { everyMs: 300, state: () => output().slice(-2000) },
    );
    assert.deepEqual(scan?.symbols['ASN']?.options, ['asn:64500, ipnet:1.0.0.0/16, country:AU']);
    assert.ok(scan?.symbols['WHENCE_TOR_EXIT'], JSON.stringify(scan?.symbols));
    assert.equal(scan?.symbols['WHENCE_CRITICAL'], undefined);
  },
);

test(
  'dns zone: the configuration of the documentation for SpamAssassin',
  needs('dig', 'unbound', 'spamassassin'),
  async (t) => {
    const resolver = await startResolver('unbound');
    t.after(() => stop(resolver));
    const config = join(scratch, 'spamassassin');
    mkdirSync(config);
    const own = `dns_available yes\ndns_server ${RESOLVER}\nloadplugin Mail::SpamAssassin::Plugin::Check\nloadplugin Mail::SpamAssassin::Plugin::DNSEval\nuse_bayes 0\nadd_header all Tests _TESTS_\n`;
    writeFileSync(join(config, 'local.cf'), own + block('spamassassin'));
    const args = ['-t', '--siteconfigpath', config, '--configpath', config, '--nocreate-prefs'];
    const child = spawn(findProgram('spamassassin') ?? '', args, {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const output = collect(child);
    child.stdin?.end(MESSAGE.replaceAll('\r\n', '\n'));
    await once(child, 'close');
    assert.match(output(), /^X-Spam-ASN: AS64500 1\.0\.0\.0\/16$/m);
    assert.match(output(), /^X-Spam-Tests: .*RCVD_IN_WHENCE_TOR/m);
  },
);

test('dns zone: the configuration of the documentation for Postfix', {
  ...needs('dig', 'unbound'),
  ...(missingMailServer('postfix') && { skip: missingMailServer('postfix') }),
}, async (t) => {
  const resolver = await startResolver('unbound');
  t.after(() => stop(resolver));
  // The test address of the list is a client of this machine.
  const restrictions = `smtpd_delay_reject = no\n${block('postfix').replace('permit_mynetworks,', '')}`;
  const mail = await startMailServer(
    'postfix',
    createAuthority('Test Authority').issue(['mx.example.com']),
    restrictions,
  );
  t.after(() => mail.close());
  assert.match(
    await talk(mail.port, '127.0.0.2'),
    /^554 5\.7\.1 Service unavailable; Client host \[127\.0\.0\.2\] blocked using bl\.whence\.invalid; test entry of RFC 5782/m,
  );
  assert.doesNotMatch(await talk(mail.port, '127.0.0.1'), /blocked using/);
});

/** What the server says to a client at this address. */
async function talk(port: number, localAddress: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  let text = '';
  const commands = ['EHLO client.example', 'QUIT'];
  for await (const piece of socket.setEncoding('utf8')) {
    text += piece;
    if (/^\d{3} .*\r\n$/m.test(piece)) {
      const command = commands.shift();
      if (command !== undefined) socket.write(`${command}\r\n`);
    }
  }
  return text;
}
