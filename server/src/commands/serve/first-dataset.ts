/**
 * The dataset of the first start: compiled from the embedded default in a process of its own, because compiling takes
 * 0.9 GB and all of a core, while the server answers 503.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Logger } from '../../log/log.ts';
import { CommandError } from '../../terminal/exit.ts';

type FirstBuild = {
  /** Rejects with the reason of a failure, unless the build itself has printed it. */
  readonly finished: Promise<'built' | 'failed'>;
  cancel(): void;
};

/** On a terminal the build draws its own progress bar; elsewhere each step is a line of the log. */
export function buildFirstDataset(bin: string, dataDir: string, log: Logger, isTerminal: boolean): FirstBuild {
  const child = spawn(process.execPath, [bin, 'dataset', 'build', '--data-dir', dataDir], {
    stdio: ['ignore', 'ignore', isTerminal ? 'inherit' : 'pipe'],
  });
  const errors: string[] = [];
  if (child.stderr !== null) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      // A message of several lines is the last thing that a command prints.
      if (errors.length > 0 || line.startsWith('error: ')) errors.push(line.replace(/^error: /, ''));
      else log.info({ step: line }, 'building the dataset');
    });
  }
  const finish = async () => {
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (code === 0) return 'built';
    if (isTerminal && code !== null) return 'failed';
    const killed = `its process was killed by ${signal}; it needs 0.9 GB of memory`;
    const reason = errors.length > 0 ? errors.join('\n') : signal === null ? `exit code ${code}` : killed;
    throw new CommandError(`the first dataset could not be built: ${reason}`);
  };
  return { finished: finish(), cancel: () => child.kill() };
}
