import assert from 'node:assert/strict';
import test from 'node:test';
import { type Address, ipv4, ipv6 } from '@whence/dataset/address';
import { AnswerCache } from './answer-cache.ts';

function put(cache: AnswerCache, address: Address, text: string): void {
  const bytes = Buffer.from(text);
  cache.put(address, bytes, 0, bytes.length);
}

function get(cache: AnswerCache, address: Address): string | undefined {
  const entry = cache.find(address);
  return entry === -1
    ? undefined
    : cache.bytes.toString('latin1', cache.start(entry), cache.end(entry));
}

test('answer cache: what was put in comes out, for its address alone', () => {
  const cache = new AnswerCache();
  put(cache, ipv4(0x08080808), 'google');
  put(cache, ipv6(0x08080808, 0, 0, 0), 'the same first word');
  assert.equal(get(cache, ipv4(0x08080808)), 'google');
  assert.equal(get(cache, ipv6(0x08080808, 0, 0, 0)), 'the same first word');
  assert.equal(get(cache, ipv4(0x08080809)), undefined);
});

test('answer cache: a record that does not fit is not kept', () => {
  const cache = new AnswerCache();
  put(cache, ipv4(1), 'a'.repeat(513));
  assert.equal(get(cache, ipv4(1)), undefined);
  put(cache, ipv4(1), 'a'.repeat(512));
  assert.equal(get(cache, ipv4(1))?.length, 512);
});

test('answer cache: never an answer of another address, however many are put in', () => {
  const cache = new AnswerCache();
  for (let i = 0; i < 100_000; i++) put(cache, ipv4(i * 7919), String(i * 7919));
  let kept = 0;
  for (let i = 0; i < 100_000; i++) {
    const answer = get(cache, ipv4(i * 7919));
    if (answer === undefined) continue;
    assert.equal(answer, String(i * 7919));
    kept++;
  }
  assert.ok(kept > 4_000 && kept <= 8_192, `${kept} kept`);
});

test('answer cache: of an address used again and again, and many used once, the first stays', () => {
  const cache = new AnswerCache();
  put(cache, ipv4(42), 'often');
  for (let i = 0; i < 10_000; i++) {
    put(cache, ipv4(1_000_000 + i * 31), 'once');
    assert.equal(get(cache, ipv4(42)), 'often');
  }
});
