import assert from 'node:assert/strict';
import test from 'node:test';
import { redirectTarget, staticHost } from './static-host.ts';

for (const [behaviour, from, location, want] of [
  ['a path', 'https://a.example/x/manifest.json', '/y/manifest.json', 'https://a.example/y/manifest.json'],
  ['another host', 'https://a.example/x', 'https://b.example/x', 'https://b.example/x'],
  ['from http to https', 'http://a.example/x', 'https://a.example/x', 'https://a.example/x'],
  ['from http to http', 'http://a.example/x', 'http://b.example/x', 'http://b.example/x'],
  ['the same protocol as before', 'https://a.example/x', '//b.example/x', 'https://b.example/x'],
] as const) {
  test(`redirect: ${behaviour} is followed`, () => assert.equal(redirectTarget(new URL(from), location).href, want));
}

for (const [behaviour, from, location, want] of [
  [
    'from https to http',
    'https://u:p@a.example/x?t=1',
    'http://a.example/x',
    /^https:\/\/a\.example\/x redirects from https: to http:/,
  ],
  ['to a file', 'http://a.example/x', 'file:///etc/passwd', /from http: to file:, which is not followed$/],
  ['to data', 'https://a.example/x', 'data:,{}', /from https: to data:, which is not followed$/],
  ['to nowhere', 'https://a.example/x', null, /redirects to nowhere$/],
  ['to what is no URL', 'https://a.example/x', 'https://', /redirects to nowhere$/],
] as const) {
  test(`redirect: ${behaviour} is not followed`, () =>
    assert.throws(() => redirectTarget(new URL(from), location), { message: want }));
}

for (const [behaviour, url, want] of [
  ['with a slash at the end', 'https://a.example/data/', 'https://a.example/data/manifest.json'],
  ['without one', 'https://a.example/data', 'https://a.example/data/manifest.json'],
  ['without a path', 'https://a.example', 'https://a.example/manifest.json'],
  [
    'with user, password, query and fragment',
    'https://u:p@a.example:444/d?t=1#f',
    'https://a.example:444/d/manifest.json',
  ],
  ['of a folder', 'file:///srv/whence%20data/', '/srv/whence data/manifest.json'],
] as const) {
  test(`static host: a URL ${behaviour}`, () => assert.equal(staticHost(url).describe('manifest.json'), want));
}
