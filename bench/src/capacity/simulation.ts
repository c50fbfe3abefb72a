/** The simulated replicas: one process, which gets its tasks over an IPC channel. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type {
  SimulationReply,
  SimulationResult,
  SimulationTask,
} from '@whence/testing/simulation-protocol';
import { SIMULATED_REPLICAS } from '@whence/testing/whence-program';

export class Simulation {
  readonly pid: number;
  /** Rejects when the process ends before it was stopped. */
  readonly failed: Promise<never>;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  constructor() {
    // The caller's environment is not passed on: WHENCE_… or NODE_OPTIONS would affect the results.
    this.#child = fork(SIMULATED_REPLICAS, [], {
      env: { PATH: process.env['PATH'] },
      serialization: 'advanced',
    });
    this.pid = this.#child.pid as number;
    this.#exited = once(this.#child, 'exit');
    this.failed = this.#exited.then(() => {
      throw new Error('the process of the simulated replicas has ended');
    });
    // Awaited in a race; until then this avoids an unhandled rejection.
    this.failed.catch(() => {});
  }

  async perform<Kind extends keyof SimulationResult>(
    task: Extract<SimulationTask, { kind: Kind }>,
  ): Promise<SimulationResult[Kind]> {
    const answered = once(this.#child, 'message');
    this.#child.send(task);
    // The process answers each task with the result of its kind, hence the cast.
    const [reply] = (await Promise.race([answered, this.failed])) as [SimulationReply<Kind>];
    if ('error' in reply) throw new Error(`${task.kind}: ${reply.error}`);
    return reply.result;
  }

  /** Replicas return their leases and close their connections before the process ends. */
  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#exited;
  }
}
