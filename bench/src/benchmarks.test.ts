/** The table of benchmarks, in `npm run bench -- --help` and in bench/README.md. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { BENCHMARKS, benchmarksHelp } from './benchmarks.ts';

const page = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');

test('benchmarks: the README has a row for each and for no other', () => {
  const table = /^\| name .*\n\|.*\n((?:\|.*\n)+)/m.exec(page)?.[1] ?? '';
  const documented = new Set([...table.matchAll(/^\| `([a-z-]+)/gm)].map(([, name]) => name));
  assert.deepEqual([...documented].sort(), Object.keys(BENCHMARKS).sort());
});

test('benchmarks: help names each', () => {
  const help = benchmarksHelp();
  for (const name of Object.keys(BENCHMARKS)) assert.match(help, new RegExp(`^ +${name} `, 'm'));
});
