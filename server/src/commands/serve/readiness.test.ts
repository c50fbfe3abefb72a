import assert from 'node:assert/strict';
import test from 'node:test';
import { unknownFlagsText } from './readiness.ts';

for (const [behaviour, unknown_flags, dated_flags, want] of [
  ['nothing to say of a live dataset', [], [], /^$/],
  [
    'both kinds',
    ['is_proxy'],
    ['is_tor_exit', 'is_vpn'],
    /everywhere: is_proxy\n.*past date only: is_tor_exit, is_vpn\n$/,
  ],
  ['only unknown ones', ['is_proxy', 'blocklists'], [], /everywhere: is_proxy, blocklists\n$/],
  ['only dated ones', [], ['is_vpn'], /opt-in:\n {2}known from tables of a past date only: is_vpn\n$/],
] as const)
  test(`unknown flags: ${behaviour}`, () => assert.match(unknownFlagsText({ unknown_flags, dated_flags }), want));
