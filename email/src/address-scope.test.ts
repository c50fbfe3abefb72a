import assert from 'node:assert/strict';
import test from 'node:test';
import { isPublicAddress } from './address-scope.ts';

for (const [address, want] of [
  ['8.8.8.8', true],
  ['172.32.0.1', true],
  ['2001:4860:4860::8888', true],
  ['2606:4700::1111', true],
  ['10.1.2.3', false],
  ['127.0.0.1', false],
  ['100.64.0.1', false],
  ['169.254.169.254', false],
  ['192.0.2.1', false],
  ['198.19.255.255', false],
  ['203.0.113.1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['0.0.0.0', false],
  ['::1', false],
  ['::ffff:127.0.0.1', false],
  ['::ffff:8.8.8.8', false],
  ['64:ff9b::a00:1', false],
  ['fd00::1', false],
  ['fe80::1', false],
  ['2001:db8::1', false],
  ['2002:7f00:1::', false],
  ['ff02::1', false],
  ['localhost', false],
  ['', false],
] as const)
  test(`address scope: ${address} is ${want ? '' : 'not '}public`, () =>
    assert.equal(isPublicAddress(address), want));
