import assert from 'node:assert/strict';
import test from 'node:test';
import { withOverrides } from '../overrides/overlaid-dataset.ts';
import { parseOverrides } from '../overrides/overrides.ts';
import { sampleDataset } from '../test/sample-dataset.ts';
import { AsnSearch, parseSearchCursor, type SearchCursor } from './asn-search.ts';

// The first octet orders them by size: the shorter the prefix, the larger the network.
const search = new AsnSearch(
  sampleDataset({
    routes: [
      ['1.0.0.0/17', 64500, 'Acme'],
      ['2.0.0.0/16', 64501, 'Acme Networks'],
      ['3.0.0.0/15', 64502, 'North Acme'],
      ['4.0.0.0/14', 64503, 'Megacmex'],
      ['5.0.0.0/18', 64504, 'Acme Hosting'],
      ['6.0.0.0/18', 64499, 'Acme Internet'],
      ['7.0.0.0/24', 64505, 'Telefónica Móvil'],
      ['8.0.0.0/24', 64506, 'Net "Quote" \\ Slash'],
      ['9.0.0.0/24', 64507, 'Team 64500'],
      ['11.0.0.0/24', 64508, 'T3'],
      ['12.0.0.0/24', 64509, 'Straße & Söhne'],
      ['13.0.0.0/24', 64510, 'Alpha.Beta-Gamma, Inc.'],
    ],
  }),
);

for (const [behaviour, query, want] of [
  [
    'exact matches, then starts of names, starts of words, other matches; the largest network first, then the lower number',
    'acme',
    [64500, 64501, 64499, 64504, 64502, 64503],
  ],
  ['any case', 'ACME', [64500, 64501, 64499, 64504, 64502, 64503]],
  ['white space around the query is ignored', '  acme networks ', [64501]],
  ['several words', 'acme net', [64501]],
  ['accents in the name do not matter', 'telefonica movil', [64505]],
  ['accents in the query do not matter', 'TELÉFONICA', [64505]],
  ['characters that JSON escapes', '"quote" \\', [64506]],
  ['a number', '64504', [64504]],
  ['a number with AS', 'AS64504', [64504]],
  ['a number with as', 'as64504', [64504]],
  ['a number that is also part of a name', '64500', [64500, 64507]],
  ['one character', 'q', [64506]],
  ['two characters, one of them the whole name', 't3', [64508]],
  [
    'two characters at the start of a name and elsewhere',
    'ac',
    [64501, 64500, 64499, 64504, 64502, 64503],
  ],
  ['punctuation', 'alpha.beta', [64510]],
  ['punctuation at the start', ', inc', [64510]],
  ['punctuation alone', '& ', [64509]],
  ['a letter that does not decompose', 'straße', [64509]],
  ['no match', 'zzz', []],
  ['a text longer than any name', 'acme'.repeat(25), []],
  ['a query with characters of a regular expression', '.*', []],
  ['an unassigned number', 'AS4294967295', []],
  ['a number out of range', '99999999999', []],
  ['blank', '   ', []],
] as const) {
  test(`asn-search: ${behaviour}`, () => {
    const answer = search.search(query, { limit: 20 });
    assert.deepEqual(
      answer.results.map(({ asn }) => asn),
      want,
    );
    assert.deepEqual(
      [answer.query, answer.limit, answer.count, answer.total],
      [query, 20, want.length, want.length],
    );
  });
}

test('asn-search: the limit cuts the results, not the total', () => {
  for (const query of ['acme', 'ac']) {
    for (let repeat = 0; repeat < 2; repeat++) {
      const { results, count, total } = search.search(query, { limit: 2 });
      assert.deepEqual([results.length, count, total], [2, 2, 6]);
    }
  }
});

test('asn-search: a result is the record without the address count', () => {
  assert.deepEqual(search.search('t3', { limit: 1 }).results, [
    {
      asn: 64508,
      asn_name: 'T3',
      country: 'ZZ',
      rir: 'ARIN',
      connection_type: 'business',
      is_announced: true,
      prefix_count: { ipv4: 1, ipv6: 0 },
    },
  ]);
});

// The networks of another version: 64502 has become the largest, 64503 is gone, 64520 is new.
const later = new AsnSearch(
  sampleDataset({
    routes: [
      ['1.0.0.0/17', 64500, 'Acme'],
      ['2.0.0.0/16', 64501, 'Acme Networks'],
      ['16.0.0.0/12', 64502, 'North Acme'],
      ['5.0.0.0/18', 64504, 'Acme Hosting'],
      ['6.0.0.0/18', 64499, 'Acme Internet'],
      ['32.0.0.0/11', 64520, 'Gigacmes'],
    ],
  }),
);

for (const [behaviour, version, query, cursor, want] of [
  ['after a network', search, 'acme', '2-64501', [64499, 64504, 64502, 64503]],
  ['after the last of a rank', search, 'acme', '2-64504', [64502, 64503]],
  ['after the last', search, 'acme', '4-64503', []],
  ['after the number', search, '64500', '0-64500', [64507]],
  ['in a later version', later, 'acme', '2-64501', [64499, 64504, 64502, 64520]],
  ['after a network that became larger', later, 'acme', '3-64502', [64520]],
  ['after a network that is gone, with its rank again', later, 'acme', '4-64503', [64520]],
] as const) {
  test(`asn-search: continues ${behaviour}`, () => {
    const after = parseSearchCursor(cursor);
    assert.ok(after);
    const { results, next_cursor } = version.search(query, { limit: 20, after });
    assert.deepEqual(
      results.map(({ asn }) => asn),
      want,
    );
    assert.equal(next_cursor, undefined);
  });
}

test('asn-search: a page that is not the last names the next one', () => {
  const first = search.search('acme', { limit: 2 });
  assert.equal(first.next_cursor, '2-64501');
  assert.equal(search.search('acme', { limit: 6 }).next_cursor, undefined);
});

for (const [text, want] of [
  ['3-15169', { rank: 3, asn: 15169 }],
  ['0-0', { rank: 0, asn: 0 }],
  ['5-15169', undefined],
  ['3-', undefined],
  ['3-15169 ', undefined],
  ['', undefined],
  ['3-12345678901', undefined],
] as const satisfies readonly (readonly [string, SearchCursor | undefined])[]) {
  test(`asn-search: ${JSON.stringify(text)} is ${want === undefined ? 'no' : 'a'} cursor`, () => {
    assert.deepEqual(parseSearchCursor(text), want);
  });
}

test('asn-search: a network that overrides rename is found by both names, once', () => {
  const renamed = new AsnSearch(
    withOverrides(
      sampleDataset({ routes: [['1.0.0.0/17', 64500, 'Acme']] }),
      parseOverrides(
        JSON.stringify({
          networks: [
            { prefix: '10.0.0.0/16', asn: 64500, asn_name: 'Acme Intranet' },
            { prefix: '10.1.0.0/16', asn: 64599, asn_name: 'Acme Laboratory' },
          ],
        }),
        '2026-11-15',
      ),
    ),
  );
  const asns = (query: string) =>
    renamed.search(query, { limit: 20 }).results.map(({ asn }) => asn);
  assert.deepEqual(asns('acme'), [64500, 64599]);
  assert.deepEqual(asns('intranet'), [64500]);
  assert.deepEqual(asns('laboratory'), [64599]);
});
