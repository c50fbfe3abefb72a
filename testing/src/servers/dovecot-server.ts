/** Dovecot as Debian ships it, on the loopback, with mail in a folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../programs.ts';
import { until } from '../until.ts';
import type { Certificate } from './certificates.ts';
import { isListening } from './debian-mail-server.ts';

const PROGRAM = '/usr/sbin/dovecot';
/** Owns the mail; no account of the machine has this number. */
const USER = 54_329;

/** Why it cannot run here; undefined if it can. */
export function missingDovecot(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root: Dovecot changes its user';
  return existsSync(PROGRAM) ? undefined : 'needs dovecot-imapd (npm run test:tools)';
}

export class DovecotServer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'dovecot-'));
  #child: ChildProcess | undefined;
  #messages = 0;
  readonly port: number;
  /** Without TLS, as a program on the same machine. */
  readonly plainPort: number;

  private constructor(port: number, plainPort: number) {
    this.port = port;
    this.plainPort = plainPort;
  }

  /** With one user, `dmarc`, and the folders INBOX and Done. */
  static async start(certificate: Certificate, password: string): Promise<DovecotServer> {
    const server = new DovecotServer(await freePort(), await freePort());
    server.#configure(certificate, password);
    await server.startAgain();
    return server;
  }

  /** Messages that arrive in INBOX, as a mail server delivers them. */
  deliver(texts: readonly string[]): void {
    const folder = join(this.#mail, 'new');
    for (const text of texts) {
      const name = `${Math.floor(Date.now() / 1000)}.M${++this.#messages}P1.test`;
      const path = join(this.#mail, 'tmp', name);
      writeFileSync(path, text);
      chownSync(path, USER, USER);
      // Arrives at once.
      writeFileSync(join(folder, name), text);
      chownSync(join(folder, name), USER, USER);
      rmSync(path);
    }
  }

  /** Names of the files of messages in a folder, with their flags. */
  messages(folder = ''): string[] {
    const path = join(this.#mail, folder === '' ? '' : `.${folder}`);
    return ['cur', 'new'].flatMap((part) => readdirSync(join(path, part)));
  }

  /** Numbers the messages of INBOX anew: another UIDVALIDITY. */
  renumber(): void {
    for (const name of readdirSync(this.#mail))
      if (name.startsWith('dovecot')) rmSync(join(this.#mail, name), { force: true });
  }

  async startAgain(): Promise<void> {
    const child = spawn(PROGRAM, ['-F', '-c', join(this.#folder, 'dovecot.conf')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      errors += text;
    });
    await until(
      'Dovecot listens',
      async () => {
        if (child.exitCode !== null) throw new Error(`Dovecot ended: ${errors}`);
        return (await isListening(this.port)) && (await isListening(this.plainPort));
      },
      { everyMs: 50, state: () => errors },
    );
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #mail(): string {
    return join(this.#folder, 'mail');
  }

  #configure({ cert, key }: Certificate, password: string): void {
    const file = (name: string, text: string) => {
      writeFileSync(join(this.#folder, name), text);
      return join(this.#folder, name);
    };
    chmodSync(this.#folder, 0o755);
    for (const part of ['', '.Done']) {
      for (const name of ['', 'cur', 'new', 'tmp']) {
        mkdirSync(join(this.#mail, part, name), { recursive: true });
        chownSync(join(this.#mail, part, name), USER, USER);
      }
    }
    const passwords = file('passwords', `dmarc:{PLAIN}${password}\n`);
    const certificate = file('cert.pem', cert);
    const privateKey = file('key.pem', key);
    const listener = (name: string, port: number, ssl: string) =>
      `  inet_listener ${name} {\n    address = 127.0.0.1\n    port = ${port}\n    ssl = ${ssl}\n  }\n`;
    file(
      'dovecot.conf',
      `base_dir = ${this.#folder}/run
state_dir = ${this.#folder}/state
log_path = ${this.#folder}/log
protocols = imap
listen = 127.0.0.1
ssl = yes
ssl_cert = <${certificate}
ssl_key = <${privateKey}
disable_plaintext_auth = no
first_valid_uid = 1
mail_location = maildir:${this.#mail}
namespace inbox {
  inbox = yes
}
service anvil {
  chroot =
}
service imap-login {
  chroot =
${listener('imap', this.plainPort, 'no')}${listener('imaps', this.port, 'yes')}}
passdb {
  driver = passwd-file
  args = ${passwords}
}
userdb {
  driver = static
  args = uid=${USER} gid=${USER} home=${this.#folder}
}
`,
    );
  }
}
