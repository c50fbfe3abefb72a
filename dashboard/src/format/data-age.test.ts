import assert from 'node:assert/strict';
import test from 'node:test';
import { ageLevel, ageWords, longDay, routesOf } from './data-age.ts';

const NOW = Date.parse('2026-11-16T05:00:00Z');

for (const [day, words, level] of [
  ['2026-11-16', 'today', 'fresh'],
  ['2026-11-17', 'today', 'fresh'],
  ['2026-11-15', '1 day old', 'fresh'],
  ['2026-10-18', '29 days old', 'fresh'],
  ['2026-10-17', '1 month old', 'old'],
  ['2026-06-17', '5 months old', 'old'],
  ['2026-05-21', '5 months old', 'old'],
  ['2026-05-20', '6 months old', 'very old'],
  ['2025-11-16', '1 year old', 'very old'],
  ['2023-01-01', '3 years old', 'very old'],
] as const)
  test(`data age: ${day} is ${words} and ${level}`, () =>
    assert.deepEqual([ageWords(day, NOW), ageLevel(day, NOW)], [words, level]));

const AGES = [
  { group: 'country', as_of: '2026-06-01' },
  { group: 'prefix', family: 'ipv4', as_of: '2026-11-16' },
  { group: 'prefix', family: 'ipv6', as_of: '2019-03-04' },
] as const;
for (const [behaviour, groups, family, want] of [
  ['IPv4 is as old as its own routes', AGES, 'ipv4', '2026-11-16'],
  ['IPv6 is as old as its own routes', AGES, 'ipv6', '2019-03-04'],
  ['both are equally old', [{ group: 'prefix', as_of: '2026-06-17' }], 'ipv6', '2026-06-17'],
  ['there is no dataset', [], 'ipv4', undefined],
] as const)
  test(`data age: ${behaviour}`, () => assert.equal(routesOf(groups, family)?.as_of, want));

test('data age: the year is shown if it is another one', () => {
  assert.equal(longDay('2026-06-17', NOW, 'en-GB'), '17 June');
  assert.equal(longDay('2025-06-17', NOW, 'en-GB'), '17 June 2025');
});
