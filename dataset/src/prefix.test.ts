import assert from 'node:assert/strict';
import test from 'node:test';
import { parseAddress } from './address.ts';
import {
  addressBits,
  formatPrefix,
  fromBigInt,
  parsePrefix,
  prefixesOfRange,
  toBigInt,
} from './prefix.ts';

for (const [behaviour, text, want] of [
  ['a prefix', '192.0.2.0/24', '192.0.2.0 - 192.0.2.255'],
  ['host bits are cleared', '192.0.2.77/24', '192.0.2.0 - 192.0.2.255'],
  ['an address is a prefix of one', '192.0.2.77', '192.0.2.77 - 192.0.2.77'],
  ['everything', '0.0.0.0/0', '0.0.0.0 - 255.255.255.255'],
  ['IPv6', '2001:db8::/32', '2001:db8:: - 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['an IPv6 address', '2001:db8::1', '2001:db8::1 - 2001:db8::1'],
  ['an IPv4-mapped address', '::ffff:192.0.2.1', '192.0.2.1 - 192.0.2.1'],
] as const) {
  test(`prefix: ${behaviour}`, () => {
    const range = parsePrefix(text);
    assert.ok(range);
    const show = (value: bigint) =>
      formatPrefix(fromBigInt(value, range.version), addressBits(range.version)).split('/')[0];
    assert.equal(`${show(range.start)} - ${show(range.end)}`, want);
  });
}

for (const text of [
  '192.0.2.0/33',
  '192.0.2.0/',
  '192.0.2.0/-1',
  '192.0.2.0/024',
  '192.0.2.0/2a',
  '2001:db8::/129',
  '::ffff:192.0.2.0/24',
  '::ffff:192.0.2.0/120',
  '/24',
  'x/8',
  '',
]) {
  test(`prefix: refused: ${JSON.stringify(text)}`, () =>
    assert.equal(parsePrefix(text), undefined));
}

for (const [behaviour, first, last, want] of [
  ['one prefix', '192.0.2.0', '192.0.2.255', ['192.0.2.0/24']],
  [
    'as few prefixes as possible',
    '10.0.0.1',
    '10.0.0.6',
    ['10.0.0.1/32', '10.0.0.2/31', '10.0.0.4/31', '10.0.0.6/32'],
  ],
  ['the whole space', '0.0.0.0', '255.255.255.255', ['0.0.0.0/0']],
  ['up to the last address', '255.255.255.254', '255.255.255.255', ['255.255.255.254/31']],
  ['from the first address', '0.0.0.0', '0.0.0.2', ['0.0.0.0/31', '0.0.0.2/32']],
  [
    'IPv6',
    '2001:db8::',
    '2001:db8:2:ffff:ffff:ffff:ffff:ffff',
    ['2001:db8::/47', '2001:db8:2::/48'],
  ],
] as const) {
  test(`prefix: a range is divided: ${behaviour}`, () => {
    const [start, end] = [first, last].map((text) => parseAddress(text));
    assert.ok(start && end);
    const { version } = start;
    const prefixes = [...prefixesOfRange(toBigInt(start), toBigInt(end), addressBits(version))];
    assert.deepEqual(
      prefixes.map(([base, length]) => formatPrefix(fromBigInt(base, version), length)),
      want,
    );
  });
}
