/** Lists against a slow evaluation: the same conditions as a rule, asked for single addresses. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { parseAddress } from '@whence/dataset/address';
import { Dataset } from '@whence/dataset/dataset';
import { fromBigInt, parsePrefix } from '@whence/dataset/prefix';
import { specialPurposeRanges } from '@whence/dataset/special-purpose';
import { sampleFile } from '@whence/dataset/test/sample-dataset';
import { Decider, factsOf } from '../rules/decide.ts';
import { parseRules } from '../rules/parse-rules.ts';
import { SAMPLE } from '../test/test-server.ts';
import { listPrefixes } from './address-list.ts';

const dataset = new Dataset(sampleFile(SAMPLE));

/** The prefixes of all lists, collected in one walk. */
async function prefixesOf(...conditions: readonly string[]) {
  const found = listPrefixes(conditions.map(conditionsOf), dataset);
  return found.map((texts) => ({
    4: texts[4].split('\n').slice(0, -1),
    6: texts[6].split('\n').slice(0, -1),
  }));
}

function conditionsOf(text: string) {
  const list = parseRules(`lists: {a: ${text}}`).lists.get('a');
  assert.ok(list);
  return list.conditions;
}

const LISTED = [
  ['{flags: tor_exit}', ['1.0.9.9/32']],
  // The range of a crawler inside it has another record.
  ['{countries: US}', ['3.0.0.0/8', '8.8.8.0/24'], ['2001:4860::/32']],
  ['{asns: 64500, flags: datacenter}', []],
  [
    '{countries: US, prefixes: [3.3.0.0/16, 8.8.8.128/25, 10.0.0.0/8]}',
    ['3.3.0.0/16', '8.8.8.128/25'],
  ],
  ['{prefixes: [10.1.0.0/16, 10.0.0.0/16, "2001:db8::/32"]}', ['10.0.0.0/15'], ['2001:db8::/32']],
  ['{private: true, prefixes: [172.0.0.0/8, "::/0"], announced: true}', []],
  ['{private: true, prefixes: 172.0.0.0/8}', ['172.16.0.0/12']],
  ['{private: false, prefixes: 172.0.0.0/11}', ['172.0.0.0/12']],
  ['{announced: false, prefixes: 8.8.8.0/23}', ['8.8.9.0/24']],
  // No source of this dataset knows it.
  ['{flags: proxy}', []],
] as const;
for (const [conditions, ipv4, ipv6 = []] of LISTED)
  test(`list: prefixes of ${conditions}`, async () => {
    assert.deepEqual(await prefixesOf(conditions), [{ 4: [...ipv4], 6: [...ipv6] }]);
  });

test('list: all of these in one walk', async () => {
  assert.deepEqual(
    await prefixesOf(...LISTED.map(([conditions]) => conditions)),
    LISTED.map(([, ipv4, ipv6 = []]) => ({ 4: [...ipv4], 6: [...ipv6] })),
  );
});

const EDGES = [
  ...SAMPLE.routes.map(([prefix]) => prefix),
  '1.0.9.9/32',
  '3.0.0.16/28',
  '172.0.0.0/11',
  '10.0.0.0/8',
]
  .map(parsePrefix)
  .concat(specialPurposeRanges(4), specialPurposeRanges(6))
  .flatMap((range) => (range === undefined ? [] : [range]))
  .flatMap(({ version, start, end }) =>
    [start - 1n, start, end, end + 1n].map((value) => ({ version, value })),
  )
  .filter(({ version, value }) => value >= 0n && value < 1n << (version === 4 ? 32n : 128n))
  .map(({ version, value }) => fromBigInt(value, version));

for (const conditions of [
  '{}',
  '{announced: true}',
  '{announced: false}',
  '{private: true}',
  '{connection_types: [datacenter, mobile]}',
  '{min_score: 40}',
  '{cloud_providers: aws}',
  '{ai_companies: openai, countries: US}',
  '{prefixes: [0.0.0.0/0, "2000::/3"]}',
  '{prefixes: [3.0.0.0/9, 8.8.8.0/25, 172.0.0.0/11], private: false}',
])
  test(`list: ${conditions} has the addresses that a rule with these conditions matches`, async () => {
    const set = parseRules(
      `sets: {a: {default: allow, rules: [{name: r, if: ${conditions}, then: deny}]}}`,
    ).sets.get('a');
    assert.ok(set);
    const decider = new Decider(set);
    const [listed] = await prefixesOf(conditions);
    const ranges = [...(listed?.[4] ?? []), ...(listed?.[6] ?? [])].map((prefix) =>
      parsePrefix(prefix),
    );
    const edges = ranges.flatMap((range) =>
      range ? [fromBigInt(range.start, range.version)] : [],
    );
    for (const address of [...EDGES, ...edges]) {
      const match = dataset.find(address);
      const record = match === 0 ? undefined : dataset.record(address, match);
      const isListed = ranges.some((range) => contains(range, address));
      assert.equal(
        isListed,
        decider.decide(factsOf({ address }, record)).rule !== undefined,
        JSON.stringify(address),
      );
    }
  });

function contains(
  range: ReturnType<typeof parsePrefix>,
  address: NonNullable<ReturnType<typeof parseAddress>>,
) {
  if (range === undefined || range.version !== address.version) return false;
  const value = address.version === 4 ? BigInt(address.w0 >>> 0) : wide(address);
  return value >= range.start && value <= range.end;
}

function wide({ w0, w1, w2, w3 }: { w0: number; w1: number; w2: number; w3: number }): bigint {
  return [w0, w1, w2, w3].reduce((value, word) => (value << 32n) | BigInt(word >>> 0), 0n);
}
