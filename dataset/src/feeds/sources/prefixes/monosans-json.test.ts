import assert from 'node:assert/strict';
import test from 'node:test';
import { bytesContent } from '../../../io/content.ts';
import { listed } from '../../../test/listed.ts';
import { parseMonosansJson } from './json-lists.ts';

test('monosans-json: the exit address, else the host if it is an address', () => {
  const read = parseMonosansJson(
    bytesContent(
      JSON.stringify([
        { protocol: 'http', host: '192.0.2.1', port: 80, exit_ip: '198.51.100.1', geolocation: null },
        { protocol: 'socks5', host: '192.0.2.2', port: 1080, exit_ip: '198.51.100.1' },
        { protocol: 'http', host: '192.0.2.3', port: 80, exit_ip: null },
        { protocol: 'http', host: 'proxy.example.com', port: 80 },
        { protocol: 'http', host: 'proxy.example.com', port: 80, exit_ip: '2001:db8::1' },
        null,
        [],
      ]),
    ),
  );
  assert.deepEqual(listed(read), ['198.51.100.1/32', '192.0.2.3/32', '2001:db8::1/128']);
  assert.equal(read.skipped, 3);
});

test('monosans-json: refused if it is not a list', () => {
  assert.throws(
    () => parseMonosansJson(bytesContent('{"proxies":[]}')),
    /^Error: not monosans.*: not a list of proxies$/,
  );
});
