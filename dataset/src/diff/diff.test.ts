import assert from 'node:assert/strict';
import test from 'node:test';
import { FLAGS } from '../record.ts';
import { type Sample, sampleDataset } from '../test/sample-dataset.ts';
import { diffDatasets } from './diff.ts';

const NORD = [64500, 'Nord'] as const;
const SUED = [64501, 'Süd'] as const;
const AMAZON = [16509, 'Amazon.com, Inc.'] as const;

function diff(before: Sample, after: Sample, limit = 20) {
  return diffDatasets(sampleDataset(before, 1), sampleDataset(after, 2), limit);
}

test('diff: a version compared with itself has no changes', () => {
  const sample: Sample = {
    routes: [
      ['1.0.0.0/16', ...NORD],
      ['2001:4860::/32', ...AMAZON],
    ],
    tor: [['1.0.9.9/32', 'Relay Friends']],
  };
  const { is_same, addresses, prefixes, origins, countries, levels, flags, networks, from, to } = diff(sample, sample);
  assert.ok(is_same);
  assert.deepEqual([from.version, to.version], [1, 2]);
  const nothing = { ipv4: { count: 0, addresses: 0 }, ipv6: { count: 0, slash48s: 0 } };
  const noChange = {
    ipv4: { count: 0, addresses: 0, largest: [] },
    ipv6: { count: 0, slash48s: 0, largest: [] },
  };
  assert.deepEqual(addresses, { gained: nothing, lost: nothing });
  assert.deepEqual([prefixes.gained, prefixes.lost, origins], [noChange, noChange, noChange]);
  assert.deepEqual([countries, levels], [{ ...noChange, moves: [] }, []]);
  for (const flag of FLAGS) assert.deepEqual(flags[flag], { gained: noChange, lost: noChange });
  const none = { count: 0, largest: [] };
  assert.deepEqual(networks, { appeared: none, vanished: none, renamed: none });
});

for (const [behaviour, before, after, want] of [
  [
    'an added prefix',
    [['1.0.0.0/16', ...NORD]],
    [
      ['1.0.0.0/16', ...NORD],
      ['1.2.0.0/24', ...SUED],
    ],
    { gained: ['1.2.0.0/24 AS64501 Süd 256'], lost: [], moved: [] },
  ],
  [
    'an added more specific prefix does not change the shorter one',
    [['1.0.0.0/16', ...NORD]],
    [
      ['1.0.0.0/16', ...NORD],
      ['1.0.0.0/24', ...SUED],
    ],
    { gained: ['1.0.0.0/24 AS64501 Süd 256'], lost: [], moved: [] },
  ],
  [
    'a prefix that becomes covered is not lost',
    [['1.0.0.0/23', ...NORD]],
    [
      ['1.0.0.0/23', ...NORD],
      ['1.0.0.0/24', ...SUED],
      ['1.0.1.0/24', ...SUED],
    ],
    { gained: ['1.0.0.0/24 AS64501 Süd 256', '1.0.1.0/24 AS64501 Süd 256'], lost: [], moved: [] },
  ],
  [
    'a covered prefix that is removed is lost',
    [
      ['1.0.0.0/23', ...NORD],
      ['1.0.0.0/24', ...SUED],
      ['1.0.1.0/24', ...SUED],
    ],
    [
      ['1.0.0.0/24', ...SUED],
      ['1.0.1.0/24', ...SUED],
    ],
    { gained: [], lost: ['1.0.0.0/23 AS64500 Nord 512'], moved: [] },
  ],
  [
    'a covered prefix with another origin',
    [['1.0.0.0/23', ...NORD]],
    [
      ['1.0.0.0/23', ...AMAZON],
      ['1.0.0.0/24', ...SUED],
      ['1.0.1.0/24', ...SUED],
    ],
    {
      gained: ['1.0.0.0/24 AS64501 Süd 256', '1.0.1.0/24 AS64501 Süd 256'],
      lost: [],
      moved: ['1.0.0.0/23 AS64500 AS16509 512'],
    },
  ],
  [
    'adjacent prefixes with the same change are separate entries, the larger first',
    [
      ['1.0.0.0/24', ...NORD],
      ['1.0.1.0/24', ...NORD],
      ['1.0.2.0/23', ...NORD],
    ],
    [
      ['1.0.0.0/24', ...SUED],
      ['1.0.1.0/24', ...SUED],
      ['1.0.2.0/23', ...SUED],
    ],
    {
      gained: [],
      lost: [],
      moved: ['1.0.2.0/23 AS64500 AS64501 512', '1.0.0.0/24 AS64500 AS64501 256', '1.0.1.0/24 AS64500 AS64501 256'],
    },
  ],
] as const satisfies readonly (readonly [string, Sample['routes'], Sample['routes'], object])[]) {
  test(`diff: ${behaviour}`, () => {
    const { prefixes, origins } = diff({ routes: before }, { routes: after });
    const shown = ({ ipv4 }: typeof prefixes.gained) => {
      assert.equal(ipv4.count, ipv4.largest.length);
      return ipv4.largest.map(({ prefix, asn, asn_name, addresses }) => `${prefix} AS${asn} ${asn_name} ${addresses}`);
    };
    const moved = origins.ipv4.largest.map(
      ({ prefix, from, to, addresses }) => `${prefix} AS${from.asn} AS${to.asn} ${addresses}`,
    );
    assert.deepEqual({ gained: shown(prefixes.gained), lost: shown(prefixes.lost), moved }, want);
  });
}

