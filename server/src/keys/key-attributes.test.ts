import assert from 'node:assert/strict';
import test from 'node:test';
import {
  changesOf,
  changesOfOptions,
  parseNetworks,
  parseNote,
  parseTime,
} from './key-attributes.ts';

const NOW = new Date('2026-11-16T12:00:00Z');

for (const [text, want] of [
  ['2026-12-31', '2026-12-31T00:00:00.000Z'],
  ['2026-12-31T18:00Z', '2026-12-31T18:00:00.000Z'],
  ['2026-12-31T18:00:00+01:00', '2026-12-31T17:00:00.000Z'],
  ['90d', '2027-02-14T12:00:00.000Z'],
  ['24h', '2026-11-17T12:00:00.000Z'],
  ['30m', '2026-11-16T12:30:00.000Z'],
] as const) {
  test(`key attributes: the time ${text}`, () =>
    assert.equal(parseTime(text, NOW, 'it').toISOString(), want));
}

for (const text of [
  '',
  'tomorrow',
  '2026-11-15',
  '2026-02-30',
  '2027-02-30',
  '2026-12-31T18:00',
  '0d',
  '-1d',
  '9999-01-01',
]) {
  test(`key attributes: ${JSON.stringify(text)} is no time in the future`, () =>
    assert.throws(
      () => parseTime(text, NOW, 'it'),
      /^InvalidKey: it must be a time in the future/,
    ));
}

for (const [texts, want] of [
  [[], undefined],
  [['192.0.2.0/24', '192.0.2.0/24'], ['192.0.2.0/24']],
  [
    ['198.51.100.7', '2001:DB8::7'],
    ['198.51.100.7/32', '2001:db8::7/128'],
  ],
  [[' 2001:db8:0::/32 '], ['2001:db8::/32']],
] as const) {
  test(`key attributes: the networks ${JSON.stringify(texts)}`, () =>
    assert.deepEqual(parseNetworks(texts), want));
}

for (const [text, message] of [
  ['192.0.2.7/24', /192\.0\.2\.7\/24 has bits behind its length; the network is 192\.0\.2\.0\/24/],
  ['192.0.2.0/33', /is neither an address nor a prefix/],
  ['example.com', /is neither an address nor a prefix/],
  ['::ffff:192.0.2.0/120', /is neither an address nor a prefix/],
] as const) {
  test(`key attributes: ${text} is no network`, () =>
    assert.throws(() => parseNetworks([text]), message));
}

test('key attributes: notes have a limit, keep line breaks, and hold no key', () => {
  assert.equal(parseNote(' of the mail team\r\ncall 5 '), 'of the mail team\ncall 5');
  assert.equal(parseNote('  '), undefined);
  assert.throws(() => parseNote('x'.repeat(501)), /at most 500 characters/);
  assert.throws(() => parseNote('\u001b[31m'), /control character/);
  assert.throws(() => parseNote(`use whence_${'a'.repeat(36)}`), /must not hold a key/);
});

for (const value of [0, -1, 1.5, Number.NaN, 100_001]) {
  test(`key attributes: ${value} requests per second are refused`, () =>
    assert.throws(
      () => changesOf({ requests_per_second: value }, NOW),
      /requests per second are a whole number from 1 to 100,000/,
    ));
}

for (const value of [0, -1, 1.5, Number.NaN, 2_147_483_647]) {
  test(`key attributes: a daily limit of ${value} is refused`, () =>
    assert.throws(
      () => changesOf({ daily_limit: value }, NOW),
      /a daily limit is a whole number from 1 to 2,147,483,646/,
    ));
}

for (const [behaviour, options, want] of [
  ['none', {}, {}],
  ['values', { note: 'x', dailyLimit: '2147483646' }, { note: 'x', dailyLimit: 2_147_483_646 }],
  [
    'a list',
    { networks: '192.0.2.0/24, 2001:db8::1' },
    { allowedNetworks: ['192.0.2.0/24', '2001:db8::1/128'] },
  ],
  [
    'the words that remove each',
    {
      note: '',
      expires: 'never',
      networks: 'any',
      requestsPerSecond: 'unlimited',
      dailyLimit: 'tier',
    },
    {
      note: null,
      expiresAt: null,
      allowedNetworks: null,
      requestsPerSecond: null,
      dailyLimit: null,
    },
  ],
] as const) {
  test(`key attributes: options: ${behaviour}`, () =>
    assert.deepEqual(changesOfOptions(options, NOW), want));
}
