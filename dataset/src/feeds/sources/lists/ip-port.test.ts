import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent, fileContent } from '../../../io/content.ts';
import { listed } from '../../../test/listed.ts';
import { parseIpPort } from './line-lists.ts';

for (const [behaviour, line, want] of [
  ['an address and a port', '192.0.2.1:8080', ['192.0.2.1/32']],
  ['an IPv6 address in brackets and a port', '[2001:db8::1]:8080', ['2001:db8::1/128']],
  ['an IPv6 address in brackets', '[2001:db8::1]', ['2001:db8::1/128']],
  ['a single address', '192.0.2.1', ['192.0.2.1/32']],
  ['a single IPv6 address keeps its last group', '2001:db8::8080', ['2001:db8::8080/128']],
  ['a comment after the port', '192.0.2.1:8080 # slow', ['192.0.2.1/32']],
  ['a host name', 'proxy.example.com:8080', []],
  ['no port after the colon', '192.0.2.1:', []],
  ['a word after the colon', '192.0.2.1:http', []],
  ['an unclosed bracket', '[2001:db8::1:8080', []],
] as const) {
  test(`ip-port: ${behaviour}`, () => {
    const read = parseIpPort(bytesContent(line));
    assert.deepEqual(listed(read), want);
    assert.equal(read.skipped, 1 - want.length);
  });
}

for (const [file, records] of [
  ['proxy/thespeedx-http.txt', 2772],
  ['proxy/thespeedx-socks4.txt', 2525],
  ['proxy/thespeedx-socks5.txt', 2002],
] as const) {
  const path = fixture(file);
  test(`ip-port: ${file}, an address with several ports once`, {
    skip: path === undefined && NO_FIXTURES,
  }, () => {
    const read = parseIpPort(fileContent(path as string));
    assert.deepEqual([read.records, read.skipped], [records, 0]);
  });
}
