/** Numbers of connections in the documentation follow from the code. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import {
  CONNECTIONS_PER_PROCESS,
  MIGRATION_CONNECTIONS,
  URGENT_CONNECTIONS,
} from '../../storage/postgres/pool.ts';

const pageOf = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../../docs', name), 'utf8');

test('capacity page: pool sizes of PgBouncer follow from the connections of a process', () => {
  const table =
    /^\| processes \| `max_client_conn`.*\n\|.*\n((?:\|.*\n)+)/m.exec(
      pageOf('several-machines.md'),
    )?.[1] ?? '';
  const rows = table.trim().split('\n');
  assert.equal(rows.length, 3);
  for (const row of rows) {
    const processes = Number(row.split('|')[1]);
    // Urgent questions, and one statement at a time.
    const all = processes * CONNECTIONS_PER_PROCESS;
    const inUse = processes * (URGENT_CONNECTIONS + 1);
    assert.equal(row, `| ${processes} | ${all + MIGRATION_CONNECTIONS} | ${all} | ${inUse} |`);
  }
  for (const [page, pattern] of [
    ['several-machines.md', /at most (\d+) per worker/],
    ['several-machines.md', /Clients: (\d+) per process/],
    ['capacity.md', /× workers × (\d+) connections/],
  ] as const)
    assert.equal(
      Number(pattern.exec(pageOf(page))?.[1]),
      CONNECTIONS_PER_PROCESS,
      `${page}: ${pattern}`,
    );
});

test('capacity page: what follows from other numbers of the page is computed from them', () => {
  const page = pageOf('capacity.md');
  const numbers = (pattern: RegExp) => {
    const [, ...groups] = pattern.exec(page) ?? assert.fail(`${pattern}`);
    return groups.map((text) => Number(text.replaceAll(',', '')));
  };
  const twoDigits = (value: number) => Number(value.toPrecision(2));
  const [perProcess = 0] = numbers(/statements \| (\d+) per second and process/);
  const [requestsPerLease = 0] = numbers(/or (\d+) \(Pro\) requests/);
  const [processes = 0] = numbers(/1,000,000 \| (\d+) processes/);
  const atAMillion = twoDigits(processes * perProcess);
  assert.deepEqual(
    numbers(/([\d,]+) statements per second with Enterprise keys, at most ([\d,]+) with Pro keys/),
    [atAMillion, atAMillion + 1_000_000 / requestsPerLease],
  );
  const [leases = 0, requests] = numbers(
    /one hot key \| (\d+) leases per second: ([\d,]+) requests/,
  );
  assert.equal(requests, leases * requestsPerLease);
});
