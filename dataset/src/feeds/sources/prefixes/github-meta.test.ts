import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent, fileContent } from '../../../io/content.ts';
import { listed } from '../../../test/listed.ts';
import { parseGithubMeta } from './json-lists.ts';

test('github-meta: GitHub’s own lists, without those of customers’ programs, keys and host names', () => {
  const read = parseGithubMeta(
    bytesContent(
      JSON.stringify({
        verifiable_password_authentication: false,
        ssh_keys: ['ssh-ed25519 AAAA'],
        hooks: ['192.0.2.0/24', '2001:db8::/32'],
        web: ['192.0.2.0/24', '198.51.100.1/32'],
        git: ['x'],
        actions: ['203.0.113.0/24'],
        actions_macos: ['203.0.113.0/25'],
        codespaces: ['203.0.113.128/25'],
        domains: { website: ['*.example.com'] },
      }),
    ),
  );
  assert.deepEqual(listed(read), ['192.0.2.0/24', '198.51.100.1/32', '2001:db8::/32']);
  assert.equal(read.skipped, 1);
});

test('github-meta: another document is refused', () => {
  const text = '{"message":"rate limit","__proto__":{"hooks":[]}}';
  assert.throws(
    () => parseGithubMeta(bytesContent(text)),
    /^Error: not GitHub's meta document: none of the lists hooks, web, /,
  );
});

const github = fixture('cloud/github-meta.excerpt.json');
test('github-meta: an excerpt', { skip: github === undefined && NO_FIXTURES }, () => {
  assert.deepEqual(listed(parseGithubMeta(fileContent(github as string))), [
    '192.30.252.0/22',
    '140.82.112.0/20',
    '185.199.108.0/22',
  ]);
});
