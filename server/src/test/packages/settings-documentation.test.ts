/** docs/self-hosting.md: its table has every setting that `whence --help` names, and no other. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { settingsHelp } from '../../settings/config.ts';

test('self-hosting page: every setting is in the table', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/self-hosting.md'), 'utf8');
  const table = /^\| setting .*\n\|.*\n((?:\|.*\n)+)/m.exec(page)?.[1] ?? '';
  const names = table.split('\n').flatMap((row) => (row.split('|')[1] ?? '').match(/WHENCE_[A-Z_]+/g) ?? []);
  const known = settingsHelp().match(/^ {2}WHENCE_[A-Z_]+/gm) ?? [];
  assert.deepEqual(names.sort(), known.map((name) => name.trim()).sort());
});
