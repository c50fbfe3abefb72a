/** Runs `wh dataset update` at an interval, in a process of lowest priority. Servers see the result in the manifest. */
import { spawn } from 'node:child_process';
import type { Logger } from '../log/log.ts';
import { type BackgroundProcess, idleCommand, startInBackground } from './background-process.ts';
import { readUpdateReport, UpdateReporter } from './update-report.ts';

type UpdaterOptions = {
  readonly dataDir: string;
  readonly intervalMs: number;
  /** The program that runs an update, and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly log: Logger;
  readonly nowMs: () => number;
  readonly random: () => number;
};

/** Replicas that were started together must not fetch the feeds at the same time. */
const JITTER = 0.1;
const FIRST_RETRY_MS = 60_000;
/** An update that takes longer than this is assumed to hang, and is killed. */
const MAX_RUN_MS = 3_600_000;

/** Single-threaded: V8's garbage collection and compilation would use other cores to finish two seconds sooner. */
export function updateCommand(bin: string, dataDir: string): readonly [string, ...string[]] {
  const update = ['dataset', 'update', '--json', '--data-dir', dataDir];
  return idleCommand([process.execPath, '--single-threaded', bin, ...update]);
}

export class Updater {
  readonly #options: UpdaterOptions;
  #timer: NodeJS.Timeout | undefined;
  #process: BackgroundProcess | undefined;
  #failures = 0;
  #isStopped = false;

  constructor(options: UpdaterOptions) {
    this.#options = options;
  }

  /** The first update is due one interval after the last successful one, scheduled or not; at once if there was none. */
  start(): void {
    const { dataDir, intervalMs, nowMs, random } = this.#options;
    const last = Date.parse(readUpdateReport(dataDir)?.succeeded_at ?? '');
    const due = Number.isNaN(last) ? 0 : Math.max(0, last + intervalMs - nowMs());
    this.#schedule(due === 0 ? random() * Math.min(FIRST_RETRY_MS, intervalMs * JITTER) : due);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#process?.child.kill();
    await this.#process?.exited;
  }

  #schedule(delayMs: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#run(), delayMs).unref();
    this.#options.log.debug({ seconds: Math.round(delayMs / 1000) }, 'next update');
  }

  async #run(): Promise<void> {
    const { intervalMs, random, log, dataDir } = this.#options;
    const started = performance.now();
    log.info('update started');
    const code = await this.#update();
    if (this.#isStopped) return;
    const { outcome, version, error, refused = [] } = readUpdateReport(dataDir) ?? {};
    const seconds = Math.round((performance.now() - started) / 1000);
    if (code === 0) {
      this.#failures = 0;
      log.info({ outcome, version, seconds, refused: refused.map(({ id }) => id) }, 'update finished');
      for (const { id, reason, used } of refused) log.warn({ feed: id, reason, used }, 'feed refused');
    } else {
      this.#failures++;
      log.warn({ code, error, seconds, failures: this.#failures }, 'update failed');
    }
    const pause = code === 0 ? intervalMs : Math.min(intervalMs, FIRST_RETRY_MS * 2 ** (this.#failures - 1));
    this.#schedule(pause * (1 + (random() * 2 - 1) * JITTER));
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

/** Feeds that failed are asked again at once; `paused`: also those whose server asked to wait. */
export type UpdateRetry = 'failed' | 'paused';

/** An administrator's update, which also asks failed feeds again. A report has the outcome; a lock keeps two apart. */
export function startUpdate(
  { command, dataDir, log }: Pick<UpdaterOptions, 'command' | 'dataDir' | 'log'>,
  retry: UpdateRetry,
): void {
  const [program, ...args] = [...command, retry === 'paused' ? '--retry-now' : '--retry'] as const;
  // The process writes its first step only once it has started, which takes half a minute on a busy machine.
  const reporter = new UpdateReporter(dataDir, new Date());
  reporter.step(STARTING);
  const child = spawn(program, args, { stdio: 'ignore', env: { ...process.env, WHENCE_DATA_DIR: dataDir } });
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
