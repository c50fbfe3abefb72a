/** `wh cidr`. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { runCommand } from '../../test/run-command.ts';

const cidr = (argv: readonly string[], input?: string) =>
  runCommand(['cidr', ...argv], {}, input === undefined ? {} : { input });

for (const [behaviour, argv, input, want] of [
  ['a range becomes CIDRs', ['10.0.0.0-10.0.0.9'], undefined, '10.0.0.0/29\n10.0.0.8/31\n'],
  ['a CIDR becomes a range', ['10.0.0.0/28'], undefined, '10.0.0.0-10.0.0.15\n'],
  ['an address is a CIDR of one', ['2001:db8::1'], undefined, '2001:db8::1/128\n'],
  ['--to cidr clears host bits', ['--to', 'cidr', '10.0.0.77/24'], undefined, '10.0.0.0/24\n'],
  ['--to range', ['--to', 'range', '10.0.0.1'], undefined, '10.0.0.1-10.0.0.1\n'],
  ['all of IPv6', ['::/0'], undefined, '::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff\n'],
  ['standard input', [], '10.0.0.0-10.0.0.1\n', '10.0.0.0/31\n'],
  [
    'JSON',
    ['--json', '10.0.0.0-10.0.0.2'],
    undefined,
    '{"input":"10.0.0.0-10.0.0.2","first":"10.0.0.0","last":"10.0.0.2","cidrs":["10.0.0.0/31","10.0.0.2/32"]}\n',
  ],
  ['merge joins neighbours', ['merge', '10.0.1.0/24', '10.0.0.0/24'], undefined, '10.0.0.0/23\n'],
  [
    'merge drops what is contained',
    ['merge', '10.0.0.0/8', '10.1.0.0/16', '10.255.255.255'],
    undefined,
    '10.0.0.0/8\n',
  ],
  ['merge keeps families apart', ['merge', '::/128', '0.0.0.0', '0.0.0.1'], undefined, '0.0.0.0/31\n::/128\n'],
  ['merge of lines', ['merge'], '# a\n10.0.0.2\n10.0.0.1\n10.0.0.1\n', '10.0.0.1/32\n10.0.0.2/32\n'],
  ['merge to ranges', ['merge', '--to', 'range'], '10.0.0.2\n10.0.0.1\n', '10.0.0.1-10.0.0.2\n'],
  ['merge as JSON', ['merge', '--json', '10.0.0.0/25', '10.0.0.128/25'], undefined, '["10.0.0.0/24"]\n'],
  ['contains', ['contains', '10.0.0.0/8', '10.1.2.3', '10.0.0.0/9'], undefined, '10.1.2.3\tyes\n10.0.0.0/9\tyes\n'],
] as const)
  test(`cidr: ${behaviour}`, async () => {
    assert.deepEqual(await cidr(argv, input), { code: 0, stdout: want, stderr: '' });
  });

test('cidr: contains says no with 1, also across families', async () => {
  assert.deepEqual(await cidr(['contains', '10.0.0.0/8', '11.0.0.1', '::1']), {
    code: 1,
    stdout: '11.0.0.1\tno\n::1\tno\n',
    stderr: '',
  });
  assert.equal(
    (await cidr(['contains', '10.0.0.0/9', '10.0.0.0/8', '--json'])).stdout,
    '{"input":"10.0.0.0/8","is_contained":false}\n',
  );
});

test('cidr: an invalid line is reported, and the others are used', async () => {
  assert.deepEqual(await cidr(['merge'], '10.0.0.0/24\n10.0.0/24\n'), {
    code: 1,
    stdout: '10.0.0.0/24\n',
    stderr: 'error: invalid CIDR, range or address: "10.0.0/24"\n',
  });
});

for (const argv of [[], ['10.0.0'], ['contains', 'x', '10.0.0.1'], ['contains', '10.0.0.0/8'], ['--to', 'list', '::']])
  test(`cidr: usage error: ${argv.join(' ') || 'no arguments on a terminal'}`, async () => {
    const { code, stdout, stderr } = await cidr(argv);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^error: /);
  });
