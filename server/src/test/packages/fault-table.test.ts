/** The table of database faults in docs/failures.md: for each row there is a test. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';

const repository = join(import.meta.dirname, '../../../..');
const read = (path: string) => readFileSync(join(repository, path), 'utf8');

const FILES: Readonly<Record<string, string>> = {
  D: 'server/src/test/storage/database-faults.full.test.ts',
  C: 'server/src/test/storage/database-connections.full.test.ts',
  R: 'server/src/test/storage/database-copies.full.test.ts',
  P: 'server/src/storage/postgres/postgres.full.test.ts',
  O: 'server/src/test/storage/unknown-outcome.full.test.ts',
  T: 'server/src/test/storage/clocks.full.test.ts',
  U: 'server/src/storage/migrations/upgrade.test.ts',
};

/** A fault of the page, and the tests that show what the page says of it. */
const TESTS: readonly (readonly [fault: string, tests: string])[] = [
  ['PostgreSQL is stopped, killed, restarted, or fails over', 'D stopped; D killed'],
  ['a key that this worker has not seen', 'C grace'],
  ['keys were changed shortly before the outage', 'C grace'],
  ['the dashboard', 'D stopped'],
  ['connections are refused for 20 s', 'D refused'],
  ['it is frozen: a paused machine, a disk that hangs', 'D frozen'],
  ['it is renamed or closed to connections', 'D renamed'],
  ['its password changes, or its user may not log in', 'D credentials'],
  ['it closes connections as they are opened', 'C ready; P ready'],
  ['each statement takes 2 s', 'D two seconds'],
  ['a round trip takes 30 ms', 'C round trip of 30 ms'],
  ['a round trip takes more than 45 ms', 'C round trip of 200 ms'],
  ['it is out of connections', 'D out of connections'],
  ['its disk is full', 'D out of disk'],
  ['it is read-only', 'R read-only'],
  ['the URL leads to a standby', 'R standby'],
  ['a failover to a standby that lacks commits', 'R failover'],
  ['an old primary comes back beside the new one', 'R two primaries'],
  ['a restored backup', 'R restore'],
  ['one replica is cut off', 'D drops packets'],
  ['packets are lost in one direction only', 'D one way'],
  ['a replica disappears inside a transaction', 'P disappears'],
  ['another session locks the tables of statistics', 'C statistics'],
  ['another session locks the tables of leases', 'D locks leases'],
  ['a replica is killed', 'D killed replica'],
  ['a replica is frozen for minutes, then goes on', 'D stopped for minutes'],
  ['replicas restart one by one, with other settings', 'D rolling restart'],
  ['a worker dies while the database is unreachable', 'C workers'],
  ["a replica's clock is wrong by more than an hour", 'T machine is wrong'],
  ['the database clock is wrong by more than an hour', 'T database is wrong'],
  ['clocks differ when the only replica starts', 'T only replica; T last recorded day'],
  ['the response to a commit is lost', 'D answer is lost'],
  ['a synchronous standby is unreachable, so commits wait', 'O standby is away'],
  [
    'the connection is lost between a commit of a command and its answer',
    'O answer to a commit is lost',
  ],
  [
    'when a server or a command starts, it is starting, out of connections, not reachable or without a name',
    'O starting; O out of connections; O refused; O packets',
  ],
  ['PgBouncer in transaction mode is in front', 'C pooler'],
  ['it answers some connections in time and others not', 'C answers only some'],
  ['PgBouncer in session mode has too few connections', 'C pooler session mode'],
  ['replicas of two releases use it at the same time', 'U this version runs on'],
  ['many replicas of a new release start at once', 'U start at once; C pooler start at once'],
  ['a release that needs more than the older one knows', 'U contracted'],
  [
    'the database is serializable by default, or has tables of another application that uses Kysely',
    'P serializable; P another application',
  ],
];

const faults = read('docs/failures.md')
  .split('### When the database is unavailable')[1]
  ?.split('\n## ')[0]
  ?.split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| fault |'))
  .map((line) => line.split(' | ')[0]?.slice('| '.length));

test('documentation: the table of database faults has what was seen to break replicas', () => {
  assert.deepEqual(
    faults,
    TESTS.map(([fault]) => fault),
  );
});

for (const [fault, tests] of TESTS)
  test(`documentation: a test for the fault: ${fault.slice(0, 60)}`, () => {
    for (const named of tests.split('; ')) {
      const [letter = '', ...words] = named.split(' ');
      const file = FILES[letter];
      assert.ok(file !== undefined && words.length > 0, `${named} names no test`);
      // Names may go on in the next line of the source, and those in tables lack the beginning.
      const text = read(file).replace(/\s+/g, ' ').toLowerCase();
      const isNamed = (word: string) => text.includes(word.toLowerCase());
      assert.ok(
        isNamed(words.join(' ')) || words.every(isNamed),
        `${file} has no test about ${words.join(' ')}`,
      );
    }
  });
