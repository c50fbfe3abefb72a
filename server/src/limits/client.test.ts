import assert from 'node:assert/strict';
import test from 'node:test';
import { clientAddress, clientNetwork } from './client.ts';

for (const [behaviour, text, address, network] of [
  ['an IPv4 address is a client of its own', '192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['an IPv4-mapped address is the IPv4 address', '::ffff:192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['also in hexadecimal', '::FFFF:c000:201', '192.0.2.1', '192.0.2.1'],
  ['an IPv6 client is its /64', '2001:db8:1:2:ffff::9', '2001:db8:1:2:ffff::9', '2001:db8:1:2::'],
  ['however the address is written', '2001:0DB8:1:2:0:0:0:9', '2001:db8:1:2::9', '2001:db8:1:2::'],
  ['a zone is no part of the client', 'fe80::1%eth0', 'fe80::1', 'fe80::'],
  ['a port is no part of the client', '192.0.2.1:54321', '192.0.2.1', '192.0.2.1'],
  ['an IPv6 address with a port', '[2001:db8::1]:443', '2001:db8::1', '2001:db8::'],
  ['other text is left as it is', 'unknown', 'unknown', 'unknown'],
  ['empty text too', '', '', ''],
  ['a connection that has closed has no address', undefined, '', ''],
] as const) {
  test(`client: ${behaviour}`, () => {
    assert.deepEqual([clientAddress(text), clientNetwork(text)], [address, network]);
  });
}
