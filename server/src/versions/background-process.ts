/** Work on datasets in processes of its own, so that requests are not slowed down. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { REPLACED } from '@whence/dataset/io/thread';

type Command = readonly [string, ...string[]];

/**
 * Linux's idle class: on two cores the lowest priority doubled p99 of requests, this did not change
 * it.
 */
export function idleCommand(command: Command): Command {
  const canIdle = spawnSync('chrt', ['-i', '0', 'true'], { stdio: 'ignore' }).status === 0;
  return canIdle ? ['chrt', '-i', '0', ...command] : command;
}

export type BackgroundProcess = {
  readonly child: ChildProcess;
  /** The exit code; 1 if it was ended or could not be started. Never rejects. */
  readonly exited: Promise<number>;
};

/** `onLine` gets what it writes to standard error, and why it could not be started. */
export function startInBackground(
  [program, ...args]: Command,
  maxRunMs: number,
  onLine: (line: string) => void,
): BackgroundProcess {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: maxRunMs });
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  } catch {
    // Not permitted: it runs at the priority of the server.
  }
  createInterface({ input: child.stderr }).on('line', onLine);
  const exited = once(child, 'exit').then(
    ([code]) => {
      const isReplaced = args.some((arg) => arg.endsWith('.js') && !existsSync(arg));
      if (code !== 0 && isReplaced) onLine(REPLACED);
      return (code as number | null) ?? 1;
    },
    (error: Error) => {
      onLine(error.message);
      return 1;
    },
  );
  return { child, exited };
}
