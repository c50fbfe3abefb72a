/**
 * `wh sync`: keeps databases and lists of a server in a folder. A file is replaced as a whole, and
 * only if it has the digest that the server sent with it; otherwise the last good one stays. What
 * the next run needs is in a folder of its own, so that
 * `*` in the configuration of a program does not match it:
 *
 *   FOLDER/country.mmdb
 *   FOLDER/.sync/.state.json          what is known about each file
 *   FOLDER/.sync/country.mmdb.part    an interrupted download, which the next run continues
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { download } from '@whence/dataset/io/download';
import { renameSynced, writeAtomically } from '@whence/dataset/io/files';
import { withLock } from '@whence/dataset/io/lock';
import { readProxyVariables } from '@whence/dataset/io/proxy';
import { type ExitCode, failureOf, UsageError } from '../../terminal/exit.ts';
import { isSystemError, refusalText } from '../../terminal/file-errors.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { jsonLine } from '../../terminal/printable.ts';
import { openSource, type RemoteOptions } from './open-source.ts';
import type { RemoteServer } from './remote-server.ts';

type SyncOptions = RemoteOptions & {
  readonly onChange?: string;
  readonly once?: boolean;
  readonly json?: boolean;
};

/** On average: machines that were started together do not ask together. */
const PERIOD_MS = 600_000;
const LIMITS = { idleTimeoutMs: 30_000, totalTimeoutMs: 15 * 60_000 };
const MAX_DATABASE_BYTES = 4e9;
/** A list is searched as a text, and none is longer than 512 MiB. */
const MAX_LIST_BYTES = 4e8;
const FILE = /^[A-Za-z0-9][\w.-]*\.(?:mmdb|txt|nft|rsc|json)$/;

/** Written before the file is replaced: a file with another digest is fetched again. */
type KnownFile = {
  readonly etag: string | undefined;
  readonly sha256: string;
  /** Digest of the file with which the command last succeeded. */
  readonly applied?: string | undefined;
};

type SyncedFile = {
  readonly file: string;
  readonly state: 'replaced' | 'unchanged' | 'unavailable' | 'failed';
  /** The version that the prefixes of a held list are from. */
  readonly held_at?: number | undefined;
  readonly reason?: string;
};

export async function syncCommand(
  folder: string,
  names: readonly string[],
  { onChange, once: isOnce = false, json = false, ...remote }: SyncOptions,
  { environment, stdout, stderr }: CommandStreams,
): Promise<ExitCode> {
  const wrong = names.find((name) => !FILE.test(name));
  if (wrong !== undefined)
    throw new UsageError(`${JSON.stringify(wrong)} is not a file such as country.mmdb or tor.nft`);
  const server = await openSource(remote, environment, {
    local: () => {
      throw new UsageError('no server: set WHENCE_URL, or give --url');
    },
    remote: async (opened) => opened,
  });
  // Checks the URL and the key.
  server.client();
  const run = async (): Promise<ExitCode> => {
    const files = new SyncFolder(folder, server, environment);
    const synced: SyncedFile[] = [];
    for (const name of new Set(names)) synced.push(await files.update(name, synced));
    const command = onChange === undefined ? undefined : await files.apply(names, onChange);
    if (json) stdout.write(jsonLine({ files: synced, command }));
    else
      for (const { file, state } of synced)
        if (isOnce || state === 'replaced') stdout.write(`${file}: ${state}\n`);
    for (const { file, reason, held_at } of synced) {
      const kept = existsSync(join(folder, file))
        ? 'The file here is unchanged.'
        : 'There is no earlier file here.';
      if (reason !== undefined) stderr.write(`${file}: ${reason}. ${kept}\n`);
      if (held_at !== undefined)
        stderr.write(`${file}: held by the server at version ${held_at}\n`);
    }
    if (command === 'failed') stderr.write('the command failed: the next run repeats it\n');
    if (command === 'failed' || synced.some(({ state }) => state === 'failed')) return 3;
    return synced.some(({ state }) => state === 'unavailable') ? 4 : 0;
  };
  for (;;) {
    try {
      const exitCode = await withLock(join(folder, '.sync'), 'updating this folder', run);
      if (isOnce) return exitCode;
    } catch (error) {
      const failure = failureOf(error);
      if (isOnce || failure === undefined) throw error;
      stderr.write(`${failure.message}\n`);
    }
    await sleep(PERIOD_MS * (0.5 + Math.random()));
  }
}

type Server = Pick<RemoteServer, 'url' | 'apiKey'>;

class SyncFolder {
  readonly #folder: string;
  readonly #server: Server;
  readonly #environment: CommandStreams['environment'];
  readonly #known: Record<string, KnownFile>;

  constructor(folder: string, server: Server, environment: CommandStreams['environment']) {
    this.#folder = folder;
    this.#server = server;
    this.#environment = environment;
    this.#known = readState(join(folder, '.sync/.state.json'));
  }

  /** `before`: of this run. A server that was not reached is not asked again for the next file. */
  async update(file: string, before: readonly SyncedFile[]): Promise<SyncedFile> {
    const away = before.find(({ reason }) => reason?.startsWith(UNREACHABLE) === true);
    if (away !== undefined) return { ...away, file };
    try {
      return await this.#update(file);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      return { file, state: 'failed', reason: refusalText(error) };
    }
  }

