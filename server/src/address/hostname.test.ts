import assert from 'node:assert/strict';
import test from 'node:test';
import { parseAddress } from '@whence/dataset/address';
import { zone } from '@whence/email/test/zone';
import { lookUpHostname, reverseNameOf } from './hostname.ts';

const MANY = Array.from({ length: 300 }, (_, i) => `h${String(i).padStart(3, '0')}.example.com`);

const resolver = () =>
  zone({
    '1.2.0.192.in-addr.arpa': { PTR: ['Host.example.com.'] },
    'host.example.com': { A: ['198.51.100.9', '192.0.2.1'] },
    '2.2.0.192.in-addr.arpa': { PTR: ['elsewhere.example.com'] },
    'elsewhere.example.com': { A: ['198.51.100.1'] },
    '3.2.0.192.in-addr.arpa': { PTR: ['gone.example.com'] },
    '4.2.0.192.in-addr.arpa': { PTR: ['a.example.com', 'host4.example.com'] },
    'a.example.com': { A: ['198.51.100.1'] },
    'host4.example.com': { CNAME: 'real.example.com' },
    'real.example.com': { A: ['192.0.2.4'] },
    '5.2.0.192.in-addr.arpa': { fail: 'SERVFAIL' },
    '6.2.0.192.in-addr.arpa': { PTR: ['silent.example.com'] },
    'silent.example.com': { fail: 'timeout' },
    '7.2.0.192.in-addr.arpa': { PTR: ['silent.example.com', 'host7.example.com'] },
    'host7.example.com': { A: ['192.0.2.7'] },
    '8.2.0.192.in-addr.arpa': { PTR: ['two words.example.com', '<b>.example.com', 'single'] },
    '9.2.0.192.in-addr.arpa': { TXT: ['no PTR here'] },
    '10.2.0.192.in-addr.arpa': { PTR: ['crawl-1.googlebot.com'] },
    'crawl-1.googlebot.com': { A: ['192.0.2.10'] },
    '11.2.0.192.in-addr.arpa': { PTR: ['crawl-2.googlebot.com'] },
    'crawl-2.googlebot.com': { A: ['198.51.100.2'] },
    '12.2.0.192.in-addr.arpa': { PTR: ['crawl.googlebot.com.example.com'] },
    'crawl.googlebot.com.example.com': { A: ['192.0.2.12'] },
    '13.2.0.192.in-addr.arpa': { PTR: MANY },
    '14.2.0.192.in-addr.arpa': { PTR: ['printer.internal'] },
    'printer.internal': { A: ['192.0.2.14'] },
    [reverseNameOf(addressOf('2001:db8::1'))]: { PTR: ['six.example.com'] },
    'six.example.com': { A: ['192.0.2.1'], AAAA: ['2001:DB8:0:0::1'] },
  });

for (const [behaviour, ip, want] of [
  [
    'a name that leads back is confirmed',
    '192.0.2.1',
    { name: 'host.example.com', is_confirmed: true },
  ],
  [
    'a name that leads elsewhere is not',
    '192.0.2.2',
    { name: 'elsewhere.example.com', is_confirmed: false },
  ],
  [
    'a name that does not exist is not',
    '192.0.2.3',
    { name: 'gone.example.com', is_confirmed: false },
  ],
  [
    'of several names the one that leads back',
    '192.0.2.4',
    { name: 'host4.example.com', is_confirmed: true },
  ],
  ['the reverse zone does not answer', '192.0.2.5', { error: 'dns_temporary_failure' }],
  [
    'the name does not answer',
    '192.0.2.6',
    { name: 'silent.example.com', error: 'dns_temporary_failure' },
  ],
  ['one of two names answers', '192.0.2.7', { name: 'host7.example.com', is_confirmed: true }],
  ['what is no hostname is not a name', '192.0.2.8', {}],
  ['no PTR record', '192.0.2.9', {}],
  ['a name that does not exist in the reverse zone', '192.0.2.200', {}],
  [
    'a crawler by its documented name',
    '192.0.2.10',
    {
      name: 'crawl-1.googlebot.com',
      is_confirmed: true,
      crawler: { name: 'Googlebot', is_verified: true },
    },
  ],
  [
    'a forged name of a crawler',
    '192.0.2.11',
    {
      name: 'crawl-2.googlebot.com',
      is_confirmed: false,
      crawler: { name: 'Googlebot', is_verified: false },
    },
  ],
  [
    'a name that only looks like a crawler’s',
    '192.0.2.12',
    { name: 'crawl.googlebot.com.example.com', is_confirmed: true },
  ],
  [
    'a name that internal DNS knows is not asked for',
    '192.0.2.14',
    { name: 'printer.internal', is_confirmed: false },
  ],
  ['IPv6', '2001:db8::1', { name: 'six.example.com', is_confirmed: true }],
] as const) {
  test(`hostname: ${behaviour}`, async () =>
    assert.deepEqual(await lookUpHostname(addressOf(ip), resolver()), want));
}

test('hostname: of hundreds of names only some are asked for', async () => {
  const asked = resolver();
  await lookUpHostname(addressOf('192.0.2.13'), asked);
  assert.equal(asked.queries, 9);
});

for (const [ip, want] of [
  ['192.0.2.1', '1.2.0.192.in-addr.arpa'],
  [
    '2001:db8::567:89ab',
    'b.a.9.8.7.6.5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa',
  ],
  ['ffff::8000:0', `0.0.0.0.0.0.0.8.${'0.'.repeat(20)}f.f.f.f.ip6.arpa`],
] as const) {
  test(`hostname: reverse name of ${ip}`, () => assert.equal(reverseNameOf(addressOf(ip)), want));
}

function addressOf(ip: string) {
  const address = parseAddress(ip);
  assert.ok(address);
  return address;
}
