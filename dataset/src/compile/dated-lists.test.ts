import assert from 'node:assert/strict';
import test from 'node:test';
import { ipv4, parseAddress } from '../address.ts';
import { flagKnowledge } from '../data-age.ts';
import { DAY_MS, dayOfMs } from '../day.ts';
import { builtInFeeds } from '../feeds/catalogue.ts';
import { type Drive, MAX_AGE_DAYS } from '../feeds/feed.ts';
import { Dataset } from '../file/read.ts';
import { withoutAgedLists } from '../file/texts/aged-attributes.ts';
import { encodeContent, encodeDataset } from '../file/write.ts';
import { explain } from '../lookup/evidence.ts';
import type { FlagSubject } from '../record.ts';
import { ownBuffer, ranges, sampleInput, source } from '../test/sample-dataset.ts';
import { compile } from './compile.ts';
import type { Overlay } from './input/compile-input.ts';

const IP = '9.0.0.1';
const BUILT_ON = '2026-11-15';

type Row = readonly [
  id: string,
  drive: Drive,
  as_of: string,
  max_age_days: number | undefined,
  more?: Partial<Overlay> & { readonly isBroad?: boolean },
];

function list([id, drive, as_of, max_age_days, { isBroad, ...more } = {}]: Row): Overlay {
  const rows = ranges([[`${IP}/32`, 0]]);
  const statements = more.statements ?? [{}];
  return {
    source: {
      ...source(id),
      as_of,
      ...(max_age_days && { max_age_days }),
      ...(isBroad && { is_broad: true }),
      ...(more.isTable && { is_table: true }),
    },
    drives: [drive],
    ranges: rows,
    ...more,
    statements,
  };
}

/** The dataset that a build of BUILT_ON gives, as it answers on a day. */
function answers(rows: readonly Row[], day: string = BUILT_ON): Dataset {
  const input = sampleInput({ routes: [['9.0.0.0/16', 64500, 'One']] });
  const overlays = rows.map(list);
  const content = encodeContent(compile({ ...input, overlays, day: BUILT_ON }));
  const file = ownBuffer(
    encodeDataset(content, 1, new Date(`${BUILT_ON}T12:00:00Z`)),
  ) as Buffer<ArrayBuffer>;
  return new Dataset(withoutAgedLists(file, day), { day });
}

function answer(dataset: Dataset) {
  const address = parseAddress(IP);
  assert.ok(address);
  const match = dataset.find(address);
  const { detection, threat } = dataset.record(address, match);
  const flags = Object.entries(detection).flatMap(([flag, value]) =>
    value === true ? [flag] : [],
  );
  const notes = explain(dataset, address, match).flatMap(({ field, value, note }) =>
    note === undefined ? [] : [`${field} ${value}: ${note}`],
  );
  return { flags, score: threat.score, reasons: threat.explanation ?? [], notes };
}

const OLD_TOR = { note: 'is_tor_exit false: list of 2024-02-27, too old to count' };

for (const [behaviour, row, want] of [
  [
    'a Tor list of a past year',
    ['tor-exits', 'is_tor_exit', '2024-02-27', 7],
    {
      flags: [],
      reasons: [],
      notes: ['threat.score 0: list of 2024-02-27, too old to count', OLD_TOR.note],
    },
  ],
  [
    'a mirror of criminal netblocks',
    ['drop', 'criminal_netblock', '2025-04-15', 30],
    {
      flags: [],
      reasons: [],
      notes: ['threat.score 0: list of 2025-04-15, too old to count'],
    },
  ],
  [
    'a list of AI crawlers',
    ['crawler-x', 'is_ai_crawler', '2026-01-01', 180, { company: 'X' }],
    {
      flags: [],
      reasons: [],
      notes: ['is_ai_crawler false: list of 2026-01-01, too old to count'],
    },
  ],
  [
    'a list of cloud ranges',
    ['cloud', 'cloud_provider', '2026-01-01', 180, { provider: 'Example' }],
    {
      flags: [],
      reasons: [],
      notes: ['is_datacenter false: list of 2026-01-01, too old to count'],
    },
  ],
] as const satisfies readonly (readonly [string, Row, object])[])
  test(`dated lists: ${behaviour} gives no flag and no points, and is named`, () => {
    assert.deepEqual(answer(answers([row])), { score: 0, ...want });
  });

