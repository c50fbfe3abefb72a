/**
 * Generated requests on the fast path and on Node's, in a process of its own. More of them, with
 * another seed:
 * `node server/dist/test/http/compare-paths.js 100000 SEED shared-buffer ORIGINS`.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Comparison } from './compare-paths.ts';

export const SEED = 20261115;

/** `origins`: whose pages may call the API. */
export async function comparePaths(
  requests: number,
  readMode: 'shared-buffer' | 'data-events',
  origins: string,
): Promise<void> {
  const script = join(import.meta.dirname, 'compare-paths.js');
  const args = [script, String(requests), String(SEED), readMode, origins];
  const child = spawn(process.execPath, ['--max-semi-space-size=32', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  assert.equal(code, 0, stderr);
  const { compared, recognised, answeredFast, batches, fastPathBatches } = JSON.parse(
    stdout,
  ) as Comparison;
  assert.equal(compared, requests);
  assert.ok(recognised > requests * 0.4, `${recognised} were plain`);
  // More, where both pieces of a divided request came before a new connection was read.
  assert.ok(
    answeredFast >= recognised,
    `${answeredFast} answered on the fast path, ${recognised} recognised`,
  );
  const reached = `${fastPathBatches} of ${batches} batches on the fast path`;
  if (readMode === 'data-events') assert.equal(fastPathBatches, 0);
  else assert.ok(batches > requests / 8 && fastPathBatches > batches / 2, reached);
}
