import assert from 'node:assert/strict';
import test from 'node:test';
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import { zone } from '../test/zone.ts';
import { createSpfEvaluator } from './evaluate.ts';
import { checkSpf } from './lookups.ts';

async function evaluator(records: ZoneRecords) {
  const resolver = zone(records);
  const { tree } = await checkSpf('example.com', await resolver.txt('example.com'), resolver);
  return createSpfEvaluator(tree, resolver);
}

const spf = (record: string, more: ZoneRecords = {}): ZoneRecords => ({
  'example.com': { TXT: [record] },
  ...more,
});
const A = '192.0.2.1';
const other = (record: string): ZoneRecords => ({ 'a.example': { TXT: [record] } });
const eleven = Object.fromEntries(
  Array.from({ length: 11 }, (_, i) => [
    `i${i}.example`,
    { TXT: ['v=spf1 ip4:198.51.100.1 -all'] },
  ]),
);

for (const [behaviour, records, address, want] of [
  ['an address in a range', spf('v=spf1 ip4:192.0.2.0/24 -all'), A, 'pass'],
  [
    'the qualifier of the first match',
    spf('v=spf1 ~ip4:192.0.2.0/24 ip4:192.0.2.1 -all'),
    A,
    'softfail',
  ],
  ['all', spf('v=spf1 ip4:198.51.100.1 -all'), A, 'fail'],
  ['no all', spf('v=spf1 ip4:198.51.100.1'), A, 'neutral'],
  ['no record', { 'example.com': { A: [A] } }, A, 'none'],
  [
    'an IPv6 range, in another form',
    spf('v=spf1 ip6:2001:DB8:0::/48 -all'),
    '2001:db8::25',
    'pass',
  ],
  ['an IPv6 address beyond it', spf('v=spf1 ip6:2001:db8::/64 -all'), '2001:db8:1::1', 'fail'],
  ['a', spf('v=spf1 a -all', { 'example.com': { TXT: ['v=spf1 a -all'], A: [A] } }), A, 'pass'],
  [
    'mx with a length',
    {
      'example.com': { TXT: ['v=spf1 mx/24 -all'], MX: [[10, 'm.example']] },
      'm.example': { A: ['192.0.2.99'] },
    },
    A,
    'pass',
  ],
  [
    'an include that passes',
    spf('v=spf1 ?include:a.example -all', other('v=spf1 ip4:192.0.2.1 -all')),
    A,
    'neutral',
  ],
  [
    'an include that fails',
    spf('v=spf1 include:a.example ~all', other('v=spf1 -all')),
    A,
    'softfail',
  ],
  ['an include without a record', spf('v=spf1 include:a.example ~all'), A, 'permerror'],
  [
    'redirect comes last',
    spf('v=spf1 redirect=a.example ip4:192.0.2.1', other('v=spf1 -all')),
    A,
    'pass',
  ],
  ['redirect decides', spf('v=spf1 redirect=a.example', other('v=spf1 ~all')), A, 'softfail'],
  ['redirect without a record', spf('v=spf1 redirect=a.example'), A, 'permerror'],
  ['a syntax error', spf('v=spf1 ip4:192.0.2.1 ip4:nonsense -all'), A, 'permerror'],
  ['exists, which only a receiver can ask', spf('v=spf1 exists:%{i}.a.example -all'), A, 'unknown'],
  [
    'a match after what is not known',
    spf('v=spf1 exists:%{i}.a.example ip4:192.0.2.1 -all'),
    A,
    'pass',
  ],
  [
    'a match before the limit of lookups',
    spf(
      `v=spf1 ip4:192.0.2.1 ${Object.keys(eleven)
        .map((name) => `include:${name}`)
        .join(' ')} -all`,
      eleven,
    ),
    A,
    'pass',
  ],
  [
    'no match before the limit of lookups',
    spf(
      `v=spf1 ${Object.keys(eleven)
        .map((name) => `include:${name}`)
        .join(' ')} ip4:192.0.2.1 -all`,
      eleven,
    ),
    A,
    'permerror',
  ],
  ['text that is no address', spf('v=spf1 +all'), 'nonsense', 'unknown'],
] as const)
  test(`spf evaluation: ${behaviour}`, async () => {
    assert.equal((await evaluator(records)).resultOf(address), want);
  });

test('spf evaluation: all terms that let an address pass or not say, and their records', async () => {
  const found = await evaluator(
    spf('v=spf1 ip4:192.0.2.0/24 ?include:a.example -include:b.example -all', {
      ...other('v=spf1 ip4:192.0.2.1 -all'),
      'b.example': { TXT: ['v=spf1 ip4:192.0.2.1 -all'] },
    }),
  );
  assert.deepEqual(found.matchesOf(A), [
    {
      qualifier: '+',
      term: 'ip4:192.0.2.0/24',
      ownTerm: 'ip4:192.0.2.0/24',
      records: ['example.com'],
    },
    {
      qualifier: '?',
      term: 'ip4:192.0.2.1',
      ownTerm: '?include:a.example',
      records: ['example.com', 'a.example'],
    },
  ]);
});
