import assert from 'node:assert/strict';
import test from 'node:test';
import { normalizeDomain } from './domain-name.ts';

for (const [behaviour, text, want] of [
  ['as it is', 'example.com', 'example.com'],
  ['lower case', 'EXAMPLE.Com', 'example.com'],
  ['the final dot goes', 'example.com.', 'example.com'],
  ['an internationalised name becomes A-labels', 'bücher.example', 'xn--bcher-kva.example'],
  ['A-labels stay', 'xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['a full-width dot', 'example。com', 'example.com'],
  ['a subdomain', 'a.b.example.co.uk', 'a.b.example.co.uk'],
  ['a label of 63', `${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
] as const) {
  test(`domain: ${behaviour}`, () => assert.equal(normalizeDomain(text), want));
}

for (const [behaviour, text] of [
  ['nothing', ''],
  ['a dot', '.'],
  ['a single label', 'localhost'],
  ['an IPv4 address', '192.0.2.1'],
  ['an IPv4 address in hexadecimal', '0xc0.0.2.1'],
  ['an IPv6 address', '2001:db8::1'],
  ['a number at the end', 'example.123'],
  ['an empty label', 'example..com'],
  ['a dot before', '.example.com'],
  ['two dots after', 'example.com..'],
  ['a hyphen at an edge', '-example.com'],
  ['an underscore', '_dmarc.example.com'],
  ['a label of 64', `${'a'.repeat(64)}.example`],
  ['over 253 characters', `${'abcdefgh.'.repeat(30)}com`],
  ['a blank inside', 'exa mple.com'],
  ['an address', 'user@example.com'],
  ['a URL', 'https://example.com/'],
  ['a port', 'example.com:25'],
  ['percent-encoding', 'ex%61mple.com'],
  ['a NUL', 'example\0.com'],
] as const) {
  test(`domain: refused: ${behaviour}`, () => assert.equal(normalizeDomain(text), undefined));
}
