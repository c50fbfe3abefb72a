import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pastedLines, typedAddresses } from './several.ts';

for (const [behaviour, text, words] of [
  ['two lines are a batch', '192.0.2.1\n192.0.2.2', 'batch of 2 lines'],
  ['empty lines do not count', '\r\n192.0.2.1\r\n\r\n192.0.2.2\r\n', 'batch of 2 lines'],
  ['lines of a log are a batch', `${'192.0.2.1 GET /\n'.repeat(1200)}`, 'batch of 1,200 lines'],
  ['one line with its line break is not', '192.0.2.1\n', undefined],
] as const) {
  test(`lookup field, pasted text: ${behaviour}`, () => assert.equal(pastedLines(text)?.words, words));
}

for (const [behaviour, text, words] of [
  ['addresses with spaces between them', '192.0.2.1 2001:db8::1', 'batch of 2 addresses'],
  ['addresses with commas between them', '192.0.2.1, 192.0.2.2,192.0.2.3', 'batch of 3 addresses'],
  ['one address is not a batch', '192.0.2.1', undefined],
  ['two words are the name of a network', 'deutsche telekom', undefined],
  ['an address and a word are not a batch', '192.0.2.1 and', undefined],
] as const) {
  test(`lookup field, several addresses: ${behaviour}`, () => assert.equal(typedAddresses(text)?.words, words));
}
