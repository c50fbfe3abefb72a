import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { parseAddress, parseAddressBytes } from './address.ts';
import { almostAddress } from './test/almost-address.ts';

test('address bytes: parsed as the text of the same bytes, at any offset', () => {
  const text = fc.oneof(fc.ipV4(), fc.ipV6(), almostAddress, fc.string({ maxLength: 60 }));
  fc.assert(
    fc.property(text, fc.constantFrom('', '1', ':', '.', 'f'), (middle, around) => {
      const bytes = Buffer.from(around + middle + around);
      const start = around.length;
      assert.deepEqual(
        parseAddressBytes(bytes, start, bytes.length - start),
        parseAddress(middle),
        middle,
      );
    }),
    { numRuns: 20_000 },
  );
});
