/** 25,000 requests, most of them read as they usually are, and 5,000 batches. */
import test from 'node:test';
import { SEED as BATCH_SEED, compareBatches } from './compared-batches.ts';
import { comparePaths, SEED } from './compared-requests.ts';

for (const [readMode, requests, origins] of [
  ['shared-buffer', 12_000, ''],
  ['shared-buffer', 4_000, 'https://example.com,https://app.example'],
  ['shared-buffer', 4_000, '*'],
  ['data-events', 5_000, 'https://example.com'],
] as const)
  test(`fast path: ${requests} generated requests get the same answer on both paths (${readMode}, origins: ${origins || 'none'}, seed ${SEED})`, () =>
    comparePaths(requests, readMode, origins));

test(`batch: 5,000 generated bodies get the same answer as bytes and parsed (seed ${BATCH_SEED})`, () =>
  compareBatches(5_000));
