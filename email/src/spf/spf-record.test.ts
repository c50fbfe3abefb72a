import assert from 'node:assert/strict';
import test from 'node:test';
import { repairedTerms, withAll } from './spf-record.ts';

for (const [behaviour, terms, want] of [
  ['in place of the first', ['mx', '+all', 'a'], 'v=spf1 mx ~all a'],
  ['at the end', ['mx', 'exp=e.example.com'], 'v=spf1 mx exp=e.example.com ~all'],
  ['alone', [], 'v=spf1 ~all'],
] as const)
  test(`spf record: all ${behaviour}`, () => assert.equal(withAll(terms, '~'), want));

for (const [behaviour, raw, want] of [
  ['nothing to repair', 'v=spf1 mx include:a.example -all', 'mx include:a.example -all'],
  ['quotation marks', '"v=spf1 mx -all"', 'mx -all'],
  ['a leading blank', '  v=spf1 mx -all', 'mx -all'],
  ['semicolons and commas', 'v=spf1; mx, a; -all;', 'mx a -all'],
  ['no blank after the version', 'v=spf1mx -all', 'mx -all'],
  ['a second version', 'v=spf1 mx v=spf1 a -all', 'mx a -all'],
  [
    'ipv4 and ipv6',
    'v=spf1 ipv4:192.0.2.1 ipv6:2001:db8::1 -all',
    'ip4:192.0.2.1 ip6:2001:db8::1 -all',
  ],
  [
    'the other version',
    'v=spf1 ip4:2001:db8::/32 ip6:192.0.2.0/24 -all',
    'ip6:2001:db8::/32 ip4:192.0.2.0/24 -all',
  ],
  [
    'an address for a name',
    'v=spf1 a:192.0.2.1 include:192.0.2.2 -all',
    'ip4:192.0.2.1 ip4:192.0.2.2 -all',
  ],
  ['an address alone', 'v=spf1 192.0.2.1 -all', 'ip4:192.0.2.1 -all'],
  [
    'an equals sign',
    'v=spf1 include=a.example ~ip4=192.0.2.1 -all',
    'include:a.example ~ip4:192.0.2.1 -all',
  ],
  ['a redirect with a colon', 'v=spf1 redirect:a.example', 'redirect=a.example'],
  ['a blank after the colon', 'v=spf1 include: a.example -all', 'include:a.example -all'],
  ['a full stop at the end', 'v=spf1 mx -all.', 'mx -all'],
  ['what cannot be repaired', 'v=spf1 moo -all', undefined],
  ['a macro that would be torn apart', 'v=spf1 exists:%{l,}.example -all', undefined],
] as const)
  test(`spf record: repaired: ${behaviour}`, () =>
    assert.equal(repairedTerms(raw)?.join(' '), want));