const ROUTES: Sample['routes'] = [
  ['1.0.0.0/24', ...NORD],
  ['1.0.1.0/24', ...NORD],
  ['2001:4860::/32', ...SUED],
];

test('diff: adjacent addresses with the same change of country are joined across prefixes, and moves add up', () => {
  const { countries } = diff(
    { routes: ROUTES, countries: [['1.0.0.0/22', 'DE']] },
    {
      routes: ROUTES,
      countries: [
        ['1.0.0.128-1.0.1.63', 'FR'],
        ['1.0.1.64/26', 'DE'],
        ['1.0.1.128/25', 'FR'],
        ['1.0.0.0/25', 'DE'],
      ],
    },
  );
  assert.deepEqual(countries.ipv4, {
    count: 2,
    addresses: 320,
    largest: [
      { network: '1.0.0.128-1.0.1.63', from: 'DE', to: 'FR', addresses: 192 },
      { network: '1.0.1.128/25', from: 'DE', to: 'FR', addresses: 128 },
    ],
  });
  assert.deepEqual(countries.moves, [
    { from: 'DE', to: 'FR', ipv4: { count: 2, addresses: 320 }, ipv6: { count: 0, slash48s: 0 } },
  ]);
});

test('diff: flags, names and levels that were added and removed', () => {
  const { flags, ai_company, levels } = diff(
    { routes: ROUTES, crawlers: [['2001:4860::/47', 'OpenAI']] },
    { routes: ROUTES, crawlers: [['2001:4860::/48', 'Mistral']], tor: [['1.0.0.255-1.0.1.0', 'Relay Friends']] },
  );
  assert.deepEqual(flags.is_tor_exit.gained.ipv4, {
    count: 1,
    addresses: 2,
    largest: [{ network: '1.0.0.255-1.0.1.0', asn: 64500, asn_name: 'Nord', addresses: 2 }],
  });
  assert.equal(flags.is_tor_exit.lost.ipv4.count, 0);
  assert.deepEqual(flags.is_ai_crawler.lost.ipv6.largest, [
    { network: '2001:4860:1::/48', asn: 64501, asn_name: 'Süd', slash48s: 1 },
  ]);
  assert.deepEqual(ai_company.ipv6.largest, [
    { network: '2001:4860::/48', from: 'OpenAI', to: 'Mistral', slash48s: 1 },
    { network: '2001:4860:1::/48', from: 'OpenAI', slash48s: 1 },
  ]);
  assert.deepEqual(levels, [
    { from: 'low', to: 'medium', ipv4: { count: 1, addresses: 2 }, ipv6: { count: 0, slash48s: 0 } },
  ]);
});

test('diff: networks that appeared, vanished or were renamed, and sources', () => {
  const { networks, sources } = diff(
    {
      routes: [
        ['1.0.0.0/24', ...NORD],
        ['1.0.1.0/24', ...SUED],
      ],
    },
    {
      routes: [
        ['1.0.0.0/24', 64500, 'Nord GmbH'],
        ['1.0.1.0/24', ...AMAZON],
      ],
    },
  );
  assert.deepEqual(networks, {
    appeared: { count: 1, largest: [{ asn: 16509, asn_name: 'Amazon.com, Inc.', ipv4_addresses: 256 }] },
    vanished: { count: 1, largest: [{ asn: 64501, asn_name: 'Süd', ipv4_addresses: 256 }] },
    renamed: { count: 1, largest: [{ asn: 64500, from: 'Nord', to: 'Nord GmbH', ipv4_addresses: 256 }] },
  });
  assert.deepEqual(
    sources.find(({ id }) => id === 'routes'),
    { id: 'routes', from: { as_of: '2026-11-01', records: 0 }, to: { as_of: '2026-11-01', records: 0 } },
  );
});

test('diff: a limited list keeps the largest entries, and the counts of all', () => {
  const routes: Sample['routes'] = [3, 1, 4, 2].map((octet) => [`1.${octet}.0.0/${16 + octet}`, ...NORD] as const);
  const { gained } = diff({ routes: [['9.0.0.0/16', ...NORD]] }, { routes }, 2).prefixes;
  assert.deepEqual([gained.ipv4.count, gained.ipv4.addresses], [4, 32768 + 16384 + 8192 + 4096]);
  assert.deepEqual(
    gained.ipv4.largest.map(({ prefix }) => prefix),
    ['1.1.0.0/17', '1.2.0.0/18'],
  );
});
