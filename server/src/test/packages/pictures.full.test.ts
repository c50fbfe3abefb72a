/** The picture of the README shows what the command prints, now and for months. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { prepareEmbeddedDataset } from '@whence/testing/embedded-dataset';
import { DAY_MS } from '../../day.ts';
import { blocksOf, REPOSITORY } from './page-blocks.ts';

for (const days of [0, 150])
  test(`pictures: the terminal shows what the command prints${days === 0 ? '' : ` in ${days} days`}`, async () => {
    const { dataDir } = await prepareEmbeddedDataset();
    const shift = `const now=Date.now;Date.now=()=>now()+${days * DAY_MS}`;
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(REPOSITORY, '.ci/pictures.mjs'), '--check'],
      {
        env: {
          ...process.env,
          WHENCE_DATA_DIR: dataDir,
          NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(shift)}`,
        },
        encoding: 'utf8',
      },
    );
    assert.equal(status, 0, stderr);
  });

test('pictures: of the first answer of the README only the threat is not known, and its line has the command', () => {
  const picture = readFileSync(join(REPOSITORY, 'docs/pictures/terminal.svg'), 'utf8');
  const [typed = '', ...printed] = picture
    .replaceAll(/<\/text>/g, '\n')
    .replaceAll(/<[^>]*>\n?/g, '')
    .split('\n');
  const address = /^\$ wh (\S+)/.exec(typed)?.[1];
  assert.ok(blocksOf('README.md', 'sh needs=clone').includes(`npx wh ${address}\n`));
  const answer = printed.slice(0, printed.indexOf(''));
  const threat = answer.findIndex((line) => /^\s+threat /.test(line));
  assert.match(answer.slice(0, threat).join('\n'), /prefix.*network.*country.*flags/s);
  assert.doesNotMatch(answer.slice(0, threat).join('\n'), /not known|unknown|too old/);
  assert.match(
    answer.slice(threat).join(' ').replaceAll(/\s+/g, ' '),
    /at least \d+ of 100: no current attack lists \(npx wh dataset update\)/,
  );
});
