/** The write lock of the server's database, as a backup or another program would hold it. */
import { join } from 'node:path';
import { SqliteThread, statementDeadline } from '../../../server/dist/storage/sqlite/sqlite-thread.js';

/** The server writes all the time: the lock is waited for longer than one of its statements would. */
const TIMEOUT_MS = 20_000;

/** Resolves, when the lock is held, with the function that gives it up. */
export async function takeWriteLock(dataDir: string): Promise<() => Promise<void>> {
  const thread = new SqliteThread({ path: join(dataDir, 'whence.sqlite'), isReader: false });
  await thread.run('begin immediate', [], statementDeadline() + TIMEOUT_MS);
  return async () => {
    await thread.run('rollback', []);
    await thread.close();
  };
}
