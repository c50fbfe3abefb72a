/** What a build measures about itself: labels that are no source, and sources that are held out. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { CompileInput, Overlay } from '../../compile/input/compile-input.ts';
import { liveInput } from '../../compile/live.ts';
import type { Feed } from '../../feeds/feed.ts';
import type { IngestedFeed } from '../../feeds/ingest.ts';
import type { PrefixList } from '../../feeds/parsed.ts';
import { datasetOf, ranges, type Sample, sampleInput, source } from '../sample-dataset.ts';
import { countrySampleRows } from './country-sample.ts';
import { heldOutAddressRows } from './held-out-addresses.ts';
import { heldOutNetworkRows } from './held-out-networks.ts';
import { threatLevelTable } from './threat-levels.ts';
import { WeightedShare } from './weighted-share.ts';

const SAMPLE: Sample = {
  routes: [
    ['198.18.0.0/15', 64_496, 'Reserved, no record'],
    ['8.8.0.0/16', 396_982, 'Google LLC'],
    ['9.9.0.0/16', 64_500, 'Example Networks'],
    ['5.5.0.0/16', 3320, 'Deutsche Telekom AG'],
    ['6.6.0.0/16', 553, 'Example University'],
  ],
  countries: [
    ['8.8.0.0/16', 'US'],
    ['9.9.0.0/16', 'US'],
  ],
};

const overlay = (id: string, prefixes: readonly string[], more: Partial<Overlay>): Overlay => ({
  drives: [],
  statements: [{}],
  source: source(id),
  ranges: ranges(prefixes.map((prefix) => [prefix, 0])),
  ...more,
});

function rowsOf(overlays: readonly Overlay[]): string[] {
  return heldOutAddressRows({ ...sampleInput(SAMPLE), overlays })
    .filter(({ unit }) => unit === 'IPv4 addresses')
    .map(
      ({ field, measure, value, n, labels }) => `${field} ${measure} ${value} of ${n} by ${labels}`,
    )
    .sort();
}

const cloud = { drives: ['cloud_provider', 'country'], provider: 'Google Cloud' } as const;

for (const [behaviour, overlays, want] of [
  ['without lists of operators there is nothing to hold out', [], []],
  [
    'a geofeed is compared with the country that the other sources give',
    [
      overlay('feed', ['8.8.0.0/24', '8.8.1.0/24'], {
        drives: ['country'],
        statements: [{ country: 'US' }],
      }),
      overlay('wrong', ['9.9.0.0/24'], { drives: ['country'], statements: [{ country: 'JP' }] }),
    ],
    ['country accuracy 0 of 256 by wrong', 'country accuracy 1 of 512 by feed'],
  ],
  [
    'two lists of an operator do not confirm each other',
    [
      overlay('feed-a', ['9.9.0.0/24'], { drives: ['country'], statements: [{ country: 'JP' }] }),
      overlay('feed-b', ['9.9.0.0/24'], { drives: ['country'], statements: [{ country: 'JP' }] }),
    ],
    ['country accuracy 0 of 256 by feed-a', 'country accuracy 0 of 256 by feed-b'],
  ],
  [
    "a cloud's list is compared with the owner of the network",
    [overlay('gcp', ['8.8.0.0/24', '9.9.0.0/24'], cloud)],
    [
      'cloud_provider precision 1 of 256 by gcp',
      'cloud_provider recall 0.5 of 512 by gcp',
      'is_datacenter recall 0.5 of 512 by gcp',
    ],
  ],
  [
    "a service's servers are VPN servers for the other lists too, or are missed",
    [
      overlay('mullvad', ['9.9.0.0/24', '9.9.1.0/24'], { drives: ['is_vpn'], operator: 'Mullvad' }),
      overlay('mullvad-wireguard', ['9.9.0.0/24', '9.9.1.0/24'], {
        drives: ['is_vpn'],
        operator: 'Mullvad',
      }),
      overlay('generic', ['9.9.0.0/24'], { drives: ['is_vpn'] }),
    ],
    ['is_vpn precision 1 of 256 by mullvad', 'is_vpn recall 0.5 of 512 by mullvad'],
  ],
  [
    'a crawler that a generic list calls a VPN is a false positive, for each flag that a list can set',
    [
      overlay('proxies', ['9.9.8.0/24'], { drives: ['is_proxy'] }),
      overlay('mullvad', ['9.9.0.0/24'], { drives: ['is_vpn'], operator: 'Mullvad' }),
      overlay('bot', ['9.9.1.0/24', '9.9.2.0/24'], { drives: ['crawler'], crawler: 'Bot' }),
      overlay('generic', ['9.9.0.0/23'], { drives: ['is_vpn'] }),
    ],
    [
      'is_proxy false positives 0 of 512 by bot',
      'is_vpn false positives 0.5 of 512 by bot',
      'is_vpn precision 0.5 of 512 by bot, mullvad',
      'is_vpn recall 1 of 256 by mullvad',
    ],
  ],
  [
    'precision is left out where no label has the flag',
    [
      overlay('bot', ['9.9.1.0/24'], { drives: ['crawler'], crawler: 'Bot' }),
      overlay('generic', ['9.9.0.0/23'], { drives: ['is_vpn'] }),
    ],
    ['is_vpn false positives 1 of 256 by bot'],
  ],
  [
    'a known service has the score that it would have without being known',
    [
      overlay('known-good', ['9.9.1.0/24'], {
        drives: ['known_good'],
        isTable: true,
        statements: [{ label: 'Ping' }],
      }),
      overlay('reports', ['9.9.1.0/25'], { drives: ['blocklist'], statements: [{ lists: 5 }] }),
    ],
    ['threat.score false positives 0.5 of 256 by known-good'],
  ],
  [
    'a table of this repository is no label',
    [
      overlay('aws', ['8.8.0.0/24'], {
        drives: ['country'],
        isTable: true,
        statements: [{ country: 'US' }],
      }),
    ],
    [],
  ],
] as const satisfies readonly (readonly [string, readonly Overlay[], readonly string[]])[])
  test(`quality: ${behaviour}`, () => assert.deepEqual(rowsOf(overlays), want));

function networkRows(sample: Sample) {
  const input = sampleInput(sample);
  return heldOutNetworkRows(input, datasetOf(input));
}

test('quality: networks of the table are decided again without it', () => {
  const rows = networkRows(SAMPLE);
  const find = (field: string, measure: string) =>
    rows.find((row) => row.field === field && row.measure === measure);
  // A rule decides the name of AS553, signals that of AS3320; the name of AS15169 says nothing.
  assert.deepEqual(
    [
      find('is_datacenter', 'recall')?.value,
      find('is_residential', 'recall')?.value,
      find('connection_type=education', 'recall')?.value,
      find('connection_type=education', 'precision')?.value,
      find('connection_type', 'mean recall')?.n,
    ],
    [0, 1, 1, 1, 3],
  );
});

test('quality: rows that depend on the type of carriers are also measured without them', () => {
  const routes = [
    ...SAMPLE.routes,
    ['4.4.0.0/16', 3356, 'Level 3 Hosting'],
    ['4.5.0.0/16', 7, 'Example Bank'],
  ] as const;
  assert.deepEqual(
    networkRows({ ...SAMPLE, routes })
      .filter(({ field, measure }) => `${field} ${measure}` === 'connection_type=business recall')
      .map(({ value, n, labels }) => [value, n, labels]),
    [
      [0.5, 2, 'networks.csv'],
      [1, 1, 'networks.csv without carriers'],
    ],
  );
});

test('quality: frozen labels of countries, without the operators whose list decided', () => {
  const prefix = '15.177.83.0/24';
  const country = 'AU';
  const sample = { routes: [[prefix, 64_500, 'Example']], countries: [[prefix, country]] } as const;
  const accuracy = (overlays: readonly Overlay[]) => {
    const input: CompileInput = { ...sampleInput(sample), overlays };
    return countrySampleRows(input, datasetOf(input)).map(({ field, value, n, labels }) => [
      field,
      value,
      n,
      labels,
    ]);
  };
  assert.deepEqual(accuracy([]), [['country', 1, 1, 'geofeed of Amazon, frozen sample']]);
  assert.deepEqual(
    accuracy([overlay('aws', [prefix], { drives: ['country'], statements: [{ country }] })]),
    [],
  );
  assert.deepEqual(
    accuracy([
      overlay('geofeed-aws', [prefix], { drives: ['country'], statements: [{ country }] }),
    ]),
    [],
  );
  const merged = overlay('merged', [prefix], {
    drives: ['country'],
    statements: [{ country }],
    contains: ['geofeed-aws'],
  });
  assert.deepEqual(accuracy([merged]), []);
});

test('quality: one wide label is one label, so its interval is wide', () => {
  const wide = new WeightedShare();
  wide.add(true, 65_536);
  const many = new WeightedShare();
  for (let i = 0; i < 65_536; i++) many.add(true, 1);
  assert.equal(wide.finish()?.n, many.finish()?.n);
  assert.ok((wide.finish()?.interval[0] ?? 1) < 0.25);
  assert.ok((many.finish()?.interval[0] ?? 0) > 0.999);
  assert.equal(new WeightedShare().finish(), undefined);
});

test('quality: levels of listed addresses, with the lists of the default catalogue and with all', () => {
  const list = (id: string, prefixes: readonly string[]): IngestedFeed => ({
    feed: { id, drives: ['blocklist'], mode: 'on' } as unknown as Feed,
    source: source(id),
    parsed: {
      shape: 'prefixes',
      labels: [''],
      ranges: ranges(prefixes.map((prefix) => [prefix, 0])),
    } as unknown as PrefixList,
  });
  // ipsum is on by default; blocklist-de is not, and has seen the addresses itself.
  const lists = [list('ipsum', ['8.8.0.1']), list('blocklist-de', ['8.8.0.1', '8.8.0.2'])];
  const table = threatLevelTable(lists, (some) => datasetOf(liveInput(sampleInput(SAMPLE), some)));
  assert.deepEqual(table.split('\n').slice(2), [
    '| `ipsum` | 1 | 100.0 · 0.0 · 0.0 · 0.0 | 0.0 · 100.0 · 0.0 · 0.0 |',
    '| `blocklist-de` | 2 | 100.0 · 0.0 · 0.0 · 0.0 | 0.0 · 100.0 · 0.0 · 0.0 |',
    '',
    'Known-good addresses at 25 points or more: 0 of 0 with the default catalogue, 0 of 0 with the opt-in lists.',
    '',
  ]);
});
