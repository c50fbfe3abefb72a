/**
 * A PostgreSQL server of the test's own, with the binaries of the machine, on a free port; or the
 * one that WHENCE_TEST_DATABASE_URL names. Each test gets a database of its own, and nothing is
 * left behind.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../programs.ts';
import { until } from '../until.ts';

const DEBIAN = '/usr/lib/postgresql';
const given = process.env['WHENCE_TEST_DATABASE_URL'];

/** Why there is none, for `skip`; false where there is one. */
export const NO_POSTGRES: string | false =
  given === undefined && binaries() === undefined
    ? 'neither PostgreSQL binaries nor WHENCE_TEST_DATABASE_URL are here'
    : false;

/** The same for tests that stop and kill the server, which they do only to their own. */
export const NO_OWN_POSTGRES: string | false =
  binaries() === undefined ? 'PostgreSQL binaries are not here' : false;

export class PostgresServer {
  readonly url: string;
  readonly #launch: (() => ChildProcess) | undefined;
  readonly #remove: () => void;
  #child: ChildProcess | undefined;

  private constructor(url: string, launch?: () => ChildProcess, remove = () => {}) {
    this.url = url;
    this.#launch = launch;
    this.#remove = remove;
  }

  static async start(): Promise<PostgresServer> {
    return given === undefined ? PostgresServer.startOwn() : new PostgresServer(given);
  }

  /** `settings` such as `max_connections=20`. */
  static async startOwn(settings: readonly string[] = []): Promise<PostgresServer> {
    return PostgresServer.#startIn(settings, 'initdb', (data) => [
      '-D',
      data,
      '-U',
      'whence',
      '--auth=trust',
      '--no-sync',
      '-E',
      'UTF8',
    ]);
  }

  /** A hot standby of this server, which follows it until it is promoted. */
  async startStandby(settings: readonly string[] = []): Promise<PostgresServer> {
    return PostgresServer.#startIn(settings, 'pg_basebackup', (data) => [
      '--dbname',
      this.url,
      '--pgdata',
      data,
      '--write-recovery-conf',
      '--checkpoint=fast',
      '--no-sync',
    ]);
  }

  static async #startIn(
    settings: readonly string[],
    program: string,
    argumentsFor: (data: string) => string[],
  ): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), 'whence-postgres-'));
    const user = unprivilegedUser();
    if (user !== undefined) chownSync(folder, user.uid, user.gid);
    const data = join(folder, 'data');
    const run = { ...user, cwd: folder, stdio: 'ignore' } as const;
    execFileSync(join(postgresPrograms(), program), argumentsFor(data), run);
    const port = await freePort();
    const always = ['fsync=off', 'unix_socket_directories=', 'listen_addresses=127.0.0.1'];
    const options = [...always, ...settings].flatMap((setting) => ['-c', setting]);
    const launch = () =>
      spawn(
        join(postgresPrograms(), 'postgres'),
        ['-D', data, '-p', String(port), ...options],
        run,
      );
    const server = new PostgresServer(`postgres://whence@127.0.0.1:${port}/postgres`, launch, () =>
      rmSync(folder, { recursive: true, force: true }),
    );
    await server.resume();
    return server;
  }

  /** Process id, if the server is the test's own. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts it again where it was. */
  async resume(): Promise<void> {
    this.#child = this.#launch?.();
    await untilAnswers(this.url);
  }

  /**
   * SIGINT ends it in order, connections included; SIGKILL does not, and leaves its children to
   * notice.
   */
  async halt(signal: 'SIGINT' | 'SIGKILL' | 'SIGQUIT'): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  /**
   * Stops all its processes: connections stay open, and nothing answers. Returns how they go on.
   */
  freeze(): () => void {
    const pids = this.processes;
    for (const pid of pids) signal(pid, 'SIGSTOP');
    return () => {
      for (const pid of pids) signal(pid, 'SIGCONT');
    };
  }

  /** Its process and those of its connections. */
  get processes(): number[] {
    return this.pid === undefined ? [] : processesOf(this.pid);
  }

  /** The URL of an empty database, and how to remove it. */
  async createDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
    const name = `whence_test_${randomBytes(6).toString('hex')}`;
    await executeOn(this.url, `CREATE DATABASE ${name}`);
    return {
      url: this.urlOf(name),
      drop: async () => void (await executeOn(this.url, `DROP DATABASE ${name} WITH (FORCE)`)),
    };
  }

  async stop(): Promise<void> {
    await this.halt('SIGQUIT');
    this.#remove();
  }

  /** The URL of a database of this server. */
  urlOf(database: string): string {
    const url = new URL(this.url);
    url.pathname = `/${database}`;
    return url.href;
  }
}

/** On a connection of its own; the rows of the last statement. */
export async function executeOn(
  url: string,
  ...statements: string[]
): Promise<pg.QueryResult['rows']> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: pg.QueryResult['rows'] = [];
    for (const sql of statements) ({ rows } = await client.query(sql));
    return rows;
  } finally {
    await client.end();
  }
}

function processesOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...(children === '' ? [] : children.split(' ').map(Number))];
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // A connection that has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function binaries(): string | undefined {
  if (!existsSync(DEBIAN)) return undefined;
  const folders = readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin'));
  return folders.find((folder) => existsSync(join(folder, 'postgres')));
}

/** The folder with the programs of PostgreSQL, such as `pg_dump`. */
export function postgresPrograms(): string {
  return binaries() ?? '';
}

/** PostgreSQL and PgBouncer refuse to run as root. */
export function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function untilAnswers(url: string): Promise<void> {
  let reason = '';
  const answers = async () => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    try {
      await client.connect();
      await client.end();
      return true;
    } catch (error) {
      reason = String(error);
      return false;
    }
  };
  await until('PostgreSQL answers', answers, { everyMs: 50, state: () => reason });
}
