import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { run } from './main.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

for (const flag of ['--version', '-V']) {
  test(`version: ${flag} prints the version of the package, whatever the settings are`, async () => {
    let stdout = '';
    let stderr = '';
    const exitCode = await run(
      [flag],
      { WHENCE_PORT: 'eighty' },
      { write: (text: string) => (stdout += text) },
      { write: (text: string) => (stderr += text) },
    );
    assert.deepEqual([exitCode, stdout, stderr], [0, `${version}\n`, '']);
  });
}
