import assert from 'node:assert/strict';
import test from 'node:test';
import { ADDRESS_TEXTS } from '@whence/testing/address-texts';
import { formatAddress } from './address.ts';
import { AddressFinder, isMistypedQuad } from './find-address.ts';

for (const [behaviour, text, ...want] of ADDRESS_TEXTS)
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

for (const [behaviour, text, want] of [
  ['an octet above 255', 'from 300.1.1.1 to', ['300.1.1.1']],
  ['a leading zero', '192.0.02.1', ['192.0.02.1']],
  ['a version after a name is not meant as one', 'Chrome/120.0.0.0 Edg/120.0.999.61', []],
  ['four digits are not meant as one', '120.0.2210.61', []],
  ['a time is not meant as one', '12:34:56.789', []],
] as const)
  test(`mistyped address: ${behaviour}`, () => {
    const rejected: string[] = [];
    const finder = new AddressFinder((bytes, start, end, from) => {
      if (isMistypedQuad(bytes, start, end, from))
        rejected.push(Buffer.from(bytes).toString('latin1', start, end));
    });
    const bytes = Buffer.from(text);
    assert.equal(finder.next(bytes, 0, bytes.length), undefined);
    assert.deepEqual(rejected, want);
  });
