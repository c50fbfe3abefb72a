/** `wh serve` as processes of its own, with its log, its workers and its port for metrics. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { freePort } from '@whence/testing/programs';
import { WHENCE } from '@whence/testing/whence-program';

const START_TIMEOUT_MS = 60_000;
/** More than the 10 seconds that the server gives to requests in flight. */
const STOP_TIMEOUT_MS = 20_000;
const KEPT_ERRORS = 10;
const ERRORS: readonly string[] = ['error', 'fatal'];

/** How the first process ended: an exit code, or the signal that ended it. */
export type Ending = number | NodeJS.Signals;

export class ServerUnderTest {
  readonly pid: number;
  readonly port: number;
  readonly metricsUrl: string;
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;
  readonly #log: ServerLog;

  private constructor(child: ChildProcess, log: ServerLog, port: number, metricsPort: number) {
    this.#child = child;
    this.#log = log;
    this.pid = child.pid as number;
    this.port = port;
    this.metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
    this.ended = endingOf(child);
  }

  /**
   * Aborting kills it, and its workers with it: they end when their channel to the first process
   * does.
   */
  static async start(
    dataDir: string,
    settings: NodeJS.ProcessEnv,
    signal: AbortSignal,
  ): Promise<ServerUnderTest> {
    // The caller's environment is not passed on: WHENCE_… or NODE_OPTIONS would affect the results.
    const env = {
      PATH: process.env['PATH'],
      WHENCE_DATA_DIR: dataDir,
      // Not 0: if all workers are killed at once, their successors would listen on another port.
      WHENCE_PORT: String(await freePort()),
      WHENCE_METRICS_PORT: '0',
      ...settings,
    };
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
    const child = spawn(process.execPath, [WHENCE, 'serve'], {
      env,
      stdio,
      signal,
      killSignal: 'SIGKILL',
    });
    // An abort is reported as an error too.
    child.on('error', () => {});
    const log = new ServerLog();
    createInterface({ input: child.stderr }).on('line', (line) => log.add(line));
    const lines = createInterface({ input: child.stdout });
    const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
    const ports = await Promise.race([
      Promise.all([once(lines, 'line'), log.metricsPort]).then(([[line], metricsPort]) => ({
        line,
        metricsPort,
      })),
      once(child, 'exit').then(() => undefined),
    ]);
    clearTimeout(timer);
    const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(String(ports?.line))?.[1];
    if (ports === undefined || port === undefined)
      throw new Error(`the server did not start: ${log.errors.join('\n')}`);
    return new ServerUnderTest(child, log, Number(port), ports.metricsPort);
  }

  /** Process ids of the workers; none if the first process answers requests itself. */
  workers(): number[] {
    const children = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8').trim();
    return children === '' ? [] : children.split(' ').map(Number);
  }

  /** All processes that exist now. */
  processes(): number[] {
    return [this.pid, ...this.workers()];
  }

  /**
   * Messages of level error and above, with their number; `firstErrors` has the first line of each
   * kind.
   */
  get errorCounts(): ReadonlyMap<string, number> {
    return this.#log.counts;
  }

  get firstErrors(): readonly string[] {
    return this.#log.errors;
  }

  /** Resolves with the exit code, or with the signal that ended it. */
  async stop(): Promise<Ending> {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    this.#child.kill('SIGTERM');
    const ending = await this.ended;
    clearTimeout(timer);
    return ending;
  }
}

async function endingOf(child: ChildProcess): Promise<Ending> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return code ?? signal ?? 'SIGKILL';
}

/**
 * Lines of JSON, as the server writes them without a terminal. Anything else, such as a stack
 * trace, is an error.
 */
class ServerLog {
  readonly counts = new Map<string, number>();
  readonly errors: string[] = [];
  readonly #kinds = new Set<string>();
  /** From the line that says that it listens. */
  readonly metricsPort: Promise<number>;
  #gotMetricsPort: (port: number) => void = () => {};

  constructor() {
    this.metricsPort = new Promise((resolve) => {
      this.#gotMetricsPort = resolve;
    });
  }

  add(line: string): void {
    const { level = 'error', msg = 'not a line of the log', metrics_port, err } = parseLine(line);
    if (metrics_port !== undefined) this.#gotMetricsPort(metrics_port);
    if (!ERRORS.includes(level)) return;
    this.counts.set(msg, (this.counts.get(msg) ?? 0) + 1);
    // The first of each kind: a hundred workers that died would hide the rest.
    const kind = `${msg} ${err?.message}`;
    if (this.#kinds.has(kind) || this.errors.length >= KEPT_ERRORS) return;
    this.#kinds.add(kind);
    this.errors.push(line);
  }
}

type LogLine = { level?: string; msg?: string; metrics_port?: number; err?: { message?: string } };

function parseLine(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return {};
  }
}
