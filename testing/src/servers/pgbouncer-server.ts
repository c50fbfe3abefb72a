/**
 * A PgBouncer of the test's own in front of a PostgreSQL server, in transaction mode, on a free
 * port.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findProgram, freePort } from '../programs.ts';
import { until } from '../until.ts';
import { unprivilegedUser } from './postgres-server.ts';

/** For `skip`; false where it is installed. */
export const NO_PGBOUNCER: string | false =
  findProgram('pgbouncer') === undefined ? 'pgbouncer is not here' : false;

export class PgBouncerServer {
  readonly #port: number;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(port: number, child: ChildProcess, folder: string) {
    this.#port = port;
    this.#child = child;
    this.#folder = folder;
  }

  /** `settings` are lines of its configuration, such as `default_pool_size = 4`. */
  static async start(serverUrl: string, settings: readonly string[]): Promise<PgBouncerServer> {
    const folder = mkdtempSync(join(tmpdir(), 'whence-pgbouncer-'));
    const user = unprivilegedUser();
    if (user !== undefined) chownSync(folder, user.uid, user.gid);
    const { hostname, port: serverPort } = new URL(serverUrl);
    const port = await freePort();
    const path = join(folder, 'pgbouncer.ini');
    const lines = [
      '[databases]',
      `* = host=${hostname} port=${serverPort}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      ...settings,
    ];
    // `auth_type = any` ignores the user of the client, so PostgreSQL needs one here.
    lines[1] += ` user=${new URL(serverUrl).username}`;
    writeFileSync(path, `${lines.join('\n')}\n`);
    const child = spawn(findProgram('pgbouncer') ?? '', ['-q', path], {
      ...user,
      cwd: folder,
      stdio: 'ignore',
    });
    const server = new PgBouncerServer(port, child, folder);
    await until('PgBouncer answers', () => answers(server.url(serverUrl)), { everyMs: 50 });
    return server;
  }

  /** The URL of a database, through this pooler. */
  url(databaseUrl: string): string {
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${this.#port}`;
    return url.href;
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
