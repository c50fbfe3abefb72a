import assert from 'node:assert/strict';
import test from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import { fromBigInt } from '../../prefix.ts';
import type { Intervals } from '../format.ts';
import { type Match, makeMatch } from '../match.ts';
import { boundsOf, type Cursor, startOf } from './cursor.ts';
import { encodeIpv4, Ipv4Table } from './ipv4-table.ts';
import { encodeIpv6, Ipv6Table } from './ipv6-table.ts';

const SEEDS = [1, 2];

for (const seed of SEEDS) {
  test(`tables: IPv4 lookups match a linear search (seed ${seed})`, () => {
    const random = seededRandom(seed);
    const pick = () => BigInt(Math.floor(random() * 2 ** 32));
    const dense = () => 0x01020000n + BigInt(Math.floor(random() * 2 ** 17));
    const intervals = randomIntervals(
      [0n],
      [...Array(300)].map(pick).concat([...Array(300)].map(dense)),
      random,
    );
    const { top, buckets } = encodeIpv4(intervals);
    const table = new Ipv4Table(top, buckets);
    assert.deepEqual(walk(4, table.cursorFrom(0)), distinct(intervals));
    for (const at of probes(intervals, [...Array(2000)].map(pick), 1n << 32n)) {
      const word = Number(at) | 0;
      const want = slow(intervals, at);
      assert.equal(table.find(word), want.match, at.toString(16));
      const { start, end } = boundsOf(4, table.cursorFrom(word));
      assert.ok(start <= at && at <= end);
      assert.ok(start >= want.start && end < want.end, 'a run stays inside its interval');
    }
  });

  test(`tables: IPv6 lookups match a linear search (seed ${seed})`, () => {
    const random = seededRandom(seed);
    const word = () => BigInt(Math.floor(random() * 2 ** 32));
    // Starts at every depth: one word, two words, inside a /64, and groups with the same first
    // words.
    const pick = () => {
      const first =
        0x20000000n + (random() < 0.5 ? word() >> 3n : BigInt(Math.floor(random() * 40)));
      const seconds = [0n, BigInt(Math.floor(random() * 8)), word()];
      const second = seconds[Math.floor(random() * 3)] as bigint;
      const lows = [0n, 0n, BigInt(Math.floor(random() * 16)), (word() << 32n) | word()];
      const low = lows[Math.floor(random() * 4)] as bigint;
      return (first << 96n) | (second << 64n) | low;
    };
    const lastOfBlock = (0x20000005n << 96n) | 0xffffffffffffffffn;
    const intervals = randomIntervals([0n, lastOfBlock], [...Array(800)].map(pick), random);
    const table = new Ipv6Table(encodeIpv6(intervals));
    assert.deepEqual(walk(6, table.cursorFrom(fromBigInt(0n, 6))), distinct(intervals));
    for (const at of probes(intervals, [...Array(3000)].map(pick), 1n << 126n)) {
      if (at >> 125n !== 1n) continue;
      const { w0, w1, w2, w3 } = fromBigInt(at, 6);
      const want = slow(intervals, at);
      assert.equal(table.find(w0, w1, w2, w3), want.match, at.toString(16));
      const { start, end } = boundsOf(6, table.cursorFrom(fromBigInt(at, 6)));
      assert.ok(
        start <= at && at <= end,
        `${at.toString(16)} in ${start.toString(16)}..${end.toString(16)}`,
      );
      assert.ok(start >= want.start && end < want.end, 'a run stays inside its interval');
    }
  });
}

/** The positions at which the match changes, found by the cursor. */
function walk(version: 4 | 6, cursor: Cursor): string[] {
  const starts: bigint[] = [];
  const matches: Match[] = [];
  while (cursor.advance()) {
    starts.push(startOf(version, cursor));
    matches.push(cursor.match);
  }
  return distinct({ starts, matches });
}

function distinct({ starts, matches }: Intervals): string[] {
  return starts.flatMap((start, i) =>
    matches[i] === (matches[i - 1] ?? 0) ? [] : [`${start.toString(16)} ${matches[i]}`],
  );
}

test('tables: forEachIn visits the runs of the given records in a block and no others', () => {
  const intervals = {
    starts: [0n, 0x01000000n, 0x01000100n, 0x01080000n, 0x02000000n],
    matches: [0, makeMatch(24, 7), makeMatch(8, 9), makeMatch(13, 7), 0],
  };
  const { top, buckets } = encodeIpv4(intervals);
  const table = new Ipv4Table(top, buckets);
  const runsIn = (block: number) => {
    const seen: string[] = [];
    table.forEachIn(block, 7, 7, (start, match) =>
      seen.push(`${start.toString(16)} ${match.toString(16)}`),
    );
    return seen;
  };
  assert.deepEqual(runsIn(0x0100 / 8), ['1000000 18000007']);
  assert.deepEqual(runsIn(0x0108 / 8).slice(0, 1), ['1080000 d000007']);
  assert.deepEqual(runsIn(0x0200 / 8), []);
});

function randomIntervals(fixed: bigint[], starts: bigint[], random: () => number): Intervals {
  const sorted = [...new Set([...fixed, ...starts])].sort((a, b) => (a < b ? -1 : 1));
  return {
    starts: sorted,
    matches: sorted.map((_, i) => (i === 0 || random() < 0.2 ? 0 : makeMatch(8 + (i % 24), i))),
  };
}

/** Every start, its neighbours, and some random addresses. */
function probes({ starts }: Intervals, others: bigint[], limit: bigint): bigint[] {
  return [...starts.flatMap((start) => [start - 1n, start, start + 1n]), ...others].filter(
    (at) => at >= 0n && at < limit,
  );
}

function slow(
  { starts, matches }: Intervals,
  at: bigint,
): { match: Match; start: bigint; end: bigint } {
  const i = starts.findLastIndex((start) => start <= at);
  return {
    match: matches[i] as Match,
    start: starts[i] as bigint,
    end: starts[i + 1] ?? 1n << 128n,
  };
}
