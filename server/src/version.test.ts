import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { runCommand } from './test/run-command.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

for (const flag of ['--version', '-V']) {
  test(`version: ${flag} prints the version of the package, whatever the settings are`, async () => {
    const { code, stdout, stderr } = await runCommand([flag], { WHENCE_PORT: 'eighty' });
    assert.deepEqual([code, stdout, stderr], [0, `${version}\n`, '']);
  });
}
