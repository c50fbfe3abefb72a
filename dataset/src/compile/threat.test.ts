import assert from 'node:assert/strict';
import test from 'node:test';
import { levelOf, rateThreat, WEIGHTS } from './threat.ts';

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

test('threat: nothing known is 0, low, and explains nothing', () => {
  assert.deepEqual(rateThreat([]), { score: 0, level: 'low' });
});

test('threat: contributions add up and each is explained, the heaviest first', () => {
  const threat = rateThreat([
    { what: 'datacenter', source: 'networks, 2026-11-15', points: WEIGHTS.datacenter },
    { what: 'Tor exit', source: 'tor-blocks, 2024-02-27', points: WEIGHTS.tor_exit },
  ]);
  assert.deepEqual(threat, {
    score: 50,
    level: 'high',
    explanation: ['Tor exit (tor-blocks, 2024-02-27): +45', 'datacenter (networks, 2026-11-15): +5'],
  });
});

test('threat: a VPN in a datacenter stays low', () => {
  assert.equal(levelOf(WEIGHTS.vpn + WEIGHTS.datacenter), 'low');
});

test('threat: the score stops at 100 and keeps every reason', () => {
  const threat = rateThreat(
    [WEIGHTS.criminal_netblock, WEIGHTS.proxy].map((points) => ({ what: 'x', source: 'y', points })),
  );
  assert.equal(threat.score, 100);
  assert.equal(threat.explanation?.length, 2);
});
