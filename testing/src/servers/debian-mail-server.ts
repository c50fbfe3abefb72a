/**
 * Postfix and Exim of Debian on the loopback. Their packages exclude each other and start what they
 * install, so
 * `npm run test:tools` unpacks both into a folder, and they run with that folder as their root
 * directory.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { UNPACKED_TOOLS } from '../installed-tools.ts';
import { freePort } from '../programs.ts';
import { until } from '../until.ts';
import type { Certificate } from './certificates.ts';

const ROOT = join(UNPACKED_TOOLS, 'mail-servers');
const USER = 54_325;
/** Postfix refuses to share a user. */
const EXIM_USER = 54_327;
const GROUP = 54_326;
/**
 * The resolver of both programs, which cannot ask another port than 53. Nothing listens there
 * unless a test does.
 */
export const RESOLVER = '127.53.53.53';

export type MailProgram = 'postfix' | 'exim';

/** Why it cannot run here; undefined if it can. */
export function missingMailServer(program: MailProgram): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root, to run in a root directory of its own';
  const path = program === 'postfix' ? 'usr/lib/postfix/sbin/master' : 'usr/sbin/exim4';
  return existsSync(join(ROOT, path)) ? undefined : `needs ${program} (npm run test:tools)`;
}

/** Greets as `mx.example.com`. `mainCf` is added to the configuration of Postfix. */
export async function startMailServer(
  program: MailProgram,
  { cert, key }: Certificate,
  mainCf = '',
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const port = await freePort();
  const folder = `/srv/${program}-${port}`;
  const path = (name: string) => join(ROOT, folder, name);
  prepareRoot();
  mkdirSync(path(''), { recursive: true });
  writeFileSync(path('cert.pem'), cert);
  writeFileSync(path('key.pem'), key);
  for (const name of ['cert.pem', 'key.pem']) chmodSync(path(name), 0o644);
  const argv =
    program === 'postfix'
      ? configurePostfix(folder, path, port, mainCf)
      : configureExim(folder, path, port);
  const child = spawn('chroot', [ROOT, ...argv], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  await until(
    `${program} listens`,
    () => {
      if (child.exitCode !== null) throw new Error(`${program} ended: ${errors}`);
      return isListening(port);
    },
    { everyMs: 50, state: () => errors },
  );
  return {
    port,
    async close() {
      await stop(child);
      rmSync(path(''), { recursive: true, force: true });
    },
  };
}

/** With the processes that it has started. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  process.kill(-child.pid, 'SIGTERM');
  await ended;
}

export async function isListening(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function prepareRoot(): void {
  for (const name of ['dev', 'etc', 'tmp', 'srv']) mkdirSync(join(ROOT, name), { recursive: true });
  for (const [name, minor] of [
    ['null', '3'],
    ['urandom', '9'],
  ] as const)
    if (!existsSync(join(ROOT, 'dev', name)))
      spawnSync('mknod', ['-m', '666', join(ROOT, 'dev', name), 'c', '1', minor]);
  const file = (name: string, text: string) => writeFileSync(join(ROOT, 'etc', name), text);
  file(
    'passwd',
    `root:x:0:0::/:/bin/sh\nDebian-exim:x:${EXIM_USER}:${EXIM_USER}::/:/bin/false\npostfix:x:${USER}:${USER}::/:/bin/false\nnobody:x:65534:65534::/:/bin/false\n`,
  );
  file(
    'group',
    `root:x:0:\nDebian-exim:x:${EXIM_USER}:\npostfix:x:${USER}:\npostdrop:x:${GROUP}:\nnogroup:x:65534:\n`,
  );
  file('hosts', '127.0.0.1 localhost\n');
  file('resolv.conf', `nameserver ${RESOLVER}\n`);
  file('nsswitch.conf', 'hosts: files\n');
}

type PathOf = (name: string) => string;

function configureExim(folder: string, path: PathOf, port: number): string[] {
  for (const name of ['spool', 'log']) {
    mkdirSync(path(name));
    chownSync(path(name), EXIM_USER, EXIM_USER);
  }
  writeFileSync(
    path('exim.conf'),
    [
      'primary_hostname = mx.example.com',
      `daemon_smtp_ports = ${port}`,
      'local_interfaces = 127.0.0.1',
      'tls_advertise_hosts = *',
      `tls_certificate = ${folder}/cert.pem`,
      `tls_privatekey = ${folder}/key.pem`,
      `spool_directory = ${folder}/spool`,
      `log_file_path = ${folder}/log/%slog`,
      `pid_file_path = ${folder}/pid`,
      'keep_environment =',
      'host_lookup =',
      '',
    ].join('\n'),
  );
  return ['/usr/sbin/exim4', '-bdf', '-C', `${folder}/exim.conf`];
}

const QUEUES =
  'active bounce corrupt defer deferred flush hold incoming private saved trace maildrop public pid';

function configurePostfix(folder: string, path: PathOf, port: number, mainCf: string): string[] {
  for (const name of ['config', 'queue', 'data']) mkdirSync(path(name));
  chownSync(path('data'), USER, USER);
  for (const name of QUEUES.split(' ')) {
    mkdirSync(path(`queue/${name}`));
    const isShared = name === 'maildrop' || name === 'public';
    if (name !== 'pid') chownSync(path(`queue/${name}`), USER, isShared ? GROUP : 0);
  }
  const defaults = join(ROOT, 'usr/share/postfix');
  for (const name of readdirSync(defaults).filter((file) => file.startsWith('dynamicmaps')))
    copyFileSync(join(defaults, name), path(`config/${name}`));
  writeFileSync(
    path('config/main.cf'),
    [
      'compatibility_level = 3.6',
      'myhostname = mx.example.com',
      'inet_interfaces = 127.0.0.1',
      'inet_protocols = ipv4',
      'mydestination =',
      'alias_maps =',
      'local_recipient_maps =',
      'smtpd_tls_security_level = may',
      `smtpd_tls_chain_files = ${folder}/key.pem, ${folder}/cert.pem`,
      'smtpd_peername_lookup = no',
      `queue_directory = ${folder}/queue`,
      `data_directory = ${folder}/data`,
      'maillog_file_prefixes = /srv',
      `maillog_file = ${folder}/log`,
      mainCf,
      '',
    ].join('\n'),
  );
  writeFileSync(
    path('config/master.cf'),
    [
      `${port} inet n - n - - smtpd`,
      'tlsmgr unix - - n 1000? 1 tlsmgr',
      'anvil unix - - n - 1 anvil',
      'rewrite unix - - n - - trivial-rewrite',
      'proxymap unix - - n - - proxymap',
      'postlog unix-dgram n - n - 1 postlogd',
      '',
    ].join('\n'),
  );
  return ['/usr/lib/postfix/sbin/master', '-d', '-c', `${folder}/config`];
}
