import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { parseAddress, parseAddressBytes } from './address.ts';

const piece = fc.constantFrom(
  ':',
  '::',
  '.',
  '0',
  '1',
  '00',
  'f',
  'ffff',
  '255',
  '256',
  '1.2.3.4',
  '%',
  'g',
  ' ',
  '/',
  'é',
);
const almost = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));

test('address bytes: parsed as the text of the same bytes, at any offset', () => {
  const text = fc.oneof(fc.ipV4(), fc.ipV6(), almost, fc.string({ maxLength: 60 }));
  fc.assert(
    fc.property(text, fc.constantFrom('', '1', ':', '.', 'f'), (middle, around) => {
      const bytes = Buffer.from(around + middle + around);
      const start = around.length;
      assert.deepEqual(parseAddressBytes(bytes, start, bytes.length - start), parseAddress(middle), middle);
    }),
    { numRuns: 20_000 },
  );
});
