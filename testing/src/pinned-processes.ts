/**
 * Child processes, pinned to a core if required: servers to the first, clients to the second, so
 * that they do not compete. Tracks every process it has started, so that all can be stopped after a
 * failure.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism, constants, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** Core and priority of a process. */
export type Placement = { readonly core?: number; readonly priority?: number };

export const SERVER_CORE: Placement = { core: 0 };
export const LOAD_CORE: Placement = { core: 1 };
export const ANY_CORE: Placement = {};
/** The lowest priority, as for the server's own updates. */
export const BACKGROUND: Placement = { priority: constants.priority.PRIORITY_LOW };

const START_TIMEOUT_MS = 180_000;
const POLL_MS = 50;
/** Added to the expected run time before a process is killed. */
const GRACE_MS = 600_000;
/** More than the 10 seconds that the server gives to requests in flight. */
const STOP_TIMEOUT_MS = 15_000;
const MAX_STDERR_CHARACTERS = 4_000;
/** Linux reports process times in 1/100 s on every platform that Node supports. */
const TICKS_PER_SECOND = 100;

export type StartedProcess = {
  readonly pid: number;
  readonly firstLine: string;
  stop(): Promise<void>;
};

/** Why the benchmark cannot run on this machine, if it cannot. */
export function missingRequirement(): string | undefined {
  if (spawnSync('wrk', ['--version']).error !== undefined)
    return 'wrk, the load generator, is not installed: apt-get install -y wrk';
  if (spawnSync('taskset', ['--version']).error !== undefined)
    return 'taskset, which pins processes to cores, is not installed: apt-get install -y util-linux';
  if (availableParallelism() < 2)
    return 'server and load generator need a core each, but this machine has only one';
  return undefined;
}

export class PinnedProcesses {
  readonly #running = new Set<ChildProcess>();
  #isClosed = false;

  /** Starts a long-running Node script and waits for the first line it prints. */
  start(
    placement: Placement,
    args: readonly string[],
    environment: NodeJS.ProcessEnv = {},
  ): Promise<StartedProcess> {
    return this.startProgram(placement, process.execPath, args, environment);
  }

  /** The same for any program. */
  async startProgram(
    placement: Placement,
    program: string,
    args: readonly string[],
    environment: NodeJS.ProcessEnv = {},
  ): Promise<StartedProcess> {
    const { child, stderr } = this.#spawn(placement, program, args, environment);
    const [outcome] = await Promise.race([
      once(createInterface({ input: child.stdout }), 'line', {
        signal: AbortSignal.timeout(START_TIMEOUT_MS),
      }),
      once(child, 'exit'),
    ]);
    if (typeof outcome !== 'string')
      throw new Error(`${args.join(' ')} did not start: ${stderr()}`);
    // Discard later output, so that it does not fill the pipe.
    child.stdout.resume();
    return { pid: child.pid as number, firstLine: outcome, stop: () => stop(child) };
  }

  /** Starts a server that prints nothing, and waits until it answers. */
  async startSilent(placement: Placement, program: string, args: readonly string[], url: string) {
    const { child, stderr } = this.#spawn(placement, program, args, {});
    child.stdout.resume();
    const deadlineMs = performance.now() + START_TIMEOUT_MS;
    for (;;) {
      if (child.exitCode !== null)
        throw new Error(`${program} ${args.join(' ')} did not start: ${stderr()}`);
      const isAnswering = await fetch(url).then(
        async (response) => (await response.arrayBuffer()).byteLength >= 0,
        () => false,
      );
      if (isAnswering) return { pid: child.pid as number, stop: () => stop(child) };
      if (performance.now() > deadlineMs)
        throw new Error(`${program} does not answer at ${url}: ${stderr()}`);
      await sleep(POLL_MS);
    }
  }

  /** Runs a program to completion and returns its output. */
  async run(
    placement: Placement,
    program: string,
    args: readonly string[],
    expectedMs: number,
    environment = {},
  ) {
    const { child, stderr } = this.#spawn(placement, program, args, environment);
    const timer = setTimeout(() => child.kill('SIGKILL'), expectedMs + GRACE_MS);
    const [output, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    clearTimeout(timer);
    if (exitCode !== 0)
      throw new Error(`${program} ${args.join(' ')} exited with ${exitCode}: ${stderr()}`);
    return output;
  }

  /** Stops all processes; none can be started afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#running].map(stop));
  }

  #spawn(
    { core, priority }: Placement,
    program: string,
    args: readonly string[],
    environment: NodeJS.ProcessEnv,
  ) {
    if (this.#isClosed) throw new Error('the benchmark has ended');
    // The caller's environment is not passed on: WHENCE_… or NODE_OPTIONS would affect the results.
    const env = { PATH: process.env['PATH'], ...environment };
    // taskset execs the program, so the pid is that of the program.
    const [first, ...rest] =
      core === undefined ? [program, ...args] : ['taskset', '-c', String(core), program, ...args];
    const child = spawn(first, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    if (priority !== undefined && child.pid !== undefined) setPriority(child.pid, priority);
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    // Shown only on failure: the progress of a dozen processes would hide the results.
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-MAX_STDERR_CHARACTERS);
    });
    return { child, stderr: () => stderr };
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  child.kill('SIGTERM');
  await once(child, 'exit');
  clearTimeout(timer);
}

export function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}

/** User and system CPU time since the start. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // proc(5): the second field is a name in parentheses that may contain spaces; utime and stime are
  // fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
