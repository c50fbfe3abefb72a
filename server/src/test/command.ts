/** `whence` as a process whose output and end can be awaited. */

import assert from 'node:assert/strict';
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from '@whence/testing/until';
import { bin } from './test-server.ts';

/**
 * A user that no passwd entry names, and who is not root. Without root the tests run under such a
 * user anyway.
 */
export const ORDINARY_USER: SpawnOptions =
  process.getuid?.() === 0 ? { uid: 54_321, gid: 54_321 } : {};

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export class Command {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ended>;

  constructor(
    argv: readonly string[],
    environment: Record<string, string>,
    options: SpawnOptions = {},
  ) {
    this.child = spawn(process.execPath, [bin, ...argv], {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...options,
      // `.ci/node-versions` preloads a module with NODE_OPTIONS.
      env: { PATH: process.env['PATH'], NODE_OPTIONS: process.env['NODE_OPTIONS'], ...environment },
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text) => {
      this.stdout += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.stderr += text;
    });
    this.ended = once(this.child, 'close').then(([code]) => ({
      code,
      stdout: this.stdout,
      stderr: this.stderr,
    }));
  }

  /** Resolves with the match as soon as standard output has it. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    let match: RegExpExecArray | null = null;
    await until(
      `${pattern} is printed`,
      () => {
        match = pattern.exec(this.stdout);
        if (match === null)
          assert.equal(this.child.exitCode, null, `ended early: ${this.stdout}${this.stderr}`);
        return match !== null;
      },
      { state: () => this.stdout + this.stderr },
    );
    assert.ok(match);
    return match;
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

export function serve(
  dataDir: string,
  environment: Record<string, string> = {},
  options: SpawnOptions = {},
): Command {
  return new Command(
    ['serve'],
    { WHENCE_DATA_DIR: dataDir, WHENCE_PORT: '0', ...environment },
    options,
  );
}

const LISTENING = /listens on (http:\S+)/;

export async function urlOf(server: Command): Promise<string> {
  const [, url = ''] = await server.printed(LISTENING);
  return url;
}
