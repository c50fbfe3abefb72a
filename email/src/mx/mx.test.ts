import assert from 'node:assert/strict';
import test from 'node:test';
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import fc from 'fast-check';
import { formatFinding } from '../findings/finding.ts';
import { zone } from '../test/zone.ts';
import { checkMx } from './mx.ts';

async function check(records: ZoneRecords) {
  const resolver = zone(records);
  return checkMx('example.com', await resolver.mx('example.com'), resolver);
}

const GOOD = { A: ['192.0.2.1'] };
const FAILS = { fail: 'SERVFAIL' };
const mx = (...records: readonly (readonly [number, string])[]) => ({
  'example.com': { MX: records },
});

/** Hosts, codes, state. */
for (const [behaviour, records, hosts, codes, want] of [
  [
    'M3 a host with A',
    { ...mx([10, 'mx.example.net']), 'mx.example.net': GOOD },
    ['mx.example.net'],
    [],
    'valid',
  ],
  [
    'M3 a host with AAAA alone',
    { ...mx([10, 'mx.example.net']), 'mx.example.net': { AAAA: ['2001:db8::1'] } },
    ['mx.example.net'],
    [],
    'valid',
  ],
  ['M1 null MX', mx([0, '.']), ['.'], [], 'null'],
  ['M1 null MX with another preference', mx([10, '.']), ['.'], ['mx_target_missing'], 'unusable'],
  [
    'M1 null MX with others',
    { ...mx([0, '.'], [10, 'a.example.com']), 'a.example.com': GOOD },
    ['.', 'a.example.com'],
    ['null_mx_with_others'],
    'partly',
  ],
  [
    'M1 null MX with one that does not work',
    mx([0, '.'], [10, 'a.example.com']),
    ['.', 'a.example.com'],
    ['null_mx_with_others', 'mx_target_missing'],
    'unusable',
  ],
  ['M2 the address of the domain', { 'example.com': GOOD }, [], ['no_mx_records'], 'implicit'],
  [
    'M2 its IPv6 address',
    { 'example.com': { AAAA: ['2001:db8::1'] } },
    [],
    ['no_mx_records'],
    'implicit',
  ],
  ['M2 a private address', { 'example.com': { A: ['10.0.0.1'] } }, [], ['no_mx_records'], 'none'],
  ['M2 neither', { 'example.com': { TXT: ['x'] } }, [], ['no_mx_records'], 'none'],
  [
    'M2 a failure there',
    { 'example.com': { fail: { A: 'SERVFAIL' } } },
    [],
    ['no_mx_records', 'dns_temporary_failure'],
    'unverified',
  ],
  ['C.5 no such domain', {}, [], ['domain_not_found'], 'none'],
  [
    'D23 a dangling alias is there',
    { 'example.com': { CNAME: 'gone.example.net' } },
    [],
    ['no_mx_records'],
    'none',
  ],
  ['C.5 a failure', { 'example.com': FAILS }, [], ['dns_temporary_failure'], 'unverified'],
  ['M3 an address', mx([10, '192.0.2.1']), ['192.0.2.1'], ['mx_target_ip'], 'unusable'],
  ['M3 an IPv6 address', mx([10, '2001:db8::1']), ['2001:db8::1'], ['mx_target_ip'], 'unusable'],
  ['M3 a top label of digits', mx([10, 'mx.123']), ['mx.123'], ['mx_target_ip'], 'unusable'],
  [
    'M3 a host that is not there',
    mx([10, 'gone.example.net']),
    ['gone.example.net'],
    ['mx_target_missing'],
    'unusable',
  ],
  [
    'M3 a host without an address',
    { ...mx([10, 'mx.example.net']), 'mx.example.net': { TXT: ['x'] } },
    ['mx.example.net'],
    ['mx_target_missing'],
    'unusable',
  ],
  [
    'M3 one of two is not there',
    { ...mx([10, 'a.example.net'], [20, 'b.example.net']), 'a.example.net': GOOD },
    ['a.example.net', 'b.example.net'],
    ['mx_target_missing'],
    'partly',
  ],
  [
    'M4 an alias works, but is wrong',
    {
      ...mx([10, 'a.example.net']),
      'a.example.net': { CNAME: 'b.example.net' },
      'b.example.net': GOOD,
    },
    ['a.example.net'],
    ['mx_target_cname'],
    'partly',
  ],
  [
    'M4 an alias to an IPv6 address',
    {
      ...mx([10, 'a.example.net']),
      'a.example.net': { CNAME: 'b.example.net' },
      'b.example.net': { AAAA: ['2001:db8::1'] },
    },
    ['a.example.net'],
    ['mx_target_cname'],
    'partly',
  ],
  [
    'M4 a dangling alias does not work',
    { ...mx([10, 'a.example.net']), 'a.example.net': { CNAME: 'gone.example.net' } },
    ['a.example.net'],
    ['mx_target_missing'],
    'unusable',
  ],
  [
    'B.6 a special-use name is not asked',
    { ...mx([10, 'mx.internal'], [20, 'localhost']), 'mx.internal': GOOD, localhost: GOOD },
    ['mx.internal', 'localhost'],
    ['mx_target_missing', 'mx_target_missing'],
    'unusable',
  ],
  [
    'C.5 a host whose question fails',
    { ...mx([10, 'a.example.net']), 'a.example.net': FAILS },
    ['a.example.net'],
    ['dns_temporary_failure'],
    'unverified',
  ],
  [
    'C.5 one fails, the other is good',
    {
      ...mx([10, 'a.example.net'], [20, 'b.example.net']),
      'a.example.net': FAILS,
      'b.example.net': GOOD,
    },
    ['a.example.net', 'b.example.net'],
    ['dns_temporary_failure'],
    'unverified',
  ],
  [
    'C.5 one fails, the other is not there',
    { ...mx([10, 'a.example.net'], [20, 'b.example.net']), 'a.example.net': FAILS },
    ['a.example.net', 'b.example.net'],
    ['dns_temporary_failure', 'mx_target_missing'],
    'unverified',
  ],
  [
    'C.5 one fails, of the others one is good and one is not there',
    {
      ...mx([1, 'a.example.net'], [2, 'b.example.net'], [3, 'c.example.net']),
      'a.example.net': FAILS,
      'b.example.net': GOOD,
    },
    ['a.example.net', 'b.example.net', 'c.example.net'],
    ['dns_temporary_failure', 'mx_target_missing'],
    'partly',
  ],
  [
    'M5 by preference, then by name',
    {
      ...mx([20, 'a.example.net'], [10, 'c.example.net'], [10, 'b.example.net']),
      'a.example.net': GOOD,
      'b.example.net': GOOD,
      'c.example.net': GOOD,
    },
    ['b.example.net', 'c.example.net', 'a.example.net'],
    [],
    'valid',
  ],
] as const satisfies readonly (readonly [
  string,
  ZoneRecords,
  readonly string[],
  readonly string[],
  string,
])[]) {
  test(`mx: ${behaviour}`, async () => {
    const { report, state } = await check(records);
    assert.deepEqual(report.records, hosts);
    assert.deepEqual(
      report.errors.map(({ code }) => code),
      codes,
    );
    assert.deepEqual([report.is_valid, state], [codes.length === 0, want]);
  });
}

