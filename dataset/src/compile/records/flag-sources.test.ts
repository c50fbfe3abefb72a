import assert from 'node:assert/strict';
import test from 'node:test';
import { flagKnowledge } from '../../data-age.ts';
import type { Drive } from '../../feeds/feed.ts';
import type { FlagSubject, Source } from '../../record.ts';
import { ranges, sampleInput, source } from '../../test/sample-dataset.ts';
import { flagSourcesOf } from '../compile.ts';
import {
  type CompileInput,
  type NetworkList,
  type Overlay,
  sourcesOf,
  withoutTooOld,
} from '../input/compile-input.ts';

const overlay = (id: string, drive: Drive, isTable = false): Overlay => ({
  source: {
    ...source(id),
    as_of: isTable ? '2026-08-20' : '2026-11-14',
    ...(isTable && { is_table: true }),
    ...(BROAD.has(id) && { is_broad: true }),
  },
  drives: [drive],
  isTable,
  statements: [{}],
  ranges: ranges([]),
});
/** Lists of attackers from all over the internet. */
const BROAD: ReadonlySet<string> = new Set(['ipsum', 'cins']);

const networkList = (id: string, drive: Drive): NetworkList => ({
  source: source(id),
  drives: [drive],
  networks: new Set(),
});
const input = (parts: Partial<CompileInput>): CompileInput => ({
  ...sampleInput({ routes: [] }),
  overlays: [],
  ...parts,
});

const EVERY_KIND: readonly FlagSubject[] = [
  'is_tor_exit',
  'is_proxy',
  'is_vpn',
  'is_ai_crawler',
  'blocklists',
  'criminal_netblocks',
  'relay',
];

for (const [behaviour, parts, unknown] of [
  ['without any list, kinds that change are unknown', {}, EVERY_KIND],
  [
    'lasting rows of a table do not make their kind known',
    { overlays: [overlay('tor-blocks', 'is_tor_exit', true)] },
    EVERY_KIND,
  ],
  [
    'a feed beside a table is enough',
    { overlays: [overlay('openai', 'is_ai_crawler'), overlay('crawler-x', 'is_ai_crawler', true)] },
    EVERY_KIND.filter((kind) => kind !== 'is_ai_crawler'),
  ],
  [
    'a list of criminal netblocks is a kind of its own, a list of networks is a list',
    {
      overlays: [overlay('drop', 'criminal_netblock')],
      networkLists: [networkList('vpn-asns', 'is_vpn')],
    },
    EVERY_KIND.filter((kind) => kind !== 'is_vpn' && kind !== 'criminal_netblocks'),
  ],
  [
    'a list of attackers makes them known only if it is broad',
    { overlays: [overlay('et-compromised', 'blocklist')] },
    EVERY_KIND,
  ],
  [
    'a broad list of attackers is enough',
    { overlays: [overlay('cins', 'blocklist')] },
    EVERY_KIND.filter((kind) => kind !== 'blocklists'),
  ],
  [
    'a list of a relay says nothing about VPNs',
    { overlays: [{ ...overlay('relay', 'is_vpn'), isRelay: true }] },
    EVERY_KIND.filter((kind) => kind !== 'relay'),
  ],
  ['a search crawler is no AI crawler', { overlays: [overlay('bing', 'crawler')] }, EVERY_KIND],
] as const)
  test(`flag sources: ${behaviour}`, () => {
    const whole = input(parts);
    const meta = { flag_sources: flagSourcesOf(whole), sources: sourcesOf(whole) as Source[] };
    const known = flagKnowledge(meta, '2026-11-15');
    assert.deepEqual([known.unknown, known.dated], [unknown, []]);
  });

const aging = (id: string, drive: Drive, as_of: string, max_age_days: number): Overlay => ({
  ...overlay(id, drive),
  source: { ...overlay(id, drive).source, as_of, max_age_days },
});

for (const [behaviour, day, want] of [
  ['on the day of the build', '2026-11-15', { unknown: [], dated: [], tooOld: [] }],
  ['on the last day of the maximum', '2026-11-21', { unknown: [], dated: [], tooOld: [] }],
  [
    'when one of two lists is too old',
    '2026-11-22',
    { unknown: [], dated: ['blocklists'], tooOld: ['ipsum'] },
  ],
  [
    'when none of its lists counts',
    '2026-12-30',
    { unknown: ['blocklists'], dated: ['blocklists'], tooOld: ['cins', 'ipsum'] },
  ],
] as const)
  test(`flag sources: what is known of blocklists ${behaviour}`, () => {
    const overlays = [
      aging('cins', 'blocklist', '2026-11-15', 30),
      aging('ipsum', 'blocklist', '2026-11-07', 14),
    ];
    const whole = input({ overlays: overlays.map((list) => withoutTooOld(list, '2026-11-15')) });
    const { unknown, dated, tooOld } = flagKnowledge(
      { flag_sources: flagSourcesOf(whole), sources: sourcesOf(whole) as Source[] },
      day,
    );
    const only = (subjects: readonly string[]) =>
      subjects.filter((subject) => subject === 'blocklists');
    assert.deepEqual(
      {
        unknown: only(unknown),
        dated: only(dated),
        tooOld: (tooOld.blocklists ?? []).map(({ id }) => id),
      },
      want,
    );
  });

test('flag sources: each flag has its sources and the date of the oldest feed', () => {
  const older = {
    ...overlay('onionoo', 'is_tor_exit'),
    source: { ...source('onionoo'), as_of: '2026-11-12' },
  };
  const overlays = [
    overlay('tor-exits', 'is_tor_exit'),
    older,
    overlay('tor-blocks', 'is_tor_exit', true),
  ];
  const flags = flagSourcesOf(input({ overlays }));
  assert.deepEqual(flags.is_tor_exit, {
    from: 'feeds',
    sources: ['tor-exits', 'onionoo', 'tor-blocks'],
    as_of: '2026-11-12',
  });
  assert.deepEqual(flags.is_mobile, {
    from: 'tables',
    sources: ['networks', 'name-rules'],
    as_of: '2026-11-01',
  });
  assert.deepEqual(flags.is_proxy, { from: 'none', sources: [] });
});
