/** A publisher that is killed. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { killAfter } from '@whence/testing/until';
import { BUILT_AT, sampleContent } from '../test/sample-dataset.ts';
import { openCurrent, publish, readManifest, verifyVersion } from './publish.ts';

const first = sampleContent({ routes: [['1.0.0.0/16', 64500, 'First']] });
const second = sampleContent({ routes: [['1.0.0.0/16', 64500, 'Second']] });

const dataDir = mkdtempSync(join(tmpdir(), 'whence-publish-'));
after(() => rmSync(dataDir, { recursive: true, force: true }));

test('publish: killed at any moment, the current version stays whole and the next publish works', async () => {
  publish(dataDir, first, BUILT_AT);
  const publisher = join(import.meta.dirname, '../test/endless-publisher.js');
  for (let kill = 0; kill < 6; kill++) {
    const child = spawn(process.execPath, [publisher, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    await killAfter(child, kill * 3);
    const manifest = readManifest(dataDir);
    const current = manifest?.versions.find(({ version }) => version === manifest.current);
    assert.ok(current);
    assert.equal(verifyVersion(dataDir, current).meta.version, current.version);
  }
  const { version } = publish(dataDir, second, BUILT_AT);
  assert.equal(openCurrent(dataDir)?.meta.version, version);
  assert.deepEqual(
    readdirSync(join(dataDir, 'datasets')).filter(
      (name) => !/^(\d{6}\.whence|manifest\.json)$/.test(name),
    ),
    [],
    'nothing unfinished is left',
  );
});