test('mx: M5 a host listed twice', async () => {
  const { report, duplicates, state } = await check({
    ...mx([10, 'a.example.net'], [20, 'b.example.net'], [30, 'a.example.net']),
    'a.example.net': GOOD,
    'b.example.net': GOOD,
  });
  assert.deepEqual(
    [report.records, duplicates, state],
    [['a.example.net', 'b.example.net'], ['a.example.net'], 'valid'],
  );
});

for (const [addresses, want] of [
  [{ A: ['172.31.255.255'] }, 'private'],
  [{ A: ['172.32.0.0'] }, 'valid'],
  [{ A: ['192.168.1.1'] }, 'private'],
  [{ A: ['127.0.0.1'] }, 'private'],
  [{ A: ['100.64.0.1'] }, 'private'],
  [{ A: ['169.254.0.1'] }, 'private'],
  [{ A: ['0.0.0.0'] }, 'private'],
  [{ AAAA: ['::1'] }, 'private'],
  [{ AAAA: ['::'] }, 'private'],
  [{ AAAA: ['fd00::1'] }, 'private'],
  [{ AAAA: ['fe80::1'] }, 'private'],
  [{ AAAA: ['::ffff:10.0.0.1'] }, 'private'],
  [{ AAAA: ['2001:db8::1'] }, 'valid'],
  [{ A: ['not an address'] }, 'valid'],
  [{ A: ['192.0.2.1', '10.0.0.1'] }, 'mixed'],
  [{ A: ['10.0.0.1'], AAAA: ['2001:db8::1'] }, 'mixed'],
  [{ A: ['10.0.0.1'], AAAA: ['fd00::1'] }, 'private'],
  [{ A: ['10.0.0.1'], fail: { AAAA: 'SERVFAIL' } }, 'unverified'],
] as const satisfies readonly (readonly [ZoneRecords[string], string])[]) {
  test(`mx: M5 a host with ${JSON.stringify(addresses)} is ${want}`, async () => {
    const { report, privateHosts, state } = await check({
      ...mx([10, 'mx.example.net']),
      'mx.example.net': addresses,
    });
    assert.deepEqual(privateHosts, want === 'mixed' ? ['mx.example.net'] : []);
    assert.equal(
      state,
      { private: 'unusable', mixed: 'valid', valid: 'valid', unverified: 'unverified' }[want],
    );
    assert.equal(report.errors[0]?.code === 'mx_target_private', want === 'private');
  });
}

