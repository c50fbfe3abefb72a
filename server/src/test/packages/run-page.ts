/**
 * The commands of a documentation page, run as a reader would: in order, in one shell, in an empty
 * folder, with a new home directory and `wh` as it is installed from the tarballs. page-blocks.ts
 * describes the fences.
 *
 * - A page may use a server at http://127.0.0.1:8080 or https://whence.example.com, and a key as $WHENCE_KEY or `whence_…`.
 *   `wh serve` on the page starts it; otherwise it is started in the page's folder before the first command that needs it.
 *   Every 8080 is replaced with a free port. The key has every permission; that of the README has those of a first key.
 * - `example.com` has DNS records here. No other name is found, and no other network is there.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { findProgram, freePort } from '@whence/testing/programs';
import { startScriptedDnsServer } from '@whence/testing/servers/scripted-dns-server';
import { until } from '@whence/testing/until';
import { DEFAULT_PERMISSIONS, PERMISSIONS } from '../../vocabulary.ts';
import { allBlocks, type Block } from './page-blocks.ts';

/** What a block may need that is not there where the tests run. */
const NEEDS: Readonly<Record<string, string>> = {
  clone: 'a clone of the repository; newcomer.full.test runs those of the README',
  network: 'the internet: a registry of packages, feeds, or DNS of a domain other than example.com',
  root: 'files outside of the folder, or rights of an administrator',
  docker: 'a container engine',
  kubernetes: 'a cluster, with kubectl or helm',
  systemd: 'a system with systemd',
  postgresql: 'a PostgreSQL server',
  browser: 'a browser',
  terminal: 'a person who types',
  time: 'hours or days until something has changed',
  // Programs that are not part of every system.
  nginx: '',
  caddy: '',
  haproxy: '',
  fail2ban: '',
  python: '',
  node: 'a project with packages of npm',
  nft: '',
  ipset: '',
  mmdblookup: '',
  prometheus: '',
  dig: '',
  sqlite3: '',
  psql: '',
  zsh: '',
  mta: 'a mail server',
  proxy: 'a reverse proxy',
};

/**
 * Programs that change nothing outside of the folder: their blocks are run where they are
 * installed.
 */
const HARMLESS: readonly string[] = ['mmdblookup', 'dig', 'sqlite3'];

/** A block of commands that can be run here. */
export function isRunHere({ language, needs }: Block): boolean {
  const isThere = (need: string) => HARMLESS.includes(need) && findProgram(need) !== undefined;
  return ['sh', 'console'].includes(language) && needs.every(isThere);
}

export type Command = {
  readonly line: number;
  readonly text: string;
  /**
   * What the page shows below it. Undefined where it shows nothing: then only the exit code counts.
   */
  readonly shown?: string;
};

