/** `npm run soak -- --replicas [--minutes 6 --per-second 200]`: see run.ts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAverage, print } from '@whence/testing/console-report';
import { PinnedProcesses } from '@whence/testing/pinned-processes';
import { readOptions, untilInterrupted, wholeNumber } from '@whence/testing/script';
import { NO_PGBOUNCER } from '@whence/testing/servers/pgbouncer-server';
import { NO_OWN_POSTGRES } from '@whence/testing/servers/postgres-server';
import { exitCodeOf, formatPromises } from '../promise-table.ts';
import { checkReplicas } from './promises.ts';
import { runReplicas } from './run.ts';

const MINUTES = 6;
const MAX_MINUTES = 240;
const PER_SECOND = 200;
const MAX_PER_SECOND = 5_000;

export async function soakReplicas(args: readonly string[]): Promise<void> {
  const options = readOptions(args, ['minutes', 'per-second']);
  const minutes = wholeNumber('minutes', options.minutes, MINUTES, 1, MAX_MINUTES);
  const perSecond = wholeNumber('per-second', options['per-second'], PER_SECOND, 1, MAX_PER_SECOND);
  if (process.platform !== 'linux') throw new Error('needs Linux: processes are found in /proc');
  for (const missing of [NO_OWN_POSTGRES, NO_PGBOUNCER])
    if (missing !== false) throw new Error(missing);
  const folder = mkdtempSync(join(tmpdir(), 'whence-soak-replicas-'));
  const processes = new PinnedProcesses();
  const stopping = new AbortController();
  let running: Promise<unknown> | undefined;
  try {
    print(
      `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${loadAverage()} at the start`,
    );
    print(
      `${minutes} min, ${perSecond} requests per second, two replicas of two workers, PostgreSQL, PgBouncer`,
    );
    const soaking = runReplicas(processes, folder, { minutes, perSecond }, stopping.signal);
    running = soaking.catch(() => {});
    const rows = checkReplicas(await Promise.race([soaking, untilInterrupted()]));
    print(`${loadAverage()} at the end\n\n${formatPromises(rows)}`);
    process.exitCode = exitCodeOf(rows);
  } finally {
    stopping.abort();
    await processes.close();
    await running;
    rmSync(folder, { recursive: true, force: true });
  }
}
