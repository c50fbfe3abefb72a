import assert from 'node:assert/strict';
import test from 'node:test';
import { staticHost } from './static-host.ts';

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
  test(`static host: a URL ${behaviour}`, () =>
    assert.equal(staticHost(new URL(url)).describe('manifest.json'), want));
}
