/**
 * Keeps a replica at a static host's current version, in one process; the others see the manifest
 * change.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProxyVariables } from '@whence/dataset/io/proxy';
import { prune } from '@whence/dataset/versions';
import { type PullMemory, type PullOutcome, pull } from '@whence/dataset/versions/pull';
import type { Retention } from '@whence/dataset/versions/retention';
import type { Logger } from '../log/log.ts';
import { reportPull, type UpdateReport } from './update-report.ts';

/** Replicas that were started together should not pull at the same time. */
const JITTER = 0.2;
const FIRST_RETRY_SECONDS = 1;
const LAST_RETRY_SECONDS = 600;

type PullerOptions = {
  url: string;
  dataDir: string;
  keepVersions: Retention;
  intervalSeconds: number;
  /** Proxies to reach the host; direct without them. */
  proxies?: ProxyVariables;
  /** Hides the secrets of settings in reports. */
  mask?: (text: string) => string;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  now: () => Date;
  random: () => number;
  /** The outcome of a pull could not be written beside the datasets. */
  onUnwritten?: (report: UpdateReport) => void;
};

type PullerStatus = {
  last_attempt?: Date;
  last_success?: Date;
  version?: number;
  /** Why the last attempt failed, or did not pull the newest version; absent otherwise. */
  last_error?: string;
  failures: number;
  adoptions: number;
};

export class DatasetPuller {
  readonly #options: PullerOptions;
  readonly #memory: PullMemory = {};
  readonly #stop = new AbortController();
  #status: PullerStatus = { failures: 0, adoptions: 0 };
  #loop: Promise<void> | undefined;
  #endFirstAttempt = () => {};
  readonly #firstAttempt = new Promise<void>((resolve) => {
    this.#endFirstAttempt = resolve;
  });

  constructor(options: PullerOptions) {
    this.#options = options;
  }

  get status(): Readonly<PullerStatus> {
    return this.#status;
  }

  /** Fulfilled when the first attempt has ended, or the puller was stopped. */
  get firstAttempt(): Promise<void> {
    return this.#firstAttempt;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Aborts a running download; the next start resumes it. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const outcome = await this.#attempt();
      this.#endFirstAttempt();
      if (signal.aborted) return;
      if (this.#record(outcome)) this.#prune();
      const seconds = delaySeconds(
        this.#options.intervalSeconds,
        this.#status.failures,
        this.#options.random(),
      );
      // Rejects only when it is aborted, which the loop condition handles.
      await sleep(seconds * 1000, undefined, { signal }).catch(() => {});
    }
  }

  async #attempt(): Promise<PullOutcome> {
    const { url, dataDir, proxies = {}, now, log } = this.#options;
    try {
      return await pull(url, dataDir, {
        now,
        memory: this.#memory,
        signal: this.#stop.signal,
        network: { proxies },
      });
    } catch (error) {
      // A bug, not a failure of the host or the disk. The version in use is still served, and a
      // later manifest may work.
      log.error({ err: error }, 'pulling a dataset failed unexpectedly');
      return { kind: 'failed', reason: 'an unexpected error, see the log' };
    }
  }

  #record(outcome: PullOutcome): boolean {
    const { log, now } = this.#options;
    this.#report(outcome);
    const { last_error: before, ...unchanged } = this.#status;
    const status = { ...unchanged, last_attempt: now() };
    if (outcome.kind === 'failed') {
      // Once per reason: a host that is down for a night is one log line.
      if (outcome.reason !== before)
        log.warn({ reason: outcome.reason }, 'dataset could not be pulled');
      this.#status = { ...status, last_error: outcome.reason, failures: status.failures + 1 };
      return false;
    }
    const { version } = outcome;
    const isNew = outcome.kind === 'adopted';
    if (isNew) log.info({ version }, 'dataset pulled');
    else if (before !== undefined) log.info({ version }, 'dataset host answers again');
    const adoptions = status.adoptions + (isNew ? 1 : 0);
    this.#status = { ...status, last_success: now(), version, failures: 0, adoptions };
    return isNew;
  }

  /** For /readyz and metrics of other processes, which are notified even if the disk is full. */
  #report(outcome: PullOutcome): void {
    const { dataDir, now, log, mask, onUnwritten = () => {} } = this.#options;
    try {
      reportPull(dataDir, outcome, now(), mask);
    } catch (error) {
      log.warn({ err: error }, 'the outcome of a pull could not be recorded');
      const at = now().toISOString();
      const ended = { started_at: at, finished_at: at };
      onUnwritten(
        outcome.kind === 'failed'
          ? { ...ended, outcome: 'failed', error: outcome.reason }
          : { ...ended, outcome: 'unchanged', version: outcome.version },
      );
    }
  }

  /** A failure does not affect the adopted version; the next adoption tries again. */
  #prune(): void {
    const { dataDir, keepVersions, log, now } = this.#options;
    try {
      prune(dataDir, keepVersions, now());
    } catch (error) {
      log.warn({ err: error }, 'old versions of the dataset could not be removed');
    }
  }
}

/**
 * Until the next attempt: the interval, or 1, 2, 4 … s up to ten minutes after failures, with a
 * jitter of 20%.
 */
export function delaySeconds(intervalSeconds: number, failures: number, random: number): number {
  const retry = Math.min(
    LAST_RETRY_SECONDS,
    Math.min(FIRST_RETRY_SECONDS, intervalSeconds) * 2 ** (failures - 1),
  );
  return (failures === 0 ? intervalSeconds : retry) * (1 - JITTER + 2 * JITTER * random);
}
