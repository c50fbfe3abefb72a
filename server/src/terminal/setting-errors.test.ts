import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { runCommand } from '../test/run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'whence-setting-files-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const pipe = join(folder, 'pipe');
execFileSync('mkfifo', [pipe]);
const large = join(folder, 'large');
writeFileSync(large, '');
truncateSync(large, 200_000_000);

for (const [path, why] of [
  [pipe, /is not a file/],
  ['/dev/zero', /is not a file/],
  [folder, /is a folder/],
  [large, /is larger than \d+ MB/],
] as const)
  for (const [variable, command, environment] of [
    ['WHENCE_FEEDS', ['dataset', 'feeds'], { WHENCE_FEEDS: path }],
    ['WHENCE_FEEDS', ['dataset', 'feeds'], { WHENCE_FEEDS: `file://${path}` }],
    ['WHENCE_OVERRIDES', ['ip', '8.8.8.8'], { WHENCE_OVERRIDES: path }],
    ['', ['dataset', 'pull'], { WHENCE_DATASET_URL: `file://${path}` }],
  ] as const)
    test(`files of settings: ${JSON.stringify(environment).replaceAll(folder, '…')} ends with a message`, async () => {
      const { code, stderr } = await runCommand(command, {
        WHENCE_DATA_DIR: join(folder, 'data'),
        ...environment,
      });
      assert.ok(code > 0, stderr);
      if (variable === '') return;
      const text = stderr.replaceAll(/\s+/g, ' ');
      assert.match(text, new RegExp(`error: ${variable} names `));
      assert.match(text, why);
    });
