/**
 * An update that a person asks for: the same command as the scheduler's, in a process of its own. Its progress and its
 * outcome are in the report that it writes; two at once are kept apart by the lock of the feeds' folder.
 */
import { spawn } from 'node:child_process';
import type { Logger } from '../log.ts';

export function startUpdate(command: readonly [string, ...string[]], dataDir: string, log: Logger): void {
  const [program, ...args] = command;
  const child = spawn(program, args, { stdio: 'ignore', env: { ...process.env, WHENCE_DATA_DIR: dataDir } });
  // It outlives this process: an update that is nearly done should not be lost with a restart.
  child.unref();
  child.once('error', (error) => log.warn({ err: error }, 'update could not be started'));
  child.once('exit', (code) => log.info({ code }, 'update that was asked for has ended'));
}
