import assert from 'node:assert/strict';
import test from 'node:test';
import { unicodeDomain } from './unicode-domain.ts';

for (const [behaviour, domain, want] of [
  ['ASCII stays', 'example.com', 'example.com'],
  ['one letter', 'xn--bcher-kva.example', 'bücher.example'],
  ['several labels', 'mail.xn--bcher-kva.xn--p1ai', 'mail.bücher.рф'],
  ['no ASCII letters', 'xn--eckwd4c7cu47r2wf.example', 'ドメイン名例.example'],
  ['a hyphen in the label', 'xn--hallo-bcher-zhb.example', 'hallo-bücher.example'],
  ['outside the first plane', 'xn--ls8h.example', '💩.example'],
  ['letters that are not encoded', 'xn--a.example', 'xn--a.example'],
  ['a digit that does not exist', 'xn--bcher-kv_.example', 'xn--bcher-kv_.example'],
  ['a text that ends early', 'xn--bcher-kv.example', 'xn--bcher-kv.example'],
  ['a code point that does not exist', 'xn--99999999.example', 'xn--99999999.example'],
  ['an encoding of ASCII', 'xn--example-.com', 'xn--example-.com'],
] as const)
  test(`domains in Unicode: ${behaviour}`, () => assert.equal(unicodeDomain(domain), want));
