/**
 * Child processes, bound to a core where that matters: servers to the first, whoever asks them to the second, so that neither takes time from
 * the other. Knows all that it has started and can end it, whatever happened.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism, constants, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

/** Where a process runs, and who goes first. */
export type Place = { readonly core?: number; readonly priority?: number };

export const SERVER_CORE: Place = { core: 0 };
export const LOAD_CORE: Place = { core: 1 };
export const ANY_CORE: Place = {};
/** Behind all others, as the server starts its updates. */
export const BACKGROUND: Place = { priority: constants.priority.PRIORITY_LOW };

const START_MS = 30_000;
/** For a process that runs to its end, on top of the time it is meant to take. */
const GRACE_MS = 60_000;
/** The server gives requests in flight 10 seconds. */
const STOP_MS = 15_000;
const MAX_COMPLAINT_CHARACTERS = 4_000;
/** Linux counts the time of a process in hundredths of a second, on every platform that Node runs on. */
const TICKS_PER_SECOND = 100;

export type StartedProcess = {
  readonly pid: number;
  readonly firstLine: string;
  stop(): Promise<void>;
};

/** What stands in the way of a measurement, in one sentence. */
export function findObstacle(): string | undefined {
  if (spawnSync('wrk', ['--version']).error !== undefined)
    return 'wrk, which generates the load, is missing: install it with apt-get install -y wrk';
  if (spawnSync('taskset', ['--version']).error !== undefined)
    return 'taskset, which binds processes to cores, is missing: install it with apt-get install -y util-linux';
  if (availableParallelism() < 2) return 'the server and the load generator need a core each, and there is only one';
  return undefined;
}

export class PinnedProcesses {
  readonly #running = new Set<ChildProcess>();
  #isClosed = false;

  /** Starts a Node script that goes on running, and waits for the first line that it prints. */
  async start(place: Place, args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<StartedProcess> {
    const { child, complaints } = this.#spawn(place, process.execPath, args, environment);
    const [outcome] = await Promise.race([
      once(createInterface({ input: child.stdout }), 'line', { signal: AbortSignal.timeout(START_MS) }),
      once(child, 'exit'),
    ]);
    if (typeof outcome !== 'string') throw new Error(`${args.join(' ')} did not start: ${complaints()}`);
    // What it prints later is of no interest, but must not fill the pipe.
    child.stdout.resume();
    return { pid: child.pid as number, firstLine: outcome, stop: () => stop(child) };
  }

  /** Runs a program to its end and returns what it printed. */
  async run(place: Place, program: string, args: readonly string[], expectedMs: number, environment = {}) {
    const { child, complaints } = this.#spawn(place, program, args, environment);
    const timer = setTimeout(() => child.kill('SIGKILL'), expectedMs + GRACE_MS);
    const [output, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    clearTimeout(timer);
    if (exitCode !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${exitCode}: ${complaints()}`);
    return output;
  }

  /** Ends all, and lets none start any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#running].map(stop));
  }

  #spawn({ core, priority }: Place, program: string, args: readonly string[], environment: NodeJS.ProcessEnv) {
    if (this.#isClosed) throw new Error('the benchmark has ended');
    // Without the caller's settings: a WHENCE_… or NODE_OPTIONS of theirs would be measured too.
    const env = { PATH: process.env['PATH'], ...environment };
    // taskset replaces itself by the program, so the process is the program's.
    const [first, ...rest] =
      core === undefined ? [program, ...args] : ['taskset', '-c', String(core), program, ...args];
    const child = spawn(first, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    if (priority !== undefined && child.pid !== undefined) setPriority(child.pid, priority);
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    // Shown only if it fails: progress and warnings of a dozen processes would bury the numbers.
    let complaints = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints = (complaints + text).slice(-MAX_COMPLAINT_CHARACTERS);
    });
    return { child, complaints: () => complaints };
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  child.kill('SIGTERM');
  await once(child, 'exit');
  clearTimeout(timer);
}

export function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}

/** Time on the processor since the start, in user and system mode. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is a name in parentheses that may hold spaces. Times are the 14th and 15th (proc(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
