import assert from 'node:assert/strict';
import test from 'node:test';
import { formatAddress } from '@whence/dataset/address';
import { AddressFinder } from './find-address.ts';

for (const [behaviour, text, ...want] of [
  ['alone', '192.0.2.1', '192.0.2.1'],
  ['at the beginning of a line', '192.0.2.1 - - [15/Nov/2026:05:00:00 +0000] "GET /"', '192.0.2.1'],
  ['two of them', '192.0.2.1, 198.51.100.7', '192.0.2.1', '198.51.100.7'],
  ['after an equals sign', 'src=192.0.2.1 dst=2001:db8::1', '192.0.2.1', '2001:db8::1'],
  ['in quotes', '"192.0.2.1" \'2001:db8::1\'', '192.0.2.1', '2001:db8::1'],
  ['in brackets with a port', '[2001:db8::1]:443', '2001:db8::1'],
  ['IPv4 with a port', 'to 192.0.2.1:8080 ok', '192.0.2.1'],
  ['at the end of a sentence', 'closed by 192.0.2.1. Next from 2001:db8::1.', '192.0.2.1', '2001:db8::1'],
  ['before a colon', '192.0.2.1: refused, 2001:db8::1: too', '192.0.2.1', '2001:db8::1'],
  ['a port and a colon', '192.0.2.1:22: refused', '192.0.2.1'],
  ['IPv6 that ends in two colons', '2001:db8:: is a base', '2001:db8::'],
  ['in a URL', 'http://192.0.2.1/path?x=1 http://[2001:db8::1]/', '192.0.2.1', '2001:db8::1'],
  ['in an email address', 'user@192.0.2.1', '192.0.2.1'],
  ['the base of a prefix', 'deny 192.0.2.0/24', '192.0.2.0'],
  ['after a leading slash, as Java prints it', 'from /192.0.2.1:5000', '192.0.2.1'],
  ['after a name and a slash, with a port, as Java prints it', 'localhost/192.0.2.1:5000', '192.0.2.1'],
  ['after a name and a colon', 'inet addr:192.0.2.1 src:2001:db8::1', '192.0.2.1', '2001:db8::1'],
  ['after a name and a colon with a port', 'outside:192.0.2.1:443', '192.0.2.1'],
  ['IPv4-mapped is IPv4', '::ffff:192.0.2.1 said', '192.0.2.1'],
  ['IPv4-mapped in brackets', '[::ffff:192.0.2.1]:80', '192.0.2.1'],
  ['loopback', 'listen ::1', '::1'],
  ['upper case', '2001:DB8::A', '2001:db8::a'],
  ['next to bytes above ASCII', 'von „192.0.2.1“ und 来自192.0.2.2的', '192.0.2.1', '192.0.2.2'],
  ['a version of five numbers is not an address', '1.2.3.4.5'],
  ['a version with a suffix is not an address', '10.1.2.3-beta 10.1.2.3+4 10.1.2.3~rc1 10.1.2.3_1'],
  ['a version with a letter before is not an address', 'v1.2.3.4'],
  ['the version of a browser is not an address', 'Chrome/120.0.0.0 Safari/537.36'],
  ['a range is not an address', '192.0.2.1-192.0.2.9'],
  ['an octet above 255 is not an address', '256.1.1.1 1.1.1.256'],
  ['a leading zero is not an address', '192.0.02.1'],
  ['a port of six digits is not an address', '192.0.2.1:123456'],
  ['the time is not an address', '05:00:00 2026-11-15T05:00:00.123Z'],
  ['a MAC address is not an address', '00:11:22:33:44:55'],
  ['an EUI-64 is not an address', '00:11:22:33:44:55:66:77'],
  ['a fingerprint is not an address', 'aa:bb:cc:dd:ee:ff:00:11:22:33:44:55:66:77:88:99'],
  ['names in programs are not addresses', 'std::string dead::beef :: a::b'],
  ['a zone id is not an address', 'fe80::1%eth0'],
  ['a host name is not an address', 'a.b.c.example.com'],
  ['nothing', ''],
  ['dots', '... .... 1... ....1'],
  ['a word that is far too long', '1.2.3.4'.repeat(10_000)],
] as const)
  test(`find address: ${behaviour}`, () => assert.deepEqual(allIn(text), want));

test('find address: bytes outside the range are not read', () => {
  const bytes = Buffer.from('1192.0.2.15');
  assert.equal(found(bytes, 1, bytes.length - 1), '192.0.2.1');
  const agent = Buffer.from('"Chrome/192.0.2.1"');
  assert.equal(found(agent, 8, agent.length - 1), '192.0.2.1');
});

function found(bytes: Buffer, from: number, to: number): string | undefined {
  const address = new AddressFinder().next(bytes, from, to);
  return address && formatAddress(address);
}

function allIn(text: string): string[] {
  const finder = new AddressFinder();
  const bytes = Buffer.from(text);
  const addresses: string[] = [];
  for (let from = 0; ; from = finder.end) {
    const address = finder.next(bytes, from, bytes.length);
    if (address === undefined) return addresses;
    addresses.push(formatAddress(address));
  }
}
