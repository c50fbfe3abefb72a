import assert from 'node:assert/strict';
import test from 'node:test';
import { type Sample, sampleDataset } from '../test/sample-dataset.ts';
import { diffDatasets } from './diff.ts';

const NORD = [64500, 'Nord'] as const;
const SUED = [64501, 'Süd'] as const;
const AMAZON = [16509, 'Amazon.com, Inc.'] as const;

function diff(before: Sample, after: Sample, limit = 20) {
  return diffDatasets(sampleDataset(before, 1), sampleDataset(after, 2), limit);
}

/** `attribute change family count size`, then per entry `network from→to AS size`. */
function shown(before: Sample, after: Sample, limit?: number): string[] {
  return diff(before, after, limit).changes.flatMap(({ attribute, change, family, count, size, largest }) => [
    `${attribute} ${change} ${family} ${count} ${size}`,
    ...largest.map(({ network, from = '', to = '', asn, size: own }) => `  ${network} ${from}→${to} AS${asn} ${own}`),
  ]);
}

test('diff: a version compared with itself has no changes', () => {
  const sample: Sample = {
    routes: [
      ['1.0.0.0/16', ...NORD],
      ['2001:4860::/32', ...AMAZON],
    ],
    tor: [['1.0.9.9/32', 'Relay Friends']],
  };
  const { is_same, changes, from, to, sources } = diff(sample, sample);
  assert.deepEqual([is_same, from.version, to.version, changes], [true, 1, 2, []]);
  assert.ok(sources.length > 0 && sources.every((source) => source.from?.as_of === source.to?.as_of));
});

for (const [behaviour, before, after, want] of [
  [
    'space that is announced, and space that no longer is',
    [['1.0.0.0/24', ...NORD]],
    [['2001:4860::/32', ...SUED]],
    [
      'asn gained ipv6 1 65536',
      '  2001:4860::/32 →AS64501 AS64501 65536',
      'asn lost ipv4 1 256',
      '  1.0.0.0/24 AS64500→ AS64500 256',
    ],
  ],
  [
    'a more specific prefix of another network changes only its own addresses',
    [['1.0.0.0/16', ...NORD]],
    [
      ['1.0.0.0/16', ...NORD],
      ['1.0.0.0/24', ...SUED],
    ],
    ['asn changed ipv4 1 256', '  1.0.0.0/24 AS64500→AS64501 AS64501 256'],
  ],
  [
    'adjacent addresses with the same change are one network, written as a range if they are not a prefix',
    [
      ['1.0.0.0/24', ...NORD],
      ['1.0.1.0/24', ...NORD],
      ['1.0.2.0/24', ...NORD],
    ],
    [
      ['1.0.0.0/24', ...SUED],
      ['1.0.1.0/24', ...SUED],
      ['1.0.2.0/24', ...SUED],
    ],
    ['asn changed ipv4 1 768', '  1.0.0.0-1.0.2.255 AS64500→AS64501 AS64501 768'],
  ],
  [
    'another name of the same network',
    [['1.0.0.0/24', 64500, 'Nord']],
    [['1.0.0.0/24', 64500, 'North']],
    ['asn_name changed ipv4 1 256', '  1.0.0.0/24 Nord→North AS64500 256'],
  ],
] as const satisfies readonly (readonly [string, Sample['routes'], Sample['routes'], readonly string[]])[]) {
  test(`diff: ${behaviour}`, () => {
    // What follows from the network itself, such as its flags, comes after it.
    assert.deepEqual(shown({ routes: before }, { routes: after }).slice(0, want.length), want);
  });
}

test('diff: countries are compared where both versions answer, flags and companies everywhere', () => {
  const before: Sample = { routes: [['1.0.0.0/16', ...NORD]], countries: [['1.0.0.0/16', 'DE']] };
  const after: Sample = {
    routes: [
      ['1.0.0.0/16', ...NORD],
      ['1.2.0.0/16', ...NORD],
    ],
    countries: [
      ['1.0.0.0/17', 'DE'],
      ['1.0.128.0/17', 'FR'],
      ['1.2.0.0/16', 'DE'],
    ],
    crawlers: [['1.2.3.0/24', 'OpenAI']],
    tor: [['1.0.9.9/32', 'Relay Friends']],
  };
  assert.deepEqual(
    shown(before, after).filter((line) => !line.startsWith('  ')),
    [
      'asn gained ipv4 1 65536',
      'country changed ipv4 1 32768',
      'threat_level changed ipv4 1 1',
      'is_tor_exit gained ipv4 1 1',
      'is_ai_crawler gained ipv4 1 256',
      'ai_company gained ipv4 1 256',
    ],
  );
  assert.ok(shown(before, after).includes('  1.0.128.0/17 DE→FR AS64500 32768'));
  assert.ok(shown(before, after).includes('  1.2.3.0/24 →OpenAI AS64500 256'));
});

test('diff: counts and sizes cover all changes, lists hold the largest, equal ones in order of addresses', () => {
  const routes = (network: readonly [number, string]) =>
    (['1.0.0.0/24', '1.2.0.0/23', '1.4.0.0/24'] as const).map((prefix) => [prefix, ...network] as const);
  assert.deepEqual(shown({ routes: routes(NORD) }, { routes: routes(SUED) }, 2).slice(0, 3), [
    'asn changed ipv4 3 1024',
    '  1.2.0.0/23 AS64500→AS64501 AS64501 512',
    '  1.0.0.0/24 AS64500→AS64501 AS64501 256',
  ]);
});