for (const [behaviour, day] of [
  ['at the build', BUILT_ON],
  ['after it', '2026-11-20'],
] as const)
  test(`dated lists: a bundled list expires like a feed: ${behaviour}`, () => {
    const as_of = behaviour === 'at the build' ? '2026-08-20' : '2026-11-10';
    const table = ['tor-table', 'is_tor_exit', as_of, 7, { isTable: true }] as const;
    const { notes, ...rest } = answer(answers([table], day));
    assert.deepEqual(rest, { flags: [], score: 0, reasons: [] });
    assert.deepEqual(notes.sort(), [
      `is_tor_exit false: list of ${as_of}, too old to count`,
      `threat.score 0: list of ${as_of}, too old to count`,
    ]);
  });

test('dated lists: a table of lasting facts counts, whatever its date and beside expired lists', () => {
  const table = ['tor-blocks', 'is_tor_exit', '2024-02-27', undefined, { isTable: true }] as const;
  const feed = ['tor-exits', 'is_tor_exit', '2026-11-14', 7] as const;
  for (const day of [BUILT_ON, '2026-11-22', '2028-01-01']) {
    const { flags, score } = answer(answers([table, feed], day));
    assert.deepEqual([flags, score], [['is_tor_exit'], 45], day);
  }
});

const INCOMPLETE = { ipv4: 'blocklists', ipv6: 'blocklists' };
const BROAD: Row = ['ipsum', 'blocklist', '2026-11-15', 14, { isBroad: true }];
const TOR: Row = ['tor-exits', 'is_tor_exit', '2026-11-15', 7];

for (const [behaviour, rows, day, want] of [
  ['no list', [], BUILT_ON, 'blocklists'],
  [
    'a list of attackers that is not broad',
    [['x', 'blocklist', BUILT_ON, 14], TOR],
    BUILT_ON,
    'blocklists',
  ],
  ['a broad list without Tor', [BROAD], BUILT_ON, 'is_tor_exit'],
  [
    'lasting Tor blocks beside a broad list',
    [BROAD, ['t', 'is_tor_exit', '2024-02-27', undefined, { isTable: true }]],
    BUILT_ON,
    'is_tor_exit',
  ],
  ['a broad list and Tor', [BROAD, TOR], BUILT_ON, undefined],
  ['the Tor list expired', [BROAD, TOR], '2026-11-23', 'is_tor_exit'],
  ['both expired', [BROAD, TOR], '2026-11-30', 'blocklists'],
  [
    'an expired VPN list has the address',
    [BROAD, TOR, ['vpn', 'is_vpn', '2026-08-01', 60]],
    BUILT_ON,
    'expired_list',
  ],
] as const satisfies readonly (readonly [string, readonly Row[], string, string | undefined])[])
  test(`dated lists: whether the score is known with ${behaviour}`, () => {
    const dataset = answers(rows, day);
    const address = parseAddress(IP);
    assert.ok(address);
    assert.equal(dataset.threatGap(4, dataset.find(address)), want);
    // No list of them has addresses of IPv6.
    assert.equal(dataset.threatGap(6, dataset.find(address)), INCOMPLETE.ipv6);
  });

test('dated lists: a list of the last day of its maximum counts, and so does one that is dated tomorrow', () => {
  for (const as_of of ['2026-11-08', '2026-11-16'])
    assert.deepEqual(answer(answers([['tor-exits', 'is_tor_exit', as_of, 7]])).score, 45);
});

const SEVERAL: readonly Row[] = [
  ['proxies', 'is_proxy', '2026-11-14', 7],
  ['drop', 'blocklist', '2026-11-10', 30],
  ['cins', 'blocklist', '2026-11-14', 14],
  ['ipsum', 'blocklist', '2026-11-15', 14, { statements: [{ lists: 4 }] }],
];

for (const [behaviour, day, flags, score] of [
  ['on the day of the build', BUILT_ON, ['is_proxy'], 35 + 65],
  ['after the last day of the list of proxies', '2026-11-22', [], 65],
  ['when one of three blocklists is too old', '2026-11-29', [], 65],
  ['when two of them are too old', '2026-11-30', [], 15],
  ['when all are too old', '2027-01-01', [], 0],
] as const)
  test(`dated lists: the same version ${behaviour}`, () => {
    const found = answer(answers(SEVERAL, day));
    assert.deepEqual([found.flags, found.score], [flags, Math.min(100, score)]);
    const points = found.reasons.map((reason) => Number(/\+(\d+)/.exec(reason)?.[1]));
    assert.equal(
      Math.min(
        100,
        points.reduce((sum, one) => sum + one, 0),
      ),
      found.score,
      'the reasons add up',
    );
  });

