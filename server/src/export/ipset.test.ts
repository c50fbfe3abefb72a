import assert from 'node:assert/strict';
import test from 'node:test';
import { ExportSample } from '../test/packages/export-sample.ts';

const sample = new ExportSample();

test('ipset: each set is filled under another name and swapped', async () => {
  const { code, stdout } = await sample.export('--format', 'ipset', '--country', 'CH,fr');
  assert.equal(code, 0);
  const lines = stdout.split('\n');
  assert.equal(lines[0], '# wh dataset export --format ipset --country CH,FR');
  assert.match(lines[1] ?? '', /^# Whence dataset version 1\. Contains data of: /);
  assert.deepEqual(
    lines.filter((line) => !line.startsWith('#')),
    [
      'create whence_ipv4 hash:net family inet maxelem 16777216',
      'create whence_ipv4_new hash:net family inet maxelem 16777216',
      'flush whence_ipv4_new',
      'create whence_ipv6 hash:net family inet6 maxelem 16777216',
      'create whence_ipv6_new hash:net family inet6 maxelem 16777216',
      'flush whence_ipv6_new',
      'add whence_ipv4_new 2.0.1.0/24',
      'add whence_ipv4_new 2.0.2.0/23',
      'add whence_ipv4_new 2.0.4.0/23',
      'add whence_ipv6_new 2a00::/32',
      'add whence_ipv6_new 2a00:ffff::/32',
      'swap whence_ipv4_new whence_ipv4',
      'destroy whence_ipv4_new',
      'swap whence_ipv6_new whence_ipv6',
      'destroy whence_ipv6_new',
      '',
    ],
  );
});

test('ipset: rejected without a filter', async () => {
  const { code, stdout, stderr } = await sample.export('--format', 'ipset');
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(
    stderr,
    /^error: ipset needs a filter \(--flag, .*--min-score\): without one it would match every address/,
  );
});
