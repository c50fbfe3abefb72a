import assert from 'node:assert/strict';
import test from 'node:test';
import { followRedirect } from './http-get.ts';

for (const [behaviour, from, location, want] of [
  ['to another path', 'https://example.com/a/list', 'b?c', 'https://example.com/a/b?c'],
  ['to another host', 'https://example.com/a', '//example.net/b', 'https://example.net/b'],
  ['from http to https', 'http://example.com/a', 'https://example.com/a', 'https://example.com/a'],
  ['from http to http', 'http://example.com/a', '/b', 'http://example.com/b'],
] as const)
  test(`redirect: ${behaviour} is followed`, () => {
    const next = followRedirect(new URL(from), location);
    assert.equal(next instanceof URL && next.href, want);
  });

for (const [behaviour, location, want] of [
  [
    'from https to http',
    'http://example.com/a',
    'from https to http (example.com), which is refused',
  ],
  ['to a file', 'file:///etc/hostname', 'to a URL with the scheme file: and not https: or http:'],
  ['to a data URL', 'data:,x', 'to a URL with the scheme data: and not https: or http:'],
  [
    'to a URL with a user name',
    'https://user@example.com/',
    'to a URL with a user name or password, which is refused',
  ],
  ['to something that is not a URL', 'https://', 'to "https://", which is not a URL'],
] as const)
  test(`redirect: ${behaviour} is refused`, () =>
    assert.equal(followRedirect(new URL('https://example.com/'), location), want));
