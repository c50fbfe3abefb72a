import assert from 'node:assert/strict';
import test from 'node:test';
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import { examineDomain } from '../check.ts';
import { zone } from '../test/zone.ts';
import { findMailSenders } from './mail-senders.ts';

async function sendersOf(records: ZoneRecords) {
  const resolver = zone(records);
  const { findings } = await examineDomain('example.com', { resolver });
  return findMailSenders('example.com', findings, resolver);
}

const spf = (record: string, more: ZoneRecords = {}): ZoneRecords => ({
  'example.com': { TXT: [record] },
  ...more,
});

for (const [behaviour, records, ranges, addresses] of [
  [
    'networks of the own record',
    spf('v=spf1 ip4:192.0.2.0/24 ip4:198.51.100.7 -all'),
    ['192.0.2.0/24', '198.51.100.7/32'],
    257,
  ],
  [
    'overlaps count once',
    spf('v=spf1 ip4:192.0.2.0/24 ip4:192.0.2.128/25 -all'),
    ['192.0.2.0/24', '192.0.2.128/25'],
    256,
  ],
  ['the same range once', spf('v=spf1 ip4:192.0.2.1 ip4:192.0.2.1 -all'), ['192.0.2.1/32'], 1],
  ['nothing after all', spf('v=spf1 ip4:192.0.2.1 -all ip4:192.0.2.2'), ['192.0.2.1/32'], 1],
  [
    'nothing that does not pass',
    spf('v=spf1 -ip4:192.0.2.1 ~ip4:192.0.2.2 ?ip4:192.0.2.3 -all'),
    [],
    0,
  ],
  [
    'includes, also nested',
    spf('v=spf1 include:a.example -include:c.example -all', {
      'a.example': { TXT: ['v=spf1 include:b.example ip4:192.0.2.1 -all'] },
      'b.example': { TXT: ['v=spf1 ip4:192.0.2.2 ?all'] },
      'c.example': { TXT: ['v=spf1 ip4:192.0.2.3 -all'] },
    }),
    ['192.0.2.1/32', '192.0.2.2/32'],
    2,
  ],
  [
    'a redirect',
    spf('v=spf1 redirect=a.example', { 'a.example': { TXT: ['v=spf1 ip4:192.0.2.0/30 -all'] } }),
    ['192.0.2.0/30'],
    4,
  ],
  [
    'hosts of a and mx, with their lengths',
    {
      'example.com': {
        TXT: ['v=spf1 a/30//64 mx -all'],
        MX: [[10, 'mx.example.com']],
        A: ['192.0.2.1'],
        AAAA: ['2001:db8::1'],
      },
      'mx.example.com': { A: ['198.51.100.1'] },
    },
    ['192.0.2.1/30', '2001:db8::1/64', '198.51.100.1/32'],
    5,
  ],
  ['no record', { 'example.com': {} }, [], 0],
] as const)
  test(`mail senders: ${behaviour}`, async () => {
    const senders = await sendersOf(records);
    assert.deepEqual(
      [senders.ranges.map(({ range }) => range), senders.ipv4Addresses],
      [ranges, addresses],
    );
    assert.deepEqual([senders.isOpenToAll, senders.errors, senders.unlistedTerms], [false, [], []]);
  });

test('mail senders: each range names the domain whose record has it', async () => {
  const senders = await sendersOf(
    spf('v=spf1 include:a.example -all', { 'a.example': { TXT: ['v=spf1 ip4:192.0.2.1 -all'] } }),
  );
  assert.deepEqual(senders.ranges, [{ range: '192.0.2.1/32', recordOf: 'a.example' }]);
});

test('mail senders: IPv6 is counted in /48s', async () => {
  assert.equal(
    (await sendersOf(spf('v=spf1 ip6:2001:db8::/46 ip6:2001:db8:1::/48 -all'))).ipv6Slash48s,
    4,
  );
});

for (const record of [
  'v=spf1 +all',
  'v=spf1 include:open.example -all',
  'v=spf1 ip4:0.0.0.0/0 -all',
])
  test(`mail senders: ${record} is open to all`, async () => {
    const senders = await sendersOf(spf(record, { 'open.example': { TXT: ['v=spf1 all'] } }));
    assert.deepEqual([senders.isOpenToAll, senders.ipv4Addresses], [true, 2 ** 32]);
  });

test('mail senders: terms that only a receiver can evaluate are named', async () => {
  const senders = await sendersOf(
    spf('v=spf1 ptr exists:%{i}.a.example include:%{i}.b.example -all'),
  );
  assert.deepEqual(senders.unlistedTerms, [
    'ptr',
    'exists:%{i}.a.example',
    'include:%{i}.b.example',
  ]);
});

test('mail senders: addresses of MX hosts, and questions that failed', async () => {
  const senders = await sendersOf({
    'example.com': {
      MX: [
        [10, 'a.example.com'],
        [20, 'b.example.com'],
      ],
    },
    'a.example.com': { A: ['192.0.2.1'], AAAA: ['2001:db8::1'] },
    'b.example.com': { A: ['192.0.2.2'], fail: { AAAA: 'SERVFAIL' } },
  });
  assert.deepEqual(senders.mx, [
    { host: 'a.example.com', addresses: ['192.0.2.1', '2001:db8::1'] },
    { host: 'b.example.com', addresses: ['192.0.2.2'] },
  ]);
  assert.deepEqual(senders.errors, [
    {
      code: 'dns_temporary_failure',
      detail: { name: 'b.example.com', type: 'AAAA', reason: 'SERVFAIL' },
    },
  ]);
});

test('mail senders: a tree of many large records is listed in part, and counted whole', async () => {
  const names = Array.from({ length: 9 }, (_, i) => `n${i}.example`);
  const large = (i: number) =>
    Array.from({ length: 1_000 }, (_, j) => `ip4:10.${i}.${j >> 8}.${j & 255}`).join(' ');
  const records = Object.fromEntries(
    names.map((name, i) => [name, { TXT: [`v=spf1 ${large(i)} -all`] }]),
  );
  const senders = await sendersOf(
    spf(`v=spf1 ${names.map((name) => `include:${name}`).join(' ')} -all`, records),
  );
  // 1,000 terms take more than 16 KiB in the last ones; all that were read are counted.
  assert.equal(senders.ranges.length + senders.rangesLeftOut, senders.ipv4Addresses);
  assert.equal(senders.ranges.length, 2_000);
});
