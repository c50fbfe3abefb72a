/** Lists that `wh serve` writes by itself, and those for nft as nft reads them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { findProgram } from '@whence/testing/programs';
import { until } from '@whence/testing/until';
import { readIndex } from '../../geoip-files/file-index.ts';
import { writeLists } from '../../geoip-files/write-lists.ts';
import { ServerProcess, TestFolder } from '../test-server.ts';

const withoutComments = (text: string) => text.replaceAll(/^#.*\n/gm, '');

const nft = findProgram('nft');
const check = (input: string) =>
  spawnSync(nft ?? 'nft', ['-c', '-f', '-'], { input, encoding: 'utf8' });
// Some kernels and containers do not permit access to rulesets.
const isPermitted = nft !== undefined && check('table inet whence_test {\n}\n').status === 0;

test('lists: nft reads them', {
  skip: nft === undefined && 'nft is not installed; apt-get install nftables',
}, async () => {
  const folder = new TestFolder();
  try {
    folder.publish();
    const rules = join(folder.dataDir, 'rules.yaml');
    writeFileSync(rules, 'lists: { united-states: { countries: US }, nothing: { asns: 64511 } }');
    await writeLists(folder.dataDir, '2026-11-15', { rules, overrides: undefined });
    const { lists } = readIndex(folder.dataDir);
    assert.equal(lists?.lists.length, 2);
    for (const { file } of lists.lists) {
      const text = readFileSync(join(folder.dataDir, 'databases', `${file}.nft`), 'utf8');
      assert.match(text, /^flush set inet whence /m);
      if (!isPermitted) continue;
      const { status, stderr } = check(text);
      assert.deepEqual([status, stderr], [0, '']);
    }
  } finally {
    folder.remove();
  }
});

test('lists: a server writes them by itself, with overrides, and no databases', async () => {
  const other = new TestFolder();
  other.publish();
  const rules = join(other.dataDir, 'rules.yaml');
  const overrides = join(other.dataDir, 'overrides.json');
  writeFileSync(rules, 'lists: { denied: { min_score: 100 } }');
  await other.createKey();
  const process_ = await ServerProcess.start(other, { WHENCE_RULES: rules, WHENCE_WORKERS: '2' });
  const listed = async () => {
    const { lists } = readIndex(other.dataDir);
    const [file] = lists?.lists ?? [];
    return (
      file &&
      withoutComments(readFileSync(join(other.dataDir, 'databases', `${file.file}.txt`), 'utf8'))
    );
  };
  try {
    await until('the list is written', async () => (await listed()) === '');
    writeFileSync(overrides, JSON.stringify({ deny: [{ prefix: '8.8.8.8' }] }));
    await until('it has the override', async () => (await listed()) === '8.8.8.8/32\n');
    writeFileSync(
      rules,
      'lists: { denied: { min_score: 100, prefixes: 8.0.0.0/8 }, other: { countries: US } }',
    );
    await until('both lists are written', () => readIndex(other.dataDir).lists?.lists.length === 2);
    assert.deepEqual(readIndex(other.dataDir).versions, []);
  } finally {
    await process_.stop();
    other.remove();
  }
});
