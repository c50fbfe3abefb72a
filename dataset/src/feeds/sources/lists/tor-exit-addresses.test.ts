import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent, fileContent } from '../../../io/content.ts';
import { listed } from '../../../test/listed.ts';
import { parseTorExitAddresses } from './line-lists.ts';

test('tor-exit-addresses: every exit address once, and the newest date', () => {
  const read = parseTorExitAddresses(
    bytesContent(`ExitNode 0011BD2485AD45D984EC4159C88FC066E5E3300E
Published 2024-02-28 11:01:07
LastStatus 2024-02-28 23:00:00
ExitAddress 192.0.2.1 2024-02-27 01:02:03
ExitAddress 2001:db8::1 2024-02-26 01:02:03
ExitNode 1011BD2485AD45D984EC4159C88FC066E5E3300E
ExitAddress 192.0.2.1 2024-02-25 01:02:03
ExitAddress example 2024-03-01 01:02:03
<html>
`),
  );
  assert.deepEqual(listed(read), ['192.0.2.1/32', '2001:db8::1/128']);
  assert.deepEqual([read.skipped, read.asOf], [2, '2024-02-27']);
});

const sample = fixture('format-samples/tor-exit-addresses.txt');
test('tor-exit-addresses: the sample', { skip: sample === undefined && NO_FIXTURES }, () => {
  const read = parseTorExitAddresses(fileContent(sample as string));
  assert.deepEqual(listed(read), ['176.10.99.200/32']);
  assert.deepEqual([read.skipped, read.asOf], [0, '2021-11-02']);
});