/** Lines that belong together, because a quote, a document or a pipe is open, are one command. */
export function commandsOf(block: Block): Command[] {
  const commands: { line: number; text: string; shown?: string }[] = [];
  const lines = block.code.split('\n').slice(0, -1);
  const isConsole = block.language === 'console';
  for (let i = 0; i < lines.length; ) {
    const first = lines[i] ?? '';
    const line = block.line + 1 + i++;
    const last = commands.at(-1);
    if (isConsole && !first.startsWith('$ ')) {
      if (last !== undefined) last.shown = `${last.shown ?? ''}${first}\n`;
      continue;
    }
    if (!isConsole && /^\s*(#.*)?$/.test(first)) continue;
    let text = isConsole ? first.slice(2) : first;
    while (i < lines.length && !isComplete(text))
      text += `\n${(lines[i++] ?? '').replace(isConsole ? /^> / : '', '')}`;
    commands.push({ line, text });
  }
  return commands;
}

function isComplete(text: string): boolean {
  if (/(^|[^\\])(\\\\)*\\$/.test(text)) return false;
  if (!/['"`<|&({\\]|\$\(|\b(if|for|while|case)\b/.test(text)) return true;
  const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
  return status === 0 && !stderr.includes('here-document');
}

/** What a page cannot show without being marked, and the mark. */
const MARKS: readonly (readonly [pattern: RegExp, need: string])[] = [
  [/\b(docker|podman) /, 'docker'],
  [/\b(kubectl|helm) /, 'kubernetes'],
  [/\b(systemctl|systemd-run|journalctl) /, 'systemd'],
  [/\bsudo |\b(apt|apt-get|brew) |[ >=](\/etc|\/var|\/usr|\/srv|\/opt)\//, 'root'],
  [/\bnpm (ci|run|start|test)\b|\bnpx wh\b|\bgit clone\b/, 'clone'],
  [/\bnpm (install|publish)\b|\bwh dataset update\b/, 'network'],
];
const LOOKS_LIKE_COMMANDS =
  /^(\$ |wh |npx |npm |curl |docker |kubectl |helm |sudo |systemctl |[A-Z_]+=\S+ (wh|npm) )/m;

/** What is wrong with a fence, if something is. */
export function faultOf({ info, language, needs, code }: Block): string | undefined {
  if (language === '') return 'a fence without a language: sh, console, text, json …';
  const unknown = needs.filter((need) => !(need in NEEDS));
  if (unknown.length > 0)
    return `${info}: needs=${unknown.join()} is not one of ${Object.keys(NEEDS).join(', ')}`;
  if (language !== 'sh' && language !== 'console')
    return LOOKS_LIKE_COMMANDS.test(code)
      ? `${info}: commands are in a block of sh or console`
      : undefined;
  if (language === 'console' && !code.startsWith('$ ')) return 'a console block begins with `$ `';
  const commands = language === 'console' ? (code.match(/^\$ .*/gm) ?? []).join('\n') : code;
  const [, missing] =
    (needs.length === 0 && MARKS.find(([pattern]) => pattern.test(commands))) || [];
  return missing && `${info}: needs=${missing} is missing, for it cannot be run everywhere`;
}

export type Outcome = Command & {
  readonly block: Block;
  /** Why it is wrong; undefined where it is right. */
  readonly failure: string | undefined;
};

const LIMIT_MS = 180_000;
const DNS = {
  'example.com': { TXT: ['v=spf1 -all'], MX: [[0, '.']] },
  '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject; rua=mailto:dmarc@example.com'] },
  's1._domainkey.example.com': { TXT: ['v=DKIM1; p='] },
  's2._domainkey.example.com': { TXT: ['v=DKIM1; p='] },
} as const;

/** Runs the blocks of a page that can be run here. `program` is the folder that has `wh`. */
export async function runPage(
  page: string,
  program: string,
  report: (outcome: Outcome) => void = () => {},
): Promise<Outcome[]> {
  const dns = await startScriptedDnsServer(DNS);
  const shell = new PageShell(program, await freePort(), dns.address, page === 'README.md');
  const outcomes: Outcome[] = [];
  try {
    for (const block of allBlocks(page)) {
      if (block.file !== undefined) shell.writeFile(block.file, block.code);
      if (!isRunHere(block)) continue;
      for (const command of commandsOf(block)) {
        const failure = await shell.run(command).catch((error: Error) => error.message);
        const outcome = { ...command, block, failure };
        outcomes.push(outcome);
        report(outcome);
      }
    }
  } finally {
    await shell.close();
    await dns.close();
  }
  return outcomes;
}

const SERVER = /(?:^|\s)wh(?:ence)? serve\b(?!.*--(?:help|print))/;
const NEEDS_SERVER = /whence-data\/|127\.0\.0\.1:8080|localhost:8080|whence\.example\.com/;
const NEEDS_KEY = /\$\{?WHENCE_KEY\b|whence_…/;

class PageShell {
  readonly #folder = mkdtempSync(join(tmpdir(), 'whence-page-'));
  readonly #work = join(this.#folder, 'work');
  readonly #port: number;
  readonly #hasFirstKey: boolean;
  readonly #shell: ChildProcess;
  #answers = '';
  #count = 0;
  #server: { readonly pid: string; readonly settings: string } | undefined;
  #key: string | undefined;

  constructor(program: string, port: number, dnsServer: string, hasFirstKey: boolean) {
    this.#port = port;
    this.#hasFirstKey = hasFirstKey;
    const home = join(this.#folder, 'home');
    for (const folder of [this.#work, home]) mkdirSync(folder);
    // curl shows its progress where its output is not a terminal, and takes an error of the server
    // for success.
    writeFileSync(join(home, '.curlrc'), 'silent\nshow-error\nfail-with-body\n');
    this.#shell = spawn('bash', ['--noprofile', '--norc'], {
      cwd: this.#work,
      detached: true,
      env: {
        PATH: [program, dirname(process.execPath), process.env['PATH']].join(':'),
        HOME: home,
        LANG: 'C.UTF-8',
        WHENCE_DNS_SERVERS: dnsServer,
        // Nothing listens there: a command that leaves the machine fails.
        https_proxy: 'http://127.0.0.1:9',
        http_proxy: 'http://127.0.0.1:9',
        no_proxy: '127.0.0.1,localhost',
      },
      stdio: ['pipe', 'ignore', 'inherit', 'pipe'],
    });
    (this.#shell.stdio[3] as Readable).setEncoding('utf8').on('data', (text) => {
      this.#answers += text;
    });
    // Without it, `wh x | head` would be right for any x.
    this.#shell.stdin?.write('set -o pipefail; set +m\n');
  }

  writeFile(name: string, text: string): void {
    mkdirSync(dirname(join(this.#work, name)), { recursive: true });
    writeFileSync(join(this.#work, name), this.#here(text));
  }

  /** What is wrong with it, if something is. */
  async run({ text, shown }: Command): Promise<string | undefined> {
    if (SERVER.test(text)) return this.#startServer(this.#here(text), shown);
    if (NEEDS_SERVER.test(text) || NEEDS_KEY.test(text))
      await this.#provideServer(NEEDS_KEY.test(text));
    const { code, output } = await this.#execute(this.#here(text));
    // 128 + SIGPIPE: `head` needed no more.
    if (shown === undefined)
      return code === 0 || code === 141 ? undefined : `exit code ${code}\n${output}`;
    return differenceOf(this.#here(shown), output);
  }

  async close(): Promise<void> {
    await this.#stopServer();
    this.#kill();
    if (this.#shell.exitCode === null && this.#shell.signalCode === null)
      await once(this.#shell, 'exit');
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** As on the page, with the port and the key of this run. */
  #here(text: string): string {
    return text
      .replaceAll(/https?:\/\/whence\.example\.com/g, `http://127.0.0.1:${this.#port}`)
      .replaceAll('whence.example.com', `127.0.0.1:${this.#port}`)
      .replaceAll(/\b8080\b/g, String(this.#port))
      .replaceAll('whence_…', this.#key ?? 'whence_…');
  }

  /** In the page's shell, so that folder and variables stay for the next one. */
  async #execute(
    text: string,
    isBackground = false,
  ): Promise<{ code: number; output: string; answer: string }> {
    const path = join(this.#folder, String(++this.#count));
    writeFileSync(path, `${text}\n`);
    closeSync(openSync(`${path}.out`, 'w'));
    const run = `source ${path} </dev/null >${path}.out 2>&1`;
    this.#answers = '';
    this.#shell.stdin?.write(
      isBackground ? `${run} 3>&- & echo $! >&3\n` : `${run} 3>&-; echo $? >&3\n`,
    );
    const limitMs = performance.now() + LIMIT_MS;
    await until('the command ends', () => {
      if (performance.now() > limitMs) this.#kill();
      return (
        this.#answers.endsWith('\n') ||
        this.#shell.exitCode !== null ||
        this.#shell.signalCode !== null
      );
    });
    const output = readFileSync(`${path}.out`, 'utf8');
    if (this.#answers === '')
      throw new Error(`the shell ended, or the command did not within 180 s\n${output}`);
    return {
      code: Number(this.#answers),
      output: isBackground ? `${path}.out` : output,
      answer: this.#answers.trim(),
    };
  }

  async #startServer(text: string, shown = ''): Promise<string | undefined> {
    await this.#stopServer();
    const { answer, output: path } = await this.#execute(
      `export WHENCE_PORT=${this.#port}\n${text}`,
      true,
    );
    const settings =
      text.match(/\bWHENCE_(DATA_DIR|DATABASE_URL)=\S+|--data-dir[ =]\S+/g)?.join(' ') ?? '';
    this.#server = { pid: answer, settings };
    const output = () => readFileSync(path, 'utf8');
    const isRunning = () => spawnSync('kill', ['-0', answer]).status === 0;
    const isReady = async () =>
      (await fetch(`http://127.0.0.1:${this.#port}/readyz`).catch(() => undefined))?.status === 200;
    await until('the server is ready', async () => !isRunning() || (await isReady()), {
      everyMs: 50,
      state: output,
    });
    // The server goes on printing: what is shown is the beginning.
    const difference = () => differenceOf(this.#here(shown).replace(/\n*$/, '\n…\n'), output());
    if (isRunning() && shown !== '') {
      const limitMs = performance.now() + 5_000;
      await until(
        'it has printed',
        () => difference() === undefined || performance.now() > limitMs,
      );
    }
    return isRunning() ? difference() : `the server has ended\n${output()}`;
  }

  async #provideServer(withKey: boolean): Promise<void> {
    if (this.#server === undefined) {
      const failure = await this.#startServer('wh serve');
      if (failure !== undefined) throw new Error(failure);
    }
    if (!withKey || this.#key !== undefined) return;
    const permissions = (this.#hasFirstKey ? DEFAULT_PERMISSIONS : PERMISSIONS).join(',');
    const [dataDir = '', others = ''] = [/--data-dir.*/, /^WHENCE.*/].map(
      (pattern) => pattern.exec(this.#server?.settings ?? '')?.[0] ?? '',
    );
    const create = `${others} wh key create --name docs --tier enterprise --permissions ${permissions} ${dataDir}`;
    const { output } = await this.#execute(create);
    const [key] = /whence_[a-z0-9]{6,}\w*/i.exec(output) ?? [];
    if (key === undefined) throw new Error(`no key was created\n${output}`);
    this.#key = key;
    await this.#execute(`export WHENCE_KEY="\${WHENCE_KEY:-${key}}"`);
  }

  async #stopServer(): Promise<void> {
    if (this.#server === undefined) return;
    const { pid } = this.#server;
    this.#server = undefined;
    // The shell of the background command, and what it has started.
    spawnSync('pkill', ['-TERM', '-P', pid]);
    spawnSync('kill', ['-TERM', pid]);
    await until('the server has ended', async () => {
      const answer = await fetch(`http://127.0.0.1:${this.#port}/healthz`).catch(() => undefined);
      return answer === undefined;
    });
  }

  #kill(): void {
    try {
      process.kill(-(this.#shell.pid ?? 0), 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

/**
 * Undefined where the output is as shown: `…` is any text on its line, and alone on a line any
 * number of lines.
 */
export function differenceOf(shown: string, output: string): string | undefined {
  const lines = (text: string) =>
    text
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')
      .trim();
  const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = lines(shown)
    .split('\n')
    .map((line) => (line.trim() === '…' ? '(?:.*\n)*?.*' : line.split('…').map(literal).join('.*')))
    .join('\n')
    .replaceAll('\n(?:.*\n)*?.*', '(?:\n.*)*');
  if (new RegExp(`^${pattern}$`).test(lines(output))) return undefined;
  return `shown on the page:\n${lines(shown)}\nprinted:\n${lines(output)}`;
}
