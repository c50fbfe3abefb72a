/**
 * The example that a newcomer looks at: it makes no request to other machines, and leaves no file
 * behind.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { Senders } from '@whence/client/wire';
import { runCommand } from '../run-command.ts';

test('example of reports: its senders are what they are called, whatever the settings of the machine', async (t) => {
  const scratch = mkdtempSync(join(tmpdir(), 'whence-test-'));
  t.after(() => rmSync(scratch, { recursive: true }));
  const environment = {
    TMPDIR: scratch,
    WHENCE_DNS_SERVERS: '192.0.2.1',
    WHENCE_DATA_DIR: join(scratch, 'none'),
    WHENCE_URL: 'http://192.0.2.1',
  };
  const ran = await runCommand(['email', 'reports', '--example', '--json'], environment);
  assert.equal(ran.code, 0, ran.stderr);
  const { verdict, services, reports } = JSON.parse(ran.stdout) as Senders;
  assert.deepEqual([verdict.answer, reports], ['no', 68]);
  assert.deepEqual(
    services.map(({ name, class: called }) => [name, called]),
    [
      ['Zendesk', 'at_named_service'],
      ['Google', 'passes'],
      ['own servers', 'passes'],
      ['203.0.113.0/24', 'forwarded'],
      ['2001:db8:bad::/48', 'not_ours'],
    ],
  );
  assert.deepEqual(readdirSync(scratch), []);
});

for (const args of [
  [],
  ['example.com', '--example'],
  ['--example', '--tls'],
  ['example.com', '--serve'],
])
  test(`example of reports: refused: ${args.join(' ') || 'no domain'}`, async () =>
    assert.equal((await runCommand(['email', 'reports', ...args], {})).code, 2));
