/**
 * Takes the lock of a folder again and again until it is killed, and notes in a journal when it
 * holds it. Between two turns it leaves the lock of a process that has ended, so that every turn
 * begins with a takeover. Started by a test, with the folder as its argument.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync, linkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatasetError } from '../dataset-error.ts';
import { withLock } from '../io/lock.ts';

const NO_PROCESS = 999_999_999;

const [, , folder = ''] = process.argv;
const note = (event: string) =>
  appendFileSync(join(folder, 'journal'), `${event} ${process.pid}\n`);
process.stdout.write('started\n');
for (;;) {
  try {
    withLock(folder, 'testing', () => {
      note('start');
      note('end');
    });
  } catch (error) {
    if (!(error instanceof DatasetError)) throw error;
  }
  leaveStaleLock();
}

/** Linked, so that it appears whole, as the real ones do. Does nothing where there is a lock. */
function leaveStaleLock(): void {
  const id = randomUUID();
  const path = join(folder, `stale-${id}`);
  writeFileSync(path, JSON.stringify({ id, pid: NO_PROCESS }));
  try {
    linkSync(path, join(folder, 'lock'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(path);
  }
}