test('mx: a host that cannot be reached beside one that can', async () => {
  const { state } = await check({
    ...mx([10, 'a.example.net'], [20, 'b.example.net']),
    'a.example.net': { A: ['10.0.0.1'] },
    'b.example.net': GOOD,
  });
  assert.equal(state, 'partly');
});

test('mx: errors name the host, and failures the question', async () => {
  const { report } = await check({
    ...mx([1, 'a.example.net'], [2, 'b.example.net'], [3, 'c.example.net'], [4, '192.0.2.1']),
    'a.example.net': { fail: { AAAA: 'timeout' } },
    'b.example.net': { CNAME: 'gone.example.org' },
  });
  assert.deepEqual(report.errors.map(formatFinding), [
    'dns_temporary_failure: a.example.net AAAA timeout',
    'mx_target_missing: b.example.net is an alias of gone.example.org, which does not exist',
    'mx_target_missing: c.example.net does not exist',
    'mx_target_ip: 192.0.2.1 is an address, not a name',
  ]);
});

test('mx: AAAA is asked only where there is no A, and every host once', async () => {
  const resolver = zone({
    ...mx([1, 'a.example.net'], [2, 'b.example.net'], [3, 'c.example.net'], [4, 'a.example.net']),
    'a.example.net': GOOD,
    'b.example.net': { AAAA: ['2001:db8::1'] },
  });
  await checkMx('example.com', await resolver.mx('example.com'), resolver);
  assert.deepEqual(resolver.asked, [
    'example.com MX',
    'a.example.net A',
    'b.example.net A',
    'c.example.net A',
    'b.example.net AAAA',
  ]);
});

test('mx: an answer with no records is none', async () => {
  const { state } = await checkMx(
    'example.com',
    { kind: 'found', records: [], aliases: [] },
    zone({}),
  );
  assert.equal(state, 'none');
});

test('mx: valid means without errors, for arbitrary answers', async () => {
  const host = fc.constantFrom(
    '.',
    'a.example.net',
    'b.example.net',
    'localhost',
    '192.0.2.1',
    '',
    'é',
  );
  const records = fc.array(fc.record({ preference: fc.nat(3), exchange: host }), { maxLength: 4 });
  const entry = fc.constantFrom<ZoneRecords[string]>(
    GOOD,
    FAILS,
    {},
    { CNAME: 'localhost' },
    { AAAA: ['x'] },
  );
  await fc.assert(
    fc.asyncProperty(records, entry, entry, async (list, a, b) => {
      const resolver = zone({ 'a.example.net': a, 'b.example.net': b });
      const { report, state } = await checkMx(
        'example.com',
        { kind: 'found', records: list, aliases: [] },
        resolver,
      );
      assert.equal(report.is_valid, report.errors.length === 0);
      assert.equal(report.is_valid, state === 'valid' || state === 'null');
    }),
    { numRuns: 300 },
  );
});