  async #update(file: string): Promise<SyncedFile> {
    const { url, apiKey } = this.#server;
    const target = join(this.#folder, '.sync', file);
    const path = join(this.#folder, file);
    const written = this.#known[file];
    const isWhole = written !== undefined && (await digestOf(path)) === written.sha256;
    let headers: IncomingHttpHeaders = {};
    const result = await download({
      url: `${url.replace(/\/+$/, '')}/v1/${isDatabase(file) ? 'databases' : 'lists'}/${file}`,
      password: apiKey,
      target,
      etag: isWhole ? written.etag : undefined,
      onHeaders: (received) => {
        headers = received;
      },
      limits: { ...LIMITS, maxBytes: isDatabase(file) ? MAX_DATABASE_BYTES : MAX_LIST_BYTES },
      network: { proxies: readProxyVariables(this.#environment) },
      now: new Date(),
      sleep,
    });
    if (result.kind === 'failed') return failedFile(file, result);
    const { 'x-whence-held': held, 'repr-digest': sent } = headers;
    const held_at =
      typeof held === 'string' && /^[0-9]{1,15}$/.test(held) ? Number(held) : undefined;
    if (result.kind === 'unchanged') return { file, state: 'unchanged', held_at };
    const sha256 = await digestOf(target);
    if (sha256 === undefined || String(sent) !== `sha-256=:${sha256}:`) {
      rmSync(target, { force: true });
      const reason =
        sent === undefined
          ? 'the server sent no Repr-Digest'
          : 'checksum mismatch: not the digest that the server sent';
      return { file, state: 'failed', reason };
    }
    if ((await isEmpty(target)) && existsSync(path) && !(await isEmpty(path))) {
      rmSync(target, { force: true });
      const received = isDatabase(file) ? 'no database' : 'a list without prefixes';
      const reason = `the server sent ${received} (remove the file here to accept it)`;
      return { file, state: 'unavailable', reason };
    }
    this.#remember(file, { ...written, etag: result.etag, sha256 });
    renameSynced(target, path);
    return { file, state: 'replaced', held_at };
  }

  /**
   * Runs the command if it has not succeeded with these files. Undefined if that is not necessary.
   */
  async apply(
    names: readonly string[],
    command: string,
  ): Promise<'succeeded' | 'failed' | undefined> {
    const changed: [string, KnownFile][] = [];
    for (const [file, known] of Object.entries(this.#known))
      if (names.includes(file) && known.applied !== known.sha256)
        if ((await digestOf(join(this.#folder, file))) === known.sha256)
          changed.push([file, known]);
    if (changed.length === 0) return undefined;
    // Standard output may be JSON.
    const child = spawn(command, {
      shell: true,
      cwd: this.#folder,
      env: { ...this.#environment },
      stdio: ['ignore', 2, 2],
    });
    const [code] = await once(child, 'close');
    if (code !== 0) return 'failed';
    for (const [file, known] of changed) this.#remember(file, { ...known, applied: known.sha256 });
    return 'succeeded';
  }

  #remember(file: string, knownFile: KnownFile): void {
    this.#known[file] = knownFile;
    writeAtomically(
      join(this.#folder, '.sync/.state.json'),
      Buffer.from(JSON.stringify(this.#known)),
    );
  }
}

const UNREACHABLE = 'the server was not reached: ';
const isDatabase = (file: string) => file.endsWith('.mmdb');

/**
 * Whether a list in any of its formats has no prefix, or a database no metadata, which are in its
 * last 128 KiB. A firewall that loads an empty list allows everything that the last one refused,
 * and a program does not start with what is no database, so the server's own guard is not the only
 * one.
 */
async function isEmpty(path: string): Promise<boolean> {
  const start = isDatabase(path) ? Math.max(0, statSync(path).size - 128 * 1024) : 0;
  const chunks: Buffer[] = await createReadStream(path, { start }).toArray();
  const text = Buffer.concat(chunks).toString('latin1');
  if (isDatabase(path)) return !text.includes('\xab\xcd\xefMaxMind.com');
  const prefixes = text.replaceAll(/^#.*$/gm, '');
  return !/(?:\d+(?:\.\d+){3}|[0-9a-f]*:[0-9a-f]*:[0-9a-f:]*)\/\d/i.test(prefixes);
}

type FailedDownload = {
  readonly reason: string;
  readonly unreachable?: string;
  readonly body?: string;
};

function failedFile(file: string, { reason, unreachable, body }: FailedDownload): SyncedFile {
  if (body?.includes('"LIST_UNAVAILABLE"') === true)
    return {
      file,
      state: 'unavailable',
      reason: 'no source of this list counts today (LIST_UNAVAILABLE)',
    };
  if (unreachable !== undefined)
    return { file, state: 'failed', reason: `${UNREACHABLE}${reason}` };
  const [, permission] = /"required":"([\w:]+)"/.exec(body ?? '') ?? [];
  const missing = permission === undefined ? '' : `: the key needs the permission ${permission}`;
  return { file, state: 'failed', reason: `${reason}${missing}` };
}

function readState(path: string): Record<string, KnownFile> {
  try {
    return Object.assign({}, JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // None yet, or damaged: all files are fetched again.
    return {};
  }
}

/** In base64; undefined if there is no such file. */
async function digestOf(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return hash.digest('base64');
}
