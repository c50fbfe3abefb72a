/**
 * Runs `wh dataset update` at an interval, in a process of lowest priority. Servers see the result
 * in the manifest.
 */
import { spawn } from 'node:child_process';
import type { Logger } from '../log/log.ts';
import { type BackgroundProcess, idleCommand, startInBackground } from './background-process.ts';
import { readUpdateReport, type UpdateReport, UpdateReporter } from './update-report.ts';

type UpdaterOptions = {
  readonly dataDir: string;
  readonly intervalMs: number;
  /** The program that runs an update, and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly log: Logger;
  readonly nowMs: () => number;
  readonly random: () => number;
  /** An update has failed, and its report could not be written. */
  readonly onUnwritten?: (report: UpdateReport) => void;
};

/** Replicas that were started together must not fetch the feeds at the same time. */
const JITTER = 0.1;
const FIRST_RETRY_MS = 60_000;
/** How often a machine that reaches no feed tries again; it logs that once a day. */
const OFFLINE_RETRY_MS = 3_600_000;
const OFFLINE_LOG_MS = 86_400_000;
/** An update that takes longer than this is assumed to hang, and is killed. */
const MAX_RUN_MS = 3_600_000;

/**
 * Single-threaded: V8's garbage collection and compilation would use other cores to finish two
 * seconds sooner.
 */
export function updateCommand(bin: string, dataDir: string): readonly [string, ...string[]] {
  const update = ['dataset', 'update', '--json', '--data-dir', dataDir];
  return idleCommand([process.execPath, '--single-threaded', bin, ...update]);
}

export class Updater {
  readonly #options: UpdaterOptions;
  #timer: NodeJS.Timeout | undefined;
  #process: BackgroundProcess | undefined;
  #failures = 0;
  #isOffline = false;
  #offlineLoggedMs = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(options: UpdaterOptions) {
    this.#options = options;
  }

  /**
   * The first update is due one interval after the last successful one, scheduled or not; at once
   * if there was none.
   */
  start(): void {
    const { dataDir, intervalMs, nowMs, random } = this.#options;
    const { outcome, succeeded_at = '' } = readUpdateReport(dataDir) ?? {};
    if (outcome === 'running') {
      this.#wait(FIRST_RETRY_MS, () => this.start());
      return;
    }
    const last = Date.parse(succeeded_at);
    const due = Number.isNaN(last) ? 0 : Math.max(0, last + intervalMs - nowMs());
    this.#schedule(due === 0 ? random() * Math.min(FIRST_RETRY_MS, intervalMs * JITTER) : due);
  }

  /** Starts no other update; one that runs is not ended. */
  retire(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async stop(): Promise<void> {
    this.retire();
    this.#process?.child.kill();
    await this.#process?.exited;
  }

  #schedule(delayMs: number): void {
    this.#wait(delayMs, () => void this.#run());
    this.#options.log.debug({ seconds: Math.round(delayMs / 1000) }, 'next update');
  }

  #wait(delayMs: number, work: () => void): void {
    if (!this.#isStopped) this.#timer = setTimeout(work, delayMs).unref();
  }

  async #run(): Promise<void> {
    const { random, log, dataDir } = this.#options;
    const started = performance.now();
    const startedAt = new Date(this.#options.nowMs());
    log[this.#isOffline ? 'debug' : 'info']('update started');
    const code = await this.#update();
    if (this.#isStopped) return;
    const report = readUpdateReport(dataDir);
    const { outcome, version, error, refused = [] } = report ?? {};
    const seconds = Math.round((performance.now() - started) / 1000);
    this.#isOffline = code !== 0 && report?.is_offline === true;
    if (code === 0) {
      this.#failures = 0;
      log.info(
        { outcome, version, seconds, refused: refused.map(({ id }) => id) },
        'update finished',
      );
      for (const { id, reason, used } of refused)
        log.warn({ feed: id, reason, used }, 'feed refused');
    } else if (this.#isOffline) {
      this.#failures++;
      this.#logOffline(error);
    } else {
      this.#failures++;
      log.warn({ code, error, seconds, failures: this.#failures }, 'update failed');
      if (Date.parse(report?.started_at ?? '') < startedAt.getTime() || report === undefined)
        this.#options.onUnwritten?.({
          outcome: 'failed',
          started_at: startedAt.toISOString(),
          finished_at: new Date(this.#options.nowMs()).toISOString(),
          error: `the update ended with code ${code} and could not write its report`,
        });
    }
    this.#schedule(this.#pauseMs() * (1 + (random() * 2 - 1) * JITTER));
  }

  #pauseMs(): number {
    const { intervalMs } = this.#options;
    if (this.#failures === 0) return intervalMs;
    if (this.#isOffline) return Math.min(intervalMs, OFFLINE_RETRY_MS);
    return Math.min(intervalMs, FIRST_RETRY_MS * 2 ** (this.#failures - 1));
  }

  #logOffline(error: string | undefined): void {
    const { log, nowMs } = this.#options;
    if (nowMs() - this.#offlineLoggedMs < OFFLINE_LOG_MS) return;
    this.#offlineLoggedMs = nowMs();
    log.warn(
      { error },
      'public lists cannot be fetched from here; trying again at least every hour',
    );
  }

  async #update(): Promise<number> {
    const { command, log } = this.#options;
    this.#process = startInBackground(command, MAX_RUN_MS, (step) => log.debug({ step }, 'update'));
    const code = await this.#process.exited;
    this.#process = undefined;
    return code;
  }
}

const STARTING = 'starting';

/**
 * An administrator's update, which fetches every feed. A report has the outcome; a lock keeps two
 * apart.
 */
export function startUpdate({
  command,
  dataDir,
  log,
}: Pick<UpdaterOptions, 'command' | 'dataDir' | 'log'>): void {
  const [program, ...args] = [...command, '--refetch'] as const;
  // The process writes its first step only once it has started, which takes half a minute on a busy
  // machine.
  const reporter = new UpdateReporter(dataDir, new Date());
  reporter.step(STARTING);
  const child = spawn(program, args, {
    stdio: 'ignore',
    env: { ...process.env, WHENCE_DATA_DIR: dataDir },
  });
  // It outlives this process: a restart should not lose an update that is nearly done.
  child.unref();
  const failUnlessStarted = (error: string) => {
    const { outcome, step } = readUpdateReport(dataDir) ?? {};
    if (outcome === 'running' && step === STARTING) reporter.fail(new Date(), error);
  };
  child.once('error', (error) => {
    log.warn({ err: error }, 'update could not be started');
    failUnlessStarted('the update could not be started; the server log has the reason');
  });
  child.once('exit', (code) => {
    log.info({ code }, 'requested update has ended');
    failUnlessStarted(`the update ended with code ${code} before its first step`);
  });
}
