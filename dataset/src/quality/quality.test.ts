/** What a build measures about itself: labels that are no source, and sources that are held out. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { compile } from '../compile/compile.ts';
import { type CompileInput, type Overlay, repeatedSources } from '../compile/input/compile-input.ts';
import type { QualityRow } from '../record.ts';
import { datasetOf, ranges, type Sample, sampleInput, source } from '../test/sample-dataset.ts';
import { WeightedShare } from '../weighted-share.ts';
import { measureQuality } from './measure.ts';

const SAMPLE: Sample = {
  routes: [
    ['198.18.0.0/15', 64_496, 'Reserved, no record'],
    ['8.8.0.0/16', 15_169, 'Google LLC'],
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

function rowsOf(changes: Partial<CompileInput>): string[] {
  return compile({ ...sampleInput(SAMPLE), ...changes })
    .heldOut.filter(({ weight }) => weight === 'address')
    .map(({ field, measure, value, n, labels, held_out }) => {
      assert.ok(held_out);
      return `${field} ${measure} ${value} of ${n} by ${labels}`;
    })
    .filter((row) => !row.endsWith('by networks'))
    .sort();
}

const cloud = { drives: ['cloud_provider', 'country'], provider: 'Google Cloud' } as const;

for (const [behaviour, overlays, want] of [
  ['without lists of operators there is nothing to hold out', [], []],
  [
    'a geofeed is compared with the country that the other sources give',
    [
      overlay('feed', ['8.8.0.0/24', '8.8.1.0/24'], { drives: ['country'], statements: [{ country: 'US' }] }),
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
      overlay('mullvad-wireguard', ['9.9.0.0/24', '9.9.1.0/24'], { drives: ['is_vpn'], operator: 'Mullvad' }),
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
      'is_proxy false_positive_share 0 of 512 by bot',
      'is_vpn false_positive_share 0.5 of 512 by bot',
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
    ['is_vpn false_positive_share 1 of 256 by bot'],
  ],
  [
    'a known service has the score that it would have without being known',
    [
      overlay('known-good', ['9.9.1.0/24'], { drives: ['known_good'], isTable: true, statements: [{ label: 'Ping' }] }),
      overlay('reports', ['9.9.1.0/25'], { drives: ['blocklist'], statements: [{ lists: 5 }] }),
    ],
    ['threat.score false_positive_share 0.5 of 256 by known-good'],
  ],
  [
    'a table of this repository is no label',
    [overlay('aws', ['8.8.0.0/24'], { drives: ['country'], isTable: true, statements: [{ country: 'US' }] })],
    [],
  ],
] as const satisfies readonly (readonly [string, readonly Overlay[], readonly string[]])[])
  test(`quality: ${behaviour}`, () => assert.deepEqual(rowsOf({ overlays }), want));

test('quality: networks of the table are decided again without it', () => {
  const find = (rows: readonly QualityRow[], field: string, measure: string) =>
    rows.find((row) => row.field === field && row.measure === measure && row.weight === 'network');
  const { heldOut } = compile(sampleInput(SAMPLE));
  // A rule decides the name of AS553, signals that of AS3320; the name of AS15169 says nothing.
  assert.deepEqual(
    [
      find(heldOut, 'is_datacenter', 'recall')?.value,
      find(heldOut, 'is_residential', 'recall')?.value,
      find(heldOut, 'connection_type=education', 'recall')?.value,
      find(heldOut, 'connection_type=education', 'precision')?.value,
      find(heldOut, 'connection_type', 'macro_recall')?.n,
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
  const { heldOut } = compile(sampleInput({ ...SAMPLE, routes }));
  assert.deepEqual(
    heldOut
      .filter(
        ({ field, measure, weight }) => `${field} ${measure} ${weight}` === 'connection_type=business recall network',
      )
      .map(({ value, n, labels }) => [value, n, labels]),
    [
      [0.5, 2, 'networks'],
      [1, 1, 'networks without carriers'],
    ],
  );
});

test('quality: frozen labels of countries, without the operators whose list decided', () => {
  const [prefix, country] = ['15.177.83.0/24', 'AU'];
  const sample = { routes: [[prefix, 64_500, 'Example']], countries: [[prefix, country]] } as const;
  const accuracy = (overlays: readonly Overlay[]) =>
    measureQuality(
      [],
      datasetOf({ ...sampleInput(sample), overlays }),
      undefined,
      repeatedSources({ ...sampleInput(sample), overlays }),
    ).map(({ field, value, n, labels, held_out }) => [field, value, n, labels, held_out]);
  assert.deepEqual(accuracy([]), [['country', 1, 1, 'geofeed of Amazon (frozen sample)', false]]);
  assert.deepEqual(accuracy([overlay('aws', [prefix], { drives: ['country'], statements: [{ country }] })]), []);
  assert.deepEqual(
    accuracy([overlay('geofeed-aws', [prefix], { drives: ['country'], statements: [{ country }] })]),
    [],
  );
  const merged = overlay('merged', [prefix], {
    drives: ['country'],
    statements: [{ country }],
    contains: ['geofeed-aws'],
  });
  assert.deepEqual(accuracy([merged]), []);
});

test('quality: what changed since the previous version, by address', () => {
  const before = datasetOf(sampleInput(SAMPLE), 7);
  const after = datasetOf(sampleInput({ ...SAMPLE, countries: [['8.8.0.0/17', 'US']] }));
  const changed = measureQuality([], after, before).filter(({ value }) => value > 0);
  assert.deepEqual(
    changed.map(({ field, measure, family, value, n, labels }) => [field, measure, family, value, n, labels]),
    [['country', 'changed', 'ipv4', 0.375, 262_144, 'version 7']],
  );
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
