import assert from 'node:assert/strict';
import test from 'node:test';
import { listed } from '../../test/listed.ts';
import { PrefixListBuilder, withoutComment } from './prefix-list.ts';

for (const [behaviour, texts, want] of [
  ['a prefix', ['192.0.2.0/24'], ['192.0.2.0/24']],
  ['addresses without a length', ['192.0.2.1', '2001:db8::1'], ['192.0.2.1/32', '2001:db8::1/128']],
  ['host bits that are set', ['192.0.2.77/24'], ['192.0.2.0/24']],
  ['white space around a prefix', [' 192.0.2.0/24\t'], ['192.0.2.0/24']],
  [
    'the same range in another spelling is one record',
    ['192.0.2.7/24', '192.0.2.0/24'],
    ['192.0.2.0/24'],
  ],
  [
    'a prefix inside another is a record of its own',
    ['192.0.2.0/24', '192.0.2.0/25'],
    ['192.0.2.0/24', '192.0.2.0/25'],
  ],
  ['an IPv4-mapped address is the IPv4 address', ['::ffff:192.0.2.1'], ['192.0.2.1/32']],
] as const) {
  test(`prefix-list: ${behaviour}`, () => {
    const list = new PrefixListBuilder();
    for (const text of texts) assert.equal(list.add(text), true);
    const read = list.finish();
    assert.deepEqual(listed(read), want);
    assert.equal(read.records, want.length);
    assert.equal(read.skipped, 0);
  });
}

test('prefix-list: what cannot be parsed is counted and adds nothing', () => {
  const list = new PrefixListBuilder();
  for (const text of [
    '',
    'example.com',
    '192.0.2.0/33',
    '192.0.2',
    '192.0.2.01',
    '192.0.2.0/-1',
    'fe80::1%eth0',
  ]) {
    assert.equal(list.add(text, 'label'), false);
  }
  list.skip();
  assert.deepEqual(list.finish(), {
    shape: 'prefixes',
    ranges: list.finish().ranges,
    labels: [],
    records: 0,
    skipped: 8,
  });
});

test('prefix-list: a label is stored once, the same range with two labels twice', () => {
  const list = new PrefixListBuilder();
  list.add('192.0.2.0/24', 'a');
  list.add('192.0.2.0/24', 'b');
  list.add('198.51.100.0/24', 'a');
  const read = list.finish('2026-11-15');
  assert.deepEqual(read.labels, ['a', 'b']);
  assert.deepEqual(listed(read), ['192.0.2.0/24 a', '192.0.2.0/24 b', '198.51.100.0/24 a']);
  assert.equal(read.asOf, '2026-11-15');
});

for (const [behaviour, first, last, want] of [
  ['both ends included', '192.0.2.0', '192.0.2.255', ['192.0.2.0/24']],
  ['not a power of two', '192.0.2.1', '192.0.2.5', ['192.0.2.1-192.0.2.5']],
  ['one address', '2001:db8::1', '2001:db8::1', ['2001:db8::1/128']],
  ['the end before the start', '192.0.2.5', '192.0.2.1', []],
  ['two families', '192.0.2.5', '2001:db8::1', []],
  ['no address', '192.0.2.5', '', []],
] as const) {
  test(`prefix-list: a range: ${behaviour}`, () => {
    const list = new PrefixListBuilder();
    assert.equal(list.addRange(first, last), want.length > 0);
    const read = list.finish();
    assert.deepEqual(listed(read), want);
    assert.equal(read.skipped, 1 - want.length);
  });
}

for (const [behaviour, line, want] of [
  ['no comment', ' 192.0.2.1 ', '192.0.2.1'],
  ['a comment line', '# 192.0.2.1', ''],
  ['a comment line with a semicolon', '; 192.0.2.1', ''],
  ['a comment line with slashes', '// 192.0.2.1', ''],
  ['a comment after white space', '  // 192.0.2.1', ''],
  ['after an address', '192.0.2.1 # a remark', '192.0.2.1'],
  ['after a prefix, without white space', '192.0.2.0/24;SBL1', '192.0.2.0/24'],
  ['with slashes after a prefix', '192.0.2.0/24 // a remark', '192.0.2.0/24'],
  ['two slashes inside a prefix are not a comment', '192.0.2.0//24', '192.0.2.0//24'],
  ['nothing', '', ''],
] as const) {
  test(`prefix-list: comment: ${behaviour}`, () => assert.equal(withoutComment(line), want));
}
