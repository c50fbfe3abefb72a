import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeySummary, TierInfo } from '@whence/server/dashboard-wire/keys';
import { changeOf, effectsOf, emptyForm, formOf, type KeyForm, newKeyOf } from './key-form.ts';

const KEY: KeySummary = {
  id: 'abc',
  name: 'gateway',
  masked: 'whence_ab12…wxyz',
  status: 'active',
  state: 'active',
  tier: 'pro',
  permissions: ['ip:read', 'email:read'],
  note: 'of the mail team',
  expires_at: '2026-12-31T18:00:30.000Z',
  allowed_networks: ['192.0.2.0/24'],
  created_at: '2026-08-01T00:00:00.000Z',
  last_used_from: '192.0.2.7',
  quota: { used: 1_500, limit: 100_000, resets_at: '2026-08-02T00:00:00.000Z' },
  requests_by_hour: [],
};
const TIERS: TierInfo[] = [
  { tier: 'free', requests_per_day: 1_000, batch_size: 10 },
  { tier: 'starter', requests_per_day: 10_000, batch_size: 100 },
  { tier: 'enterprise', requests_per_day: null, batch_size: 1_000 },
];

test('key form: nothing is sent where nothing was changed, also of an expiry between two minutes', () => {
  assert.deepEqual(changeOf(KEY, formOf(KEY)), {});
  assert.deepEqual(
    changeOf(KEY, { ...formOf(KEY), networks: ' 192.0.2.0/24 \n\n', name: 'gateway ' }),
    {},
  );
});

for (const [behaviour, edited, sent, effect] of [
  ['a name', { name: 'proxy' }, { name: 'proxy' }, /^Clients do not notice this/],
  ['no note', { note: '' }, { note: '' }, /^Clients do not notice this/],
  [
    'a tier whose day is used up',
    { tier: 'free' },
    { tier: 'free' },
    /1,500 were made today: .* 429 until 00:00 UTC/,
  ],
  [
    'a smaller tier',
    { tier: 'starter' },
    { tier: 'starter' },
    /10,000 requests a day. 8,500 requests remain today. Batches of up to 100 addresses/,
  ],
  ['no limit', { tier: 'enterprise' }, { tier: 'enterprise' }, /no daily limit/],
  [
    'other permissions',
    { permissions: ['ip:read', 'asn:read'] },
    { permissions: ['ip:read', 'asn:read'] },
    /^Email domains: requests are refused with 403 .* Networks: requests are answered/,
  ],
  ['no expiry', { expires: '' }, { expires_at: null }, /no longer expires/],
  [
    'networks, separated in any way',
    { networks: '192.0.2.0/24, 2001:db8::/32\n198.51.100.7' },
    { allowed_networks: ['192.0.2.0/24', '2001:db8::/32', '198.51.100.7'] },
    /refused with 401 from now on\. The key was last used from 192\.0\.2\.7/,
  ],
  ['any network', { networks: '' }, { allowed_networks: [] }, /^Any client/],
  [
    'a limit',
    { limit: '5000' },
    { daily_limit: 5_000 },
    /^From now on 5,000 requests a day. 3,500 requests remain today/,
  ],
  [
    'a limit of one',
    { limit: '1' },
    { daily_limit: 1 },
    /^From now on 1 request a day. 1,500 were made today/,
  ],
  [
    'a rate',
    { rate: '5' },
    { requests_per_second: 5 },
    /Above 5 requests a second, .* 429 and Retry-After: 1/,
  ],
  ['a rate of one', { rate: '1' }, { requests_per_second: 1 }, /Above 1 request a second/],
] as const) {
  test(`key form: ${behaviour}`, () => {
    const change = changeOf(KEY, { ...formOf(KEY), ...edited } as KeyForm);
    assert.deepEqual(change, sent);
    const [text = ''] = Object.values(effectsOf(KEY, change, TIERS));
    assert.match(text, effect);
  });
}

test('key form: an expiry is sent with its time zone', () => {
  const { expires_at } = changeOf(KEY, { ...formOf(KEY), expires: '2027-01-31T12:30' });
  assert.equal(expires_at, new Date('2027-01-31T12:30').toISOString());
});

test('key form: a year that a date cannot have is sent as it was typed', () => {
  assert.equal(
    changeOf(KEY, { ...formOf(KEY), expires: '275760-12-31T12:30' }).expires_at,
    '275760-12-31T12:30',
  );
});

const IDENTITY = { name: 'gateway', tier: 'free', permissions: ['ip:read'] } as const;

for (const [behaviour, filledIn, sent] of [
  ['without attributes', { note: ' ', networks: ' \n', rate: ' ' }, {}],
  ['with a note', { note: ' of the mail team\n' }, { note: 'of the mail team' }],
  [
    'with networks',
    { networks: '192.0.2.0/24\n2001:db8::/32' },
    { allowed_networks: ['192.0.2.0/24', '2001:db8::/32'] },
  ],
  ['with a rate', { rate: '20' }, { requests_per_second: 20 }],
  ['with a limit', { limit: '50000' }, { daily_limit: 50_000 }],
] as const) {
  test(`key form: a new key ${behaviour}`, () => {
    const form = { ...emptyForm('free', ['ip:read']), name: ' gateway', ...filledIn };
    assert.deepEqual(newKeyOf(form), { ...IDENTITY, ...sent });
  });
}

test('key form: a new key with an expiry', () => {
  const form = { ...emptyForm('free', ['ip:read']), name: 'gateway', expires: '2027-01-31T12:30' };
  assert.deepEqual(newKeyOf(form), {
    ...IDENTITY,
    expires_at: new Date('2027-01-31T12:30').toISOString(),
  });
});

test('key form: a key with a limit of its own keeps it with another tier, and gets the tier’s when it is removed', () => {
  const key = { ...KEY, daily_limit: 2_000, quota: { ...KEY.quota, limit: 2_000 } };
  const effects = (edited: Partial<KeyForm>) =>
    effectsOf(key, changeOf(key, { ...formOf(key), ...edited }), TIERS);
  assert.match(
    effects({ tier: 'enterprise' }).tier ?? '',
    /^From now on 2,000 requests a day.*up to 1,000 addresses/,
  );
  assert.match(
    effects({ tier: 'starter', limit: '' }).limit ?? '',
    /^From now on 10,000 requests a day/,
  );
});
