/**
 * A server on a real socket with a small dataset, for tests: in this process with a clock of the
 * test's own, or as processes of its own.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backup, DatabaseSync } from '@photostructure/sqlite';
import { type Sample, sampleContent } from '@whence/dataset/test/sample-dataset';
import { publish } from '@whence/dataset/versions';
import { AuditLog } from '../audit/audit-log.ts';
import type { NewKey } from '../keys/key.ts';
import { Keys } from '../keys/keys.ts';
import { openLog } from '../log/log.ts';
import { type ServerOptions, startServer } from '../process/server.ts';
import { readConfig } from '../settings/config.ts';
import { DEFAULT_PERMISSIONS } from '../vocabulary.ts';
import { openTestStorage } from './storage/engines.ts';

export const SAMPLE: Sample = {
  routes: [
    ['1.0.0.0/16', 64500, 'Exämple "Nord" GmbH'],
    ['3.0.0.0/8', 16509, 'Amazon.com, Inc.'],
    ['8.8.8.0/24', 15169, 'Google LLC'],
    ['2001:4860::/32', 15169, 'Google LLC'],
    ['9.0.0.0/16', 22394, 'Verizon Business'],
  ],
  countries: [
    ['8.8.8.0/24', 'US'],
    ['2001:4860::/32', 'US'],
    ['3.0.0.0/8', 'US'],
  ],
  delegated: [
    ['8.8.8.0/24', 'US'],
    ['1.0.0.0/16', 'AU'],
  ],
  crawlers: [['3.0.0.16/28', 'OpenAI']],
  tor: [['1.0.9.9/32', 'Relay Friends']],
};

/** In the audit log. */
const TEST = { name: 'test' };

export const bin = join(import.meta.dirname, '../bin.js');

export class TestFolder {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'whence-server-'));
  readonly #databaseUrl: string | undefined;

  /** Keys and counts are in the data directory, or in a PostgreSQL database. */
  constructor(databaseUrl?: string) {
    this.#databaseUrl = databaseUrl;
  }

  get environment(): Record<string, string> {
    return {
      WHENCE_DATA_DIR: this.dataDir,
      ...(this.#databaseUrl === undefined ? {} : { WHENCE_DATABASE_URL: this.#databaseUrl }),
    };
  }

  /** As `openStorage` takes it. */
  get location(): string {
    return this.#databaseUrl ?? this.dataDir;
  }

  publish(sample: Sample = SAMPLE): number {
    return publish(this.dataDir, sampleContent(sample), new Date()).version;
  }

  /** Makes a key the way the command line does: with a connection of its own. */
  async createKey(given: Partial<NewKey> = {}) {
    const newKey = {
      name: 'test',
      tier: 'enterprise',
      permissions: DEFAULT_PERMISSIONS,
      ...given,
    } as const;
    return this.withKeys((keys) => keys.create(newKey, TEST, new Date()));
  }

  async revokeKey(id: string): Promise<string> {
    return this.withKeys(async (keys) => keys.revoke(id, TEST, new Date()));
  }

  async withKeys<T>(work: (keys: Keys) => Promise<T>): Promise<T> {
    const storage = await openTestStorage(this.location, { isSequential: true });
    try {
      return await work(new Keys(storage.keys, new AuditLog(storage.audit)));
    } finally {
      await storage.close();
    }
  }

  /**
   * A backup or its restoration: the database as SQLite writes it, under a name of its own, then
   * moved into place.
   */
  async copyDatabaseTo(target: TestFolder): Promise<void> {
    const source = new DatabaseSync(this.#databasePath, { readOnly: true });
    const unfinished = `${target.#databasePath}.restored`;
    await backup(source, unfinished);
    source.close();
    for (const suffix of ['-wal', '-shm']) rmSync(target.#databasePath + suffix, { force: true });
    renameSync(unfinished, target.#databasePath);
  }

  get #databasePath(): string {
    return join(this.dataDir, 'whence.sqlite');
  }

  remove(): void {
    // A worker that was killed may still be writing. Retries of Node do not remove what was written
    // meanwhile.
    for (let tries = 5; ; tries--)
      try {
        rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
        return;
      } catch (error) {
        if (tries === 0 || (error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
      }
  }
}

/** In this process. `clock.nowMs` may be moved by the test. */
export async function startInProcess(
  folder: TestFolder,
  clock = { nowMs: Date.now() },
  environment: Record<string, string> = {},
  options: ServerOptions = {},
) {
  const config = readConfig({ ...folder.environment, WHENCE_PORT: '0', ...environment });
  const server = await startServer(config, openLog('fatal').logger, () => clock.nowMs, {
    graceMs: 0,
    statisticsMs: 1_000,
    measuresWait: false,
    ...options,
  });
  return { ...server, clock };
}

/** As `wh serve` in processes of its own, which can be killed. */
export class ServerProcess {
  readonly url: string;
  readonly child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.child = child;
  }

  static async start(
    folder: TestFolder,
    environment: Record<string, string> = {},
    program = bin,
  ): Promise<ServerProcess> {
    const child = spawn(process.execPath, [program, 'serve'], {
      env: {
        ...process.env,
        ...folder.environment,
        WHENCE_PORT: '0',
        WHENCE_LOG_LEVEL: 'fatal',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    for await (const text of child.stdout?.setEncoding('utf8') ?? []) {
      output += text;
      const url = /listens on (http:\S+)/.exec(output)?.[1];
      if (url !== undefined) return new ServerProcess(url, child);
    }
    throw new Error(`the server ended before it listened: ${output}`);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    this.child.kill(signal);
    const [code] = await once(this.child, 'exit');
    return code;
  }
}
