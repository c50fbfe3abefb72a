/**
 * Loaded into a server with NODE_OPTIONS: a read that never ends, as from a disk that hangs, in a
 * thread or in the pool of Node. SIGUSR2 causes an unexpected error.
 */
import { readFile } from 'node:fs';
import { isMainThread, Worker } from 'node:worker_threads';

const path = process.env['BLOCKED_PATH'] ?? '';
if (isMainThread) {
  if (process.env['BLOCKED_IN'] === 'pool') readFile(path, () => {});
  else new Worker("require('node:fs').readFileSync(process.env['BLOCKED_PATH'])", { eval: true });
  process.on('SIGUSR2', () => {
    throw new Error('unexpected');
  });
}
