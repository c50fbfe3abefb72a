import assert from 'node:assert/strict';
import test from 'node:test';
import { parseAddress } from './address.ts';
import { findSpecialPurpose } from './special-purpose.ts';

for (const [text, prefix, rfc] of [
  ['10.1.2.3', '10.0.0.0/8', 'RFC 1918'],
  ['172.31.255.255', '172.16.0.0/12', 'RFC 1918'],
  ['192.168.0.1', '192.168.0.0/16', 'RFC 1918'],
  ['100.64.0.1', '100.64.0.0/10', 'RFC 6598'],
  ['127.0.0.1', '127.0.0.0/8', 'RFC 1122'],
  ['169.254.1.1', '169.254.0.0/16', 'RFC 3927'],
  ['192.0.2.1', '192.0.2.0/24', 'RFC 5737'],
  ['198.19.255.255', '198.18.0.0/15', 'RFC 2544'],
  ['224.0.0.1', '224.0.0.0/4', 'RFC 5771'],
  ['250.0.0.1', '240.0.0.0/4', 'RFC 1112'],
  ['255.255.255.255', '255.255.255.255/32', 'RFC 919'],
  ['0.0.0.0', '0.0.0.0/32', 'RFC 1122'],
  ['192.0.0.170', '192.0.0.170/31', 'RFC 8880'],
  ['::1', '::1/128', 'RFC 4291'],
  ['::', '::/128', 'RFC 4291'],
  ['fe80::1', 'fe80::/10', 'RFC 4291'],
  ['fd00::1', 'fc00::/7', 'RFC 4193'],
  ['2001:db8::1', '2001:db8::/32', 'RFC 3849'],
  ['3fff::1', '3fff::/20', 'RFC 9637'],
  ['2002::1', '2002::/16', 'RFC 3056'],
  ['2001::1', '2001::/32', 'RFC 4380'],
  ['ff02::1', 'ff00::/8', 'RFC 4291'],
] as const) {
  test(`special-purpose: ${text} is in ${prefix}`, () => {
    const address = parseAddress(text);
    assert.ok(address);
    const found = findSpecialPurpose(address);
    assert.deepEqual([found?.prefix, found?.rfc], [prefix, rfc]);
  });
}

for (const text of [
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '2600::',
  '4000::1',
]) {
  test(`special-purpose: ${text} is not special-purpose`, () => {
    const address = parseAddress(text);
    assert.ok(address);
    assert.equal(findSpecialPurpose(address), undefined);
  });
}
