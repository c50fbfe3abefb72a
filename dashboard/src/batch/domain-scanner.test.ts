import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DomainScanner, MAX_DOMAINS } from './domain-scanner.ts';

function scan(text: string) {
  const scanner = new DomainScanner();
  scanner.push(text);
  scanner.finish();
  return scanner;
}

for (const [behaviour, text, found, rest] of [
  ['a list', 'example.com\r\nExample.ORG.\n\n', ['example.com', 'example.org'], {}],
  ['CSV with a head', 'domain,owner\nexample.com,"Ada L."\n', ['example.com'], {}],
  [
    'email addresses and URLs',
    'a@example.com <b@example.org> https://example.net/x?y=z.w',
    ['example.com', 'example.org', 'example.net'],
    {},
  ],
  ['a domain again', 'example.com EXAMPLE.com', ['example.com'], { duplicates: 1 }],
  ['what is no domain', 'example.com 192.0.2.1 -a-.example', ['example.com'], { invalid: 2 }],
  ['a name outside ASCII', 'bücher.example', ['xn--bcher-kva.example'], {}],
] as const)
  test(`domains in a text: ${behaviour}`, () => {
    const { found: all, counts } = scan(text);
    assert.deepEqual(
      all.map(([domain]) => domain),
      found,
    );
    assert.deepEqual(counts, {
      unique: found.length,
      duplicates: 0,
      special: 0,
      beyondLimit: 0,
      invalid: 0,
      ...rest,
      found: counts.unique + counts.duplicates + counts.invalid,
    });
  });

test('domains in a text: a cut anywhere changes nothing', () => {
  const bytes = new TextEncoder().encode('bücher.example,a@example.com\nexample.org');
  for (let at = 0; at <= bytes.length; at++) {
    const scanner = new DomainScanner();
    scanner.push(bytes.slice(0, at));
    scanner.push(bytes.slice(at));
    scanner.finish();
    assert.deepEqual(scanner.found.length, 3, `cut at ${at}`);
  }
});

test('domains in a text: those beyond the limit are counted', () => {
  const names = Array.from({ length: MAX_DOMAINS + 2 }, (_, i) => `d${i}.example`);
  const { counts } = scan([...names, ...names].join('\n'));
  assert.deepEqual(
    [counts.unique, counts.beyondLimit, counts.duplicates],
    [MAX_DOMAINS, 4, MAX_DOMAINS],
  );
});
