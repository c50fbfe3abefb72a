import assert from 'node:assert/strict';
import test from 'node:test';
import { isSpecialUse } from './special-use.ts';

for (const [name, want] of [
  ['printer.local', true],
  ['Printer.LOCAL', true],
  ['db.internal', true],
  ['a.b.localhost', true],
  ['router.home.arpa', true],
  ['1.0.168.192.in-addr.arpa', true],
  ['8.b.d.0.1.0.0.2.ip6.arpa', true],
  ['hidden.onion', true],
  ['a.invalid', true],
  ['a.test', true],
  ['a.alt', true],
  ['nas.lan', true],
  ['wiki.corp', true],
  ['redis', true],
  ['example.com', false],
  ['a.example', false],
  ['local.example.com', false],
  ['internal.com', false],
  ['_dmarc.com', false],
] as const)
  test(`special-use names: ${name} is ${want ? 'one' : 'not one'}`, () =>
    assert.equal(isSpecialUse(name), want));
