import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'node:test';
import { ProgressBar } from './progress-bar.ts';

test('progress bar: is cleared when the process exits early', () => {
  const script = `
    import { ProgressBar } from ${JSON.stringify(join(import.meta.dirname, 'progress-bar.js'))};
    const bar = new ProgressBar({ write: (text) => process.stdout.write(text), isTTY: true, columns: 80 });
    bar.show('half', 0.5);
    process.exit(0);
  `;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  assert.ok(stdout.endsWith('50%  half\r\x1b[K'), JSON.stringify(stdout));
});

test('progress bar: finish removes the exit listener', () => {
  const before = process.listenerCount('exit');
  const bar = new ProgressBar({ write: () => true, isTTY: true, columns: 80 });
  bar.show('one', 0.1);
  bar.show('two', 0.2);
  assert.equal(process.listenerCount('exit'), before + 1);
  bar.finish();
  assert.equal(process.listenerCount('exit'), before);
});

test('progress bar: a step is printable, on a terminal and in a log', () => {
  for (const isTTY of [true, false]) {
    let written = '';
    const bar = new ProgressBar({
      write: (text) => {
        written += text;
      },
      isTTY,
      columns: 80,
    });
    bar.show('feed\x1b[2J\n: ok', 0.5);
    bar.finish();
    assert.ok(written.includes('feed\\x1b[2J\\n: ok'), JSON.stringify(written));
    assert.ok(!written.includes('\x1b[2J'));
  }
});
