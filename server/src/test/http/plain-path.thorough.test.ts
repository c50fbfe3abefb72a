/** 25,000 requests, most of them read as they usually are. */
import test from 'node:test';
import { comparePaths, SEED } from './compared-requests.ts';

for (const [readMode, requests] of [
  ['shared-buffer', 20_000],
  ['data-events', 5_000],
] as const)
  test(`plain path: ${requests} generated requests get the same answer on both paths (${readMode}, seed ${SEED})`, () =>
    comparePaths(requests, readMode));
