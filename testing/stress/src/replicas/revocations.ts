/**
 * Keys that are created, used and revoked during the run, with the command. Once a revocation has
 * returned, no replica may accept the key again, whatever happens to the database.
 */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { WHENCE } from '@whence/testing/whence-program';
import type { Traffic } from './traffic.ts';

const run = promisify(execFile);
const PAUSE_MS = 1_500;
const RETRY_MS = 500;

export type Acceptance = { readonly atMs: number; readonly when: string };

export class Revocations {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #traffic: Traffic;
  readonly revoked: string[] = [];
  /** Keys that were accepted after their revocation had returned. */
  readonly accepted: Acceptance[] = [];
  /** Commands that failed and were repeated, which they may while the database is away. */
  failures = 0;
  #isStopped = false;
  #isHeld = false;
  /** Resolves when the key at hand is revoked. */
  #turn: Promise<void> = Promise.resolve();

  constructor(databaseUrl: string, dataDir: string, traffic: Traffic) {
    this.#environment = {
      PATH: process.env['PATH'],
      WHENCE_DATABASE_URL: databaseUrl,
      WHENCE_DATA_DIR: dataDir,
    };
    this.#traffic = traffic;
  }

  async run(): Promise<void> {
    while (!this.#isStopped) {
      if (!this.#isHeld) {
        this.#turn = this.#revokeOne();
        await this.#turn;
      }
      await sleep(PAUSE_MS);
    }
    await this.#mustBeRefused(this.revoked, 'at the end');
  }

  stop(): void {
    this.#isStopped = true;
  }

  /**
   * While a backup is restored: it does not have the revocations since, so these keys are revoked
   * again.
   */
  async holdDuring(
    restore: () => Promise<void>,
    isInBackup: (key: string) => boolean,
  ): Promise<void> {
    this.#isHeld = true;
    await this.#turn;
    const lost = this.revoked.filter((key) => !isInBackup(key));
    this.revoked.splice(0, this.revoked.length, ...this.revoked.filter(isInBackup));
    await restore();
    await this.#mustBeRefused(this.revoked, 'after the restore');
    for (const key of lost) {
      // Keys that were created after the backup are unknown, and refused for that reason.
      if ((await this.#settledStatuses(key)).includes(200)) await this.#revoke(key);
      else this.revoked.push(key);
    }
    await this.#mustBeRefused(lost, 'revoked again');
    this.#isHeld = false;
  }

  async #revokeOne(): Promise<void> {
    const key = (
      await this.#whence(['key', 'create', '--name', 'soak', '--tier', 'enterprise'])
    ).trim();
    await this.#traffic.statuses(key);
    await this.#revoke(key);
    await this.#mustBeRefused([key], 'after the command');
    await this.#mustBeRefused(this.revoked.slice(-20), 'later');
  }

  async #revoke(key: string): Promise<void> {
    await this.#whence(['key', 'revoke', key]);
    this.revoked.push(key);
  }

  /** Once both replicas have storage again. */
  async #settledStatuses(key: string): Promise<number[]> {
    for (;;) {
      const statuses = await this.#traffic.statuses(key);
      if (statuses.every((status) => status === 200 || status === 401)) return statuses;
      await sleep(RETRY_MS);
    }
  }

  async #mustBeRefused(keys: readonly string[], when: string): Promise<void> {
    for (const key of keys) {
      const statuses = await this.#traffic.statuses(key);
      if (statuses.includes(200)) this.accepted.push({ atMs: Date.now(), when });
    }
  }

  /** Repeated until it works: the database may be away. */
  async #whence(args: readonly string[]): Promise<string> {
    for (;;) {
      try {
        return (await run(process.execPath, [WHENCE, ...args], { env: this.#environment })).stdout;
      } catch (error) {
        this.failures++;
        if (this.#isStopped) throw error;
        await sleep(RETRY_MS);
      }
    }
  }
}
