/** The table of database faults in docs/failures.md: each row names a test that exists. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';

const repository = join(import.meta.dirname, '../../../..');
const read = (path: string) => readFileSync(join(repository, path), 'utf8');

const FILES: Readonly<Record<string, string>> = {
  D: 'server/src/test/storage/database-faults.thorough.test.ts',
  C: 'server/src/test/storage/database-connections.thorough.test.ts',
  R: 'server/src/test/storage/database-copies.thorough.test.ts',
  P: 'server/src/storage/postgres/postgres.test.ts',
  O: 'server/src/test/storage/unknown-outcome.thorough.test.ts',
  S: 'server/src/test/storage/own-usage-database.thorough.test.ts',
  T: 'server/src/test/storage/clocks.thorough.test.ts',
  U: 'server/src/storage/migrations/upgrade.test.ts',
};

const rows = read('docs/failures.md')
  .split('### When the database is unavailable')[1]
  ?.split('\n## ')[0]
  ?.split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| fault |'))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));

test('documentation: the table of database faults has what was seen to break replicas', () => {
  assert.ok((rows?.length ?? 0) >= 30, `${rows?.length} rows`);
});

for (const [fault = '', , tests = ''] of rows ?? [])
  test(`documentation: a test for the fault: ${fault.slice(0, 60)}`, () => {
    for (const named of tests.split('; ')) {
      const [letter = '', ...words] = named.split(' ');
      const file = FILES[letter];
      assert.ok(file !== undefined && words.length > 0, `${named} names no test`);
      // Names may go on in the next line of the source, and those in tables lack the beginning.
      const text = read(file).replace(/\s+/g, ' ').toLowerCase();
      const isNamed = (word: string) => text.includes(word.toLowerCase());
      assert.ok(isNamed(words.join(' ')) || words.every(isNamed), `${file} has no test about ${words.join(' ')}`);
    }
  });
