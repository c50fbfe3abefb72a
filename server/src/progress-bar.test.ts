import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'node:test';
import { ProgressBar } from './progress-bar.ts';

test('progress bar: goes when the process ends in the middle', () => {
  const script = `
    import { ProgressBar } from ${JSON.stringify(join(import.meta.dirname, 'progress-bar.js'))};
    const bar = new ProgressBar({ write: (text) => process.stdout.write(text), isTTY: true, columns: 80 });
    bar.show('half', 0.5);
    process.exit(0);
  `;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  assert.ok(stdout.endsWith('50 %  half\r\x1b[K'), JSON.stringify(stdout));
});

test('progress bar: finished, it waits for nothing', () => {
  const before = process.listenerCount('exit');
  const bar = new ProgressBar({ write: () => true, isTTY: true, columns: 80 });
  bar.show('one', 0.1);
  bar.show('two', 0.2);
  assert.equal(process.listenerCount('exit'), before + 1);
  bar.finish();
  assert.equal(process.listenerCount('exit'), before);
});
