import assert from 'node:assert/strict';
import test from 'node:test';
import { isAllowedDomain, isAllowedEntry, parseAllowedDomain } from './allowed-domains.ts';

for (const [domain, allowed, want] of [
  ['example.com', undefined, true],
  ['example.com', [], false],
  ['example.com', ['example.com'], true],
  ['a.example.com', ['example.com'], true],
  ['notexample.com', ['example.com'], false],
  ['example.com', ['*.example.com'], false],
  ['a.b.example.com', ['*.example.com'], true],
  ['example.com', ['a.example.com'], false],
  ['', ['example.com'], false],
] as const)
  test(`allowed domains: ${domain || 'no domain'} within ${allowed?.join() ?? 'all'}: ${want}`, () =>
    assert.equal(isAllowedDomain(domain, allowed), want));

for (const [entry, allowed, want] of [
  ['*.example.com', ['*.example.com'], true],
  ['example.com', ['*.example.com'], false],
  ['*.a.example.com', ['*.example.com'], true],
  ['*.example.com', ['example.com'], true],
  ['*.com', ['example.com'], false],
] as const)
  test(`allowed domains: a list with ${entry} is within ${allowed.join()}: ${want}`, () =>
    assert.equal(isAllowedEntry(entry, allowed), want));

for (const [text, want] of [
  [' Example.COM. ', 'example.com'],
  ['*.müller.example', '*.xn--mller-kva.example'],
  ['*.', undefined],
  ['*.*.example.com', undefined],
  ['192.0.2.1', undefined],
  ['com', undefined],
] as const)
  test(`allowed domains: ${text} is written ${want}`, () =>
    assert.equal(parseAllowedDomain(text), want));