test('dated lists: a flag stays with one of several lists, whatever else becomes too old', () => {
  const rows: readonly Row[] = [
    ['tor-exits', 'is_tor_exit', '2026-11-14', 30],
    ['old-exits', 'is_tor_exit', '2024-02-27', 7],
    ['cins', 'blocklist', '2026-11-14', 7],
  ];
  assert.deepEqual(answer(answers(rows, '2026-11-25')).flags, ['is_tor_exit']);
});

test('dated lists: an answer of a later day is that of a build of that day', () => {
  for (const day of ['2026-11-22', '2026-11-30', '2027-01-01']) {
    const input = sampleInput({ routes: [['9.0.0.0/16', 64500, 'One']] });
    const overlays = SEVERAL.map(list);
    const built = new Dataset(
      ownBuffer(
        encodeDataset(encodeContent(compile({ ...input, overlays, day })), 1, new Date(day)),
      ),
    );
    const { flags, score } = answer(built);
    const later = answer(answers(SEVERAL, day));
    assert.deepEqual([later.flags, later.score], [flags, score], day);
  }
});

test('dated lists: names that a list gives end with it', () => {
  const row: Row = ['vpn', 'is_vpn', '2026-11-14', 60, { operator: 'Example VPN' }];
  const named = (day: string) => {
    const dataset = answers([row], day);
    const address = parseAddress(IP);
    assert.ok(address);
    return explain(dataset, address, dataset.find(address)).some(
      ({ field }) => field === 'vpn_service',
    );
  };
  assert.deepEqual([named(BUILT_ON), named('2027-02-01')], [true, false]);
});

test('dated lists: a dataset says until which day its lists count', () => {
  assert.equal(answers(SEVERAL).lastDay, '2026-11-21');
  assert.equal(answers(SEVERAL, '2026-11-22').lastDay, '2026-11-28');
  assert.equal(answers(SEVERAL, '2027-01-01').lastDay, '9999-12-31');
});

for (const [drive, more, flags, score] of [
  ['is_tor_exit', {}, ['is_tor_exit'], 45],
  ['is_proxy', {}, ['is_proxy'], 35],
  ['is_vpn', {}, ['is_vpn'], 15],
  ['blocklist', {}, [], 15],
  ['criminal_netblock', {}, [], 90],
  ['is_ai_crawler', { company: 'Example' }, ['is_ai_crawler'], 0],
] as const)
  for (const isTable of [false, true])
    test(`dated lists: ${isTable ? 'a bundled list' : 'a feed'} of ${drive} counts until its limit, and nowhere after it`, () => {
      const limit = MAX_AGE_DAYS[drive] ?? 0;
      const dayOf = (age: number) => dayOfMs(Date.parse(BUILT_ON) + age * DAY_MS);
      const row: Row = ['list', drive, BUILT_ON, limit, { ...more, isTable }];
      const last = answer(answers([row], dayOf(limit)));
      assert.deepEqual([last.flags, last.score], [flags, score]);
      // A flag that counts is never called too old.
      assert.deepEqual(last.notes, []);
      const dataset = answers([row], dayOf(limit + 1));
      const { reasons, notes, ...rest } = answer(dataset);
      assert.deepEqual(rest, { flags: [], score: 0 });
      assert.deepEqual(reasons, []);
      assert.ok(notes.every((note) => note.endsWith('too old to count')) && notes.length > 0);
      const subject =
        { blocklist: 'blocklists', criminal_netblock: 'criminal_netblocks' }[drive as string] ??
        drive;
      const { unknown, dated } = flagKnowledge(dataset.meta, dataset.day);
      assert.ok(unknown.includes(subject as FlagSubject) && dated.includes(subject as FlagSubject));
      assert.notEqual(dataset.threatGap(4, dataset.find(ipv4(0x09000001))), undefined);
    });

test('dated lists: the limits of the catalogue are those of what the lists drive', () => {
  const wrong = builtInFeeds().filter(({ drives, max_age_days }) =>
    drives.some(
      (drive) =>
        MAX_AGE_DAYS[drive] !== undefined &&
        drive !== 'cloud_provider' &&
        MAX_AGE_DAYS[drive] !== max_age_days,
    ),
  );
  assert.deepEqual(
    wrong.map(({ id }) => id),
    [],
  );
});
