/** `wh dataset check`. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { runCommand } from '../../test/run-command.ts';
import { SAMPLE, TestFolder } from '../../test/test-server.ts';

const folder = new TestFolder();
folder.publish(SAMPLE);
after(() => folder.remove());

function check(labels: string, ...argv: string[]) {
  const path = join(folder.dataDir, 'labels.csv');
  writeFileSync(path, labels);
  return runCommand(['dataset', 'check', '--labels', path, ...argv], { WHENCE_DATA_DIR: folder.dataDir });
}

const LABELS = 'address,country,note\n8.8.8.8,US,right\n8.8.8.9,CA,wrong\nnowhere,US,bad\n';

test('cli: dataset check prints shares, pairs and the worst networks, and reports bad rows on standard error', async () => {
  const { code, stdout, stderr } = await check(LABELS);
  assert.equal(code, 0);
  for (const part of [
    '2 rows compared',
    'country  2     50.0 %',
    'CA        US      1',
    'AS15169',
    '8.8.8.9: country US, expected CA',
  ])
    assert.ok(stdout.includes(part), `${part}\nis not in\n${stdout}`);
  assert.match(stderr, /ignored columns: note\n/);
  assert.match(stderr, /1 row skipped\n {2}line 4: not an address or prefix: nowhere\n/);
});

for (const [min, want] of [
  ['0.5', 0],
  ['50%', 0],
  ['0.51', 1],
] as const)
  test(`cli: dataset check --min ${min} exits with ${want} at 50 %`, async () =>
    assert.equal((await check(LABELS, '--min', min)).code, want));

test('cli: dataset check --json has everything as data', async () => {
  const { code, stdout } = await check(LABELS, '--json', '--min', '0.9');
  const { version, rows, bad_rows, ignored_columns, is_below_min, fields } = JSON.parse(stdout);
  assert.deepEqual([code, version, rows, ignored_columns, is_below_min], [1, 1, 2, ['note'], true]);
  assert.deepEqual(bad_rows, [{ line: 4, reason: 'not an address or prefix: nowhere' }]);
  assert.equal(fields[0].accuracy.value, 0.5);
});

for (const [behaviour, labels, argv, want, code] of [
  ['a limit that is no share', LABELS, ['--min', '95'], /--min 95: it must be a share such as 0.95 or 95%/, 2],
  ['a file without a header', '8.8.8.8,US\n', [], /no column address or prefix/, 2],
  [
    'a file without usable rows',
    'address,country\nx,US\n',
    [],
    /none of its rows \(1\) could be compared; line 2: not an/,
    1,
  ],
] as const)
  test(`cli: dataset check refuses ${behaviour}`, async () => {
    const result = await check(labels, ...argv);
    assert.equal(result.code, code);
    assert.match(result.stderr, want);
  });
