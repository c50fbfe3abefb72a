/**
 * The database of a deployment, and what happens to it: restarts, kills, a stop, a failover to a
 * synchronous standby, a restored backup. Replicas reach it at one address, half of them through
 * PgBouncer in transaction mode.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { PgBouncerServer } from '@whence/testing/servers/pgbouncer-server';
import { PostgresServer, postgresPrograms } from '@whence/testing/servers/postgres-server';
import { until } from '@whence/testing/until';
import pg from 'pg';
import { FixedAddress } from './address.ts';

const run = promisify(execFile);
const NAME = 'whence';
/** Two replicas of two workers with 11 each, and commands. */
const SETTINGS = ['max_connections=100', 'shared_buffers=64MB'];
/** By default PgBouncer waits 15 s after a failed connection before it tries another one. */
const POOLER = ['pool_mode = transaction', 'default_pool_size = 20', 'server_login_retry = 1'];

export class Database {
  #primary: PostgresServer;
  #standby: PostgresServer | undefined;
  readonly #address: FixedAddress;
  readonly #pooler: PgBouncerServer;
  readonly #folder: string;

  private constructor(
    primary: PostgresServer,
    address: FixedAddress,
    pooler: PgBouncerServer,
    folder: string,
  ) {
    this.#primary = primary;
    this.#address = address;
    this.#pooler = pooler;
    this.#folder = folder;
  }

  /** `folder` is for the backup. */
  static async start(folder: string): Promise<Database> {
    const primary = await PostgresServer.startOwn(SETTINGS);
    try {
      await query(primary.url, `CREATE DATABASE ${NAME}`);
      const address = await FixedAddress.open(primary.url);
      const pooler = await PgBouncerServer.start(address.url(primary.url), POOLER);
      return new Database(primary, address, pooler, folder);
    } catch (error) {
      await primary.stop();
      throw error;
    }
  }

  /** What replicas and commands use. */
  get url(): string {
    return this.#address.url(this.#primary.urlOf(NAME));
  }

  get pooledUrl(): string {
    return this.#pooler.url(this.#primary.urlOf(NAME));
  }

  async restart(): Promise<void> {
    await this.#primary.halt('SIGINT');
    await this.#primary.resume();
  }

  /** Its children notice and end, and only then another one can be started. */
  async kill(): Promise<void> {
    const pids = this.#primary.processes;
    await this.#primary.halt('SIGKILL');
    await until('its children have ended', () => !pids.some((pid) => existsSync(`/proc/${pid}`)));
    await this.#primary.resume();
  }

  /** All its processes stop and go on later: connections stay open and nothing answers. */
  async pause(ms: number): Promise<void> {
    const goOn = this.#primary.freeze();
    await sleep(ms);
    goOn();
  }

  /** A standby for which each commit waits, so that a failover loses none. */
  async addStandby(): Promise<void> {
    this.#standby = await this.#primary.startStandby(SETTINGS);
    await query(this.#primary.url, "ALTER SYSTEM SET synchronous_standby_names = '*'");
    await query(this.#primary.url, 'SELECT pg_reload_conf()');
    await until('commits wait for the standby', async () => {
      const rows = await query(
        this.#primary.url,
        "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'",
      );
      return rows.length > 0;
    });
  }

  /** The primary is lost, and the standby takes its place and its address. */
  async failOver(): Promise<void> {
    const standby = this.#standby;
    if (standby === undefined) throw new Error('there is no standby');
    await this.#primary.halt('SIGKILL');
    await query(standby.url, 'SELECT pg_promote()');
    await this.#primary.stop();
    this.#primary = standby;
    this.#standby = undefined;
    this.#address.leadTo(standby.url);
  }

  async backUp(): Promise<void> {
    await run(join(postgresPrograms(), 'pg_dump'), [
      '--format=custom',
      `--file=${this.#backup}`,
      this.#own(NAME),
    ]);
  }

  /** As docs/backup.md says, while replicas run. */
  async restore(): Promise<void> {
    const admin = (sql: string) => query(this.#primary.url, sql);
    await admin(`CREATE DATABASE ${NAME}_restored`);
    const target = `--dbname=${this.#own(`${NAME}_restored`)}`;
    await run(join(postgresPrograms(), 'pg_restore'), [
      '--no-owner',
      '--exit-on-error',
      target,
      this.#backup,
    ]);
    await admin(`ALTER DATABASE ${NAME} ALLOW_CONNECTIONS false`);
    await admin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${NAME}'`);
    await until('no connection is left', async () => {
      const rows = await admin(`SELECT 1 FROM pg_stat_activity WHERE datname = '${NAME}'`);
      return rows.length === 0;
    });
    await admin(`ALTER DATABASE ${NAME} RENAME TO ${NAME}_old`);
    await admin(`ALTER DATABASE ${NAME}_restored RENAME TO ${NAME}`);
  }

  async stop(): Promise<void> {
    await this.#pooler.stop();
    await this.#address.close();
    await Promise.all([this.#primary.stop(), this.#standby?.stop()]);
  }

  get #backup(): string {
    return join(this.#folder, 'backup.dump');
  }

  #own(name: string): string {
    return this.#primary.urlOf(name);
  }
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
