import assert from 'node:assert/strict';
import test from 'node:test';
import { crc32 } from 'node:zlib';
import { hashSecret, makeSecret } from './secret.ts';
import { findSecret, holdsSecret, isWellFormed, maskSecret } from './secret-form.ts';

test('secret: prefix, 30 random characters and 6 of checksum, all base62', () => {
  const secrets = Array.from({ length: 200 }, makeSecret);
  for (const secret of secrets) {
    assert.match(secret, /^whence_[0-9A-Za-z]{36}$/);
    assert.ok(isWellFormed(secret));
  }
  assert.equal(new Set(secrets).size, 200);
});

test('secret: the checksum is CRC-32 over what stands before it, most significant digit first', () => {
  const secret = makeSecret();
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const value = [...secret.slice(-6)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
  assert.equal(value, crc32(secret.slice(0, -6)));
});

const good = makeSecret();
for (const [behaviour, secret] of [
  ['empty', ''],
  ['too short', good.slice(0, -1)],
  ['too long', `${good}0`],
  ['another prefix', `Whence_${good.slice(7)}`],
  ['a blank at the end', `${good.slice(0, -1)} `],
  ['a character that is not base62', `${good.slice(0, 20)}-${good.slice(21)}`],
  ['two characters exchanged', good.slice(0, 10) + swap(good.slice(10, 14)) + good.slice(14)],
  ['one character changed', good.slice(0, 12) + (good[12] === 'a' ? 'b' : 'a') + good.slice(13)],
] as const) {
  test(`secret: refused without asking storage: ${behaviour}`, () =>
    assert.equal(isWellFormed(secret), false));
}

for (const [behaviour, text, want] of [
  ['in a header', `X-API-Key: ${good}`, good],
  ['in quotes', `{"key":"${good}"}`, good],
  ['behind one that is cut off', `${good.slice(0, 30)} ${good}`, good],
  ['as a part of another word', `x${good}`, undefined],
  ['with a wrong checksum', `${good.slice(0, -1)}${good.endsWith('a') ? 'b' : 'a'}`, undefined],
] as const) {
  test(`secret: found in a text ${behaviour}`, () => {
    assert.equal(findSecret(text), want);
    assert.ok(holdsSecret(text));
  });
}

test('secret: the beginning of a key, as it is shown, can be searched for', () => {
  assert.equal(holdsSecret(good.slice(0, 11)), false);
  assert.equal(holdsSecret(maskSecret(good)), false);
});

test('secret: shown masked, stored hashed', () => {
  assert.equal(maskSecret('whence_ab12345678901234567890123456wxyz'), 'whence_ab12…wxyz');
  assert.match(hashSecret(good), /^[0-9a-f]{64}$/);
  assert.ok(!hashSecret(good).includes(good.slice(7, 12)));
});

/** Four characters in another order, or changed where they are all the same. */
function swap(text: string): string {
  const reversed = [...text].reverse().join('');
  return reversed === text ? `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}` : reversed;
}
