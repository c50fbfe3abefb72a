import assert from 'node:assert/strict';
import test from 'node:test';
import { sampleDataset } from '../test/sample-dataset.ts';
import { AsnSearch } from './asn-search.ts';

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
  ['two characters at the start of a name and elsewhere', 'ac', [64501, 64500, 64499, 64504, 64502, 64503]],
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
    const answer = search.search(query, 20);
    assert.deepEqual(
      answer.results.map(({ asn }) => asn),
      want,
    );
    assert.deepEqual([answer.query, answer.limit, answer.count, answer.total], [query, 20, want.length, want.length]);
  });
}

test('asn-search: the limit cuts the results, not the total', () => {
  for (const query of ['acme', 'ac']) {
    for (let repeat = 0; repeat < 2; repeat++) {
      const { results, count, total } = search.search(query, 2);
      assert.deepEqual([results.length, count, total], [2, 2, 6]);
    }
  }
});

test('asn-search: a result is the record without the address count', () => {
  assert.deepEqual(search.search('t3', 1).results, [
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
