/**
 * A process that creates and changes keys as fast as it can, with a checkpoint after each:
 * `change-keys DIR NAME COUNT`.
 */
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { openStorage } from '../../storage/open-storage.ts';
import { storedKey } from './stored-key.ts';

const [folder = '', name = '', count = '0'] = process.argv.slice(2);
const storage = await openStorage(folder, { waitMs: 60_000 });
const other = new DatabaseSync(join(folder, 'whence.sqlite'), { timeout: 5_000 });
for (let i = 0; i < Number(count); i++) {
  const id = `${name} ${i}`;
  await storage.keys.insert(storedKey(id));
  await storage.keys.change(id, () => ({ tier: 'pro' }));
  // Under load it may find the file in use; the next one then does more.
  other.exec('pragma wal_checkpoint(truncate)');
}
other.close();
await storage.close();
