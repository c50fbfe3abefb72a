import assert from 'node:assert/strict';
import test from 'node:test';
import { Lineage } from './lineage.ts';

const ONE = '7423000000000000001';
const OTHER = '7423000000000000002';

for (const [behaviour, used, found, isAccepted] of [
  ['a promoted standby', [`${ONE}/00000001`], `${ONE}/00000002`, true],
  ['the tenth failover', [`${ONE}/00000009`], `${ONE}/0000000A`, true],
  [
    'the primary that it replaced',
    [`${ONE}/00000001`, `${ONE}/00000002`],
    `${ONE}/00000001`,
    false,
  ],
  [
    'the one before, by an answer about keys',
    [`${ONE}/00000010`],
    `${ONE}/0000000F/5/16384`,
    false,
  ],
  ['another system, as after pg_upgrade', [`${ONE}/00000005`], `${OTHER}/00000001`, true],
  ['the system before', [`${ONE}/00000005`, `${OTHER}/00000001`], `${ONE}/00000004`, true],
  ['a service that does not say what it is', [`${ONE}/00000005`], '5/12345678', true],
  ['a standby', [`${ONE}/00000005`], undefined, true],
] as const)
  test(`lineage: ${behaviour} is ${isAccepted ? 'accepted' : 'refused'}`, () => {
    const lineage = new Lineage();
    for (const place of used) lineage.enter(place);
    const enter = () => lineage.enter(found);
    if (isAccepted) assert.doesNotThrow(enter);
    else assert.throws(enter, /was replaced: it is on timeline \d+, and \d+ was used before/);
  });

for (const [behaviour, used, found, isLeft] of [
  ['the primary that has replaced it', `${ONE}/00000001`, `${ONE}/00000002`, true],
  ['the primary that it has replaced', `${ONE}/00000002`, `${ONE}/00000001`, false],
  ['a primary of another system', `${ONE}/00000001`, `${OTHER}/00000002`, false],
  ['a standby', `${ONE}/00000001`, undefined, false],
] as const)
  test(`lineage: a primary is ${isLeft ? 'left' : 'kept'} when another host is ${behaviour}`, () => {
    const lineage = new Lineage();
    lineage.enter(used);
    lineage.learn(found);
    assert.equal(lineage.isCurrent(used), !isLeft);
  });
