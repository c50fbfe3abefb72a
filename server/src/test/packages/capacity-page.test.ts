/** Numbers of connections in the documentation follow from the code. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { CONNECTIONS_PER_PROCESS, MIGRATION_CONNECTIONS, URGENT_CONNECTIONS } from '../../storage/postgres/pool.ts';

const pageOf = (name: string) => readFileSync(join(import.meta.dirname, '../../../../docs', name), 'utf8');

test('capacity page: pool sizes of PgBouncer follow from the connections of a process', () => {
  const table = /^\| processes \| `max_client_conn`.*\n\|.*\n((?:\|.*\n)+)/m.exec(pageOf('capacity.md'))?.[1] ?? '';
  const rows = table.trim().split('\n');
  assert.equal(rows.length, 3);
  for (const row of rows) {
    const processes = Number(row.split('|')[1]);
    // Urgent questions, and one statement at a time.
    const [all, inUse] = [processes * CONNECTIONS_PER_PROCESS, processes * (URGENT_CONNECTIONS + 1)];
    assert.equal(row, `| ${processes} | ${all + MIGRATION_CONNECTIONS} | ${all} | ${inUse} |`);
  }
  for (const [page, pattern] of [
    ['self-hosting.md', /at most (\d+) per worker/],
    ['capacity.md', /Clients: (\d+) per process/],
    ['capacity.md', /× workers × (\d+) connections/],
  ] as const)
    assert.equal(Number(pattern.exec(pageOf(page))?.[1]), CONNECTIONS_PER_PROCESS, `${page}: ${pattern}`);
});
