import assert from 'node:assert/strict';
import test from 'node:test';
import { registrableDomain } from './registrable-domain.ts';

for (const [behaviour, domain, want] of [
  ['one label below the suffix', 'a.b.example.com', 'example.com'],
  ['a suffix of two labels', 'a.example.co.uk', 'example.co.uk'],
  ['a suffix of the private section', 'a.b.github.io', 'b.github.io'],
  ['underscores', '_a.example.com', 'example.com'],
  ['a suffix that is not listed', 'a.example.test', 'example.test'],
  ['a suffix itself', 'co.uk', undefined],
  ['a top-level domain', 'com', undefined],
] as const) {
  test(`registrable domain: ${behaviour}`, () => assert.equal(registrableDomain(domain), want));
}
