import assert from 'node:assert/strict';
import test from 'node:test';
import { levelOf, type Source, THREAT_WEIGHTS } from '../../record.ts';
import { limitPoints, rateBlocklists, rateThreat, TOTAL_LIMITS } from './threat.ts';

function source(id: string, as_of: string): Source {
  return { id, as_of, licence: 'none', credit: 'none', records: 1 };
}

for (const [score, level] of [
  [0, 'low'],
  [24, 'low'],
  [25, 'medium'],
  [49, 'medium'],
  [50, 'high'],
  [74, 'high'],
  [75, 'critical'],
  [100, 'critical'],
] as const) {
  test(`threat: a score of ${score} is ${level}`, () => assert.equal(levelOf(score), level));
}

test('threat: without contributions the score is 0 and there is no explanation', () => {
  assert.deepEqual(rateThreat([]), { score: 0, level: 'low' });
});

test('threat: contributions add up and each is explained, the most points first', () => {
  const threat = rateThreat([
    { what: 'VPN', source: source('x4b-vpn-v4', '2026-11-15'), points: THREAT_WEIGHTS.vpn },
    {
      what: 'Tor exit',
      source: source('tor-blocks', '2024-02-27'),
      points: THREAT_WEIGHTS.tor_exit,
    },
  ]);
  assert.deepEqual(threat, {
    score: 60,
    level: 'high',
    explanation: ['Tor exit (tor-blocks, 2024-02-27): +45', 'VPN (x4b-vpn-v4, 2026-11-15): +15'],
  });
});

test('threat: a VPN alone stays low', () => {
  assert.equal(levelOf(THREAT_WEIGHTS.vpn), 'low');
});

test('threat: the score is capped at 100 and every reason is kept', () => {
  const threat = rateThreat(
    [THREAT_WEIGHTS.criminal_netblock, THREAT_WEIGHTS.proxy].map((points) => ({
      what: 'x',
      source: source('y', '2026-11-15'),
      points,
    })),
  );
  assert.equal(threat.score, 100);
  assert.equal(threat.explanation?.length, 2);
});

for (const [behaviour, lists, score] of [
  ['one list', [1], 15],
  ['two', [1, 1], 30],
  ['three', [1, 1, 1], 50],
  ['four', [1, 1, 1, 1], 65],
  ['five', [1, 1, 1, 1, 1], 80],
  ['six count as five', [1, 1, 1, 1, 1, 1], 80],
] as const) {
  test(`threat: blocklists: ${behaviour} is ${score}`, () => {
    const contributions = rateBlocklists(
      lists.map((_, i) => ({ source: source(`l${i}`, '2026-11-15'), lists: undefined })),
      false,
    );
    assert.equal(rateThreat(contributions).score, score);
    assert.equal(rateThreat(contributions).explanation?.length, Math.min(5, lists.length));
  });
}

const aggregate = (lists: number) => ({ source: source('ipsum', '2026-08-22'), lists });
const single = (id: string) => ({ source: source(id, '2026-08-22'), lists: undefined });
for (const [behaviour, entries, explanation] of [
  [
    'counts for as many lists as it found',
    [aggregate(3)],
    ['on 3 blocklists (ipsum, 2026-08-22): +50'],
  ],
  [
    'raises the count of single lists',
    [single('cins'), aggregate(3)],
    ['on 3 blocklists (ipsum, 2026-08-22): +35', 'on a blocklist (cins, 2026-08-22): +15'],
  ],
  [
    'adds nothing to as many single lists',
    [single('cins'), aggregate(1)],
    ['on a blocklist (cins, 2026-08-22): +15'],
  ],
  ['of one list counts as one list', [aggregate(1)], ['on a blocklist (ipsum, 2026-08-22): +15']],
  ['of ten lists counts as five', [aggregate(10)], ['on 10 blocklists (ipsum, 2026-08-22): +80']],
] as const) {
  test(`threat: an aggregate ${behaviour}`, () => {
    assert.deepEqual(rateThreat(rateBlocklists(entries, false)).explanation, explanation);
  });
}

const direct = (id: string) => ({ ...single(id), isDirect: true });
const HOME = 'limited because such addresses change hands';
for (const [behaviour, entries, isHome, explanation] of [
  ['alone has 25 points', [direct('cins')], false, ['on a blocklist (cins, 2026-08-22): +25']],
  [
    'counts like others beside others',
    [direct('cins'), direct('greensnow')],
    false,
    ['on a blocklist (cins, 2026-08-22): +25', 'on a blocklist (greensnow, 2026-08-22): +5'],
  ],
  [
    'after another list has what is missing to 25',
    [single('drop'), aggregate(1), direct('cins')],
    false,
    ['on a blocklist (drop, 2026-08-22): +15', 'on a blocklist (cins, 2026-08-22): +15'],
  ],
  [
    'with an aggregate of one list is still one list',
    [aggregate(1), direct('cins')],
    false,
    ['on a blocklist (cins, 2026-08-22): +25'],
  ],
  [
    'alone with a home has 24',
    [direct('cins')],
    true,
    [`on a blocklist, ${HOME} (cins, 2026-08-22): +24`],
  ],
  [
    'and another list with a home have 30',
    [direct('cins'), single('drop')],
    true,
    [`on a blocklist, ${HOME} (cins, 2026-08-22): +24`, 'on a blocklist (drop, 2026-08-22): +6'],
  ],
] as const)
  test(`threat: a list that observed the address ${behaviour}`, () => {
    assert.deepEqual(rateThreat(rateBlocklists(entries, isHome)).explanation, explanation);
  });

for (const [behaviour, points, limited] of [
  ['less than the limit stays', [30], [30]],
  ['more than the limit is cut', [80], [49]],
  ['the largest contribution comes first', [15, 45], [45, 4]],
  ['nothing is left for the rest', [50, 15, 10], [49, 0, 0]],
  ['nothing at all', [], []],
] as const) {
  test(`threat: a limit: ${behaviour}, and the explanation adds up`, () => {
    const contributions = points.map((value, i) => ({
      what: 'x',
      source: source(`s${i}`, '2026-11-15'),
      points: value as number,
    }));
    const kept = limitPoints(contributions, TOTAL_LIMITS.mobile);
    assert.deepEqual(
      kept.map((contribution) => contribution.points),
      limited,
    );
    const { score, explanation = [] } = rateThreat(kept);
    assert.equal(
      explanation.reduce((sum, line) => sum + Number(/\+(\d+)$/.exec(line)?.[1]), 0),
      score,
    );
  });
}
