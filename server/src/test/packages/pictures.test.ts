/** The picture of the README shows what the command prints. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'node:test';
import { prepareEmbeddedDataset } from '@whence/testing/embedded-dataset';
import { REPOSITORY } from './page-blocks.ts';

test('pictures: the terminal shows what the command prints', async () => {
  const { dataDir } = await prepareEmbeddedDataset();
  const { status, stderr } = spawnSync(process.execPath, [join(REPOSITORY, '.ci/pictures.mjs'), '--check'], {
    env: { ...process.env, WHENCE_DATA_DIR: dataDir },
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
});
