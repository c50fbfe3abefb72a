/** `whence` as a process whose output and end can be awaited. */
import assert from 'node:assert/strict';
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { bin } from './test-server.ts';

/** A user that no passwd entry names, and who is not root. Without root the tests run under such a user anyway. */
export const ORDINARY_USER: SpawnOptions = process.getuid?.() === 0 ? { uid: 54_321, gid: 54_321 } : {};

/** On a busy machine a process may take seconds to start. */
const TIMEOUT_MS = 60_000;

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export class Command {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ended>;

  constructor(argv: readonly string[], environment: Record<string, string>, options: SpawnOptions = {}) {
    this.child = spawn(process.execPath, [bin, ...argv], {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...options,
      env: { PATH: process.env['PATH'], ...environment },
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text) => {
      this.stdout += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.stderr += text;
    });
    this.ended = once(this.child, 'close').then(([code]) => ({ code, stdout: this.stdout, stderr: this.stderr }));
  }

  /** Resolves with the match as soon as standard output has it. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    for (const end = performance.now() + TIMEOUT_MS; ; await sleep(20)) {
      const match = pattern.exec(this.stdout);
      if (match !== null) return match;
      assert.equal(this.child.exitCode, null, `ended early: ${this.stdout}${this.stderr}`);
      assert.ok(performance.now() < end, `${pattern} was not printed: ${this.stdout}${this.stderr}`);
    }
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    this.child.kill(signal);
    return this.ended;
  }

  /** For the end of a test, whatever has happened. */
  async kill(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) await this.stop('SIGKILL');
  }
}

export function serve(dataDir: string, environment: Record<string, string> = {}, options: SpawnOptions = {}): Command {
  return new Command(['serve'], { WHENCE_DATA_DIR: dataDir, WHENCE_PORT: '0', ...environment }, options);
}

export const LISTENING = /listens on (http:\S+)/;

export async function urlOf(server: Command): Promise<string> {
  const [, url = ''] = await server.printed(LISTENING);
  return url;
}

export async function untilTrue(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + TIMEOUT_MS; !(await isTrue()); await sleep(50))
    assert.ok(performance.now() < end, `${what}: not within ${TIMEOUT_MS / 1000} s`);
}
