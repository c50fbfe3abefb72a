import assert from 'node:assert/strict';
import test from 'node:test';
import { bytesContent } from '../../../io/content.ts';
import { listed } from '../../../test/listed.ts';
import { parseOnionoo } from './onionoo.ts';

const details = (...relays: unknown[]) =>
  bytesContent(
    JSON.stringify({
      version: '8.0',
      relays_published: '2024-02-27 01:00:00',
      relays,
      bridges: [],
    }),
  );

for (const [behaviour, relay, want, skipped] of [
  [
    'the exit addresses',
    {
      exit_addresses: ['192.0.2.1', '2001:db8::2'],
      or_addresses: ['192.0.2.9:443'],
      flags: ['Exit'],
    },
    ['192.0.2.1/32', '2001:db8::2/128'],
    0,
  ],
  [
    'without exit addresses those it listens on, without ports',
    { or_addresses: ['192.0.2.9:443', '[2001:db8::9]:443'], flags: ['Exit', 'Fast'] },
    ['192.0.2.9/32', '2001:db8::9/128'],
    0,
  ],
  [
    'an empty list of exit addresses',
    { exit_addresses: [], or_addresses: ['192.0.2.9:443'] },
    ['192.0.2.9/32'],
    0,
  ],
  ['a relay that is not an exit', { or_addresses: ['192.0.2.9:443'], flags: ['Guard'] }, [], 0],
  [
    'a relay with exit addresses but without the flag',
    { exit_addresses: ['192.0.2.1'], flags: [] },
    ['192.0.2.1/32'],
    0,
  ],
  [
    'an observed IPv4 address, and the IPv6 address that it listens on',
    {
      exit_addresses: ['192.0.2.1'],
      or_addresses: ['192.0.2.9:443', '[2001:db8::9]:443'],
      flags: ['Exit'],
    },
    ['192.0.2.1/32', '2001:db8::9/128'],
    0,
  ],
  [
    'no IPv6 address where the policy allows no IPv6',
    {
      or_addresses: ['192.0.2.9:443', '[2001:db8::9]:443'],
      flags: ['Exit'],
      exit_policy_summary: { accept: ['443'] },
    },
    ['192.0.2.9/32'],
    0,
  ],
  [
    'an IPv6 address where the policy allows IPv6',
    {
      or_addresses: ['[2001:db8::9]:443'],
      exit_policy_summary: { reject: ['25'] },
      exit_policy_v6_summary: { accept: ['443'] },
    },
    ['2001:db8::9/128'],
    0,
  ],
  [
    'the operator by its web address',
    {
      exit_addresses: ['192.0.2.1'],
      contact: 'email:a[]relays.example url:https://Relays.example/tor proof:uri-rsa',
    },
    ['192.0.2.1/32 relays.example'],
    0,
  ],
  [
    'no operator without a web address',
    { exit_addresses: ['192.0.2.1'], contact: 'Jane Doe <jane at relays dot example>' },
    ['192.0.2.1/32'],
    0,
  ],
  ['a relay without addresses', { nickname: 'x' }, [], 1],
  ['an invalid address', { exit_addresses: [5, 'x'] }, [], 2],
  ['not an object', 'x', [], 1],
] as const) {
  test(`onionoo: ${behaviour}`, () => {
    const read = parseOnionoo(details(relay));
    assert.deepEqual(listed(read), want);
    assert.deepEqual([read.skipped, read.asOf], [skipped, '2024-02-27']);
  });
}

test('onionoo: refused without relays', () => {
  assert.throws(
    () => parseOnionoo(bytesContent('{}')),
    /^Error: not an Onionoo details document: no "relays" list$/,
  );
});
