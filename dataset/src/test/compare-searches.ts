/** The scan compared with a slow and obvious search, over random names and texts. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import type { Dataset } from '../file/read.ts';
import { AsnSearch, type AsnSearchResult, parseSearchCursor } from '../lookup/asn-search.ts';
import { withOverrides } from '../overrides/overlaid-dataset.ts';
import { parseOverrides } from '../overrides/overrides.ts';
import { datasetOf, sampleInput } from './sample-dataset.ts';
import { SlowAsnSearch } from './slow-asn-search.ts';

type Random = () => number;

/**
 * Few syllables, so that texts are in many names; separators, escapes, accents, and characters of 2
 * to 4 bytes.
 */
const SYLLABLES = [
  'net',
  'tel',
  'com',
  'a',
  'as',
  'x',
  'é',
  'ß',
  'Ø',
  'сеть',
  '한국',
  '中',
  '😀',
  '1',
  '64500',
];
const SEPARATORS = [
  ' ',
  ' ',
  ' ',
  '-',
  '. ',
  ', ',
  '-',
  ' & ',
  '"',
  '\\',
  '_',
  '\u00a0',
  '–',
  '\t',
];

/** `own` networks of overrides come after those of the file. */
export function compareSearches(
  seed: number,
  networks: number,
  queries: number,
  own: number,
): void {
  const random = seededRandom(seed);
  const dataset = withOwnNetworks(random, randomNetworks(random, networks), own);
  const search = new AsnSearch(dataset);
  const slow = new SlowAsnSearch(dataset);

  test(`asn-search: the same networks in the same order as a slow search finds (seed ${seed}, ${networks} networks)`, () => {
    for (let i = 0; i < queries; i++) {
      const query = randomQuery(random, dataset);
      const limit = pick(random, [1, 3, 20, 100, 101, 5_000]);
      const { total, results } = search.search(query, { limit });
      const asns = results.map(({ asn }) => asn);
      assert.deepEqual(
        { total, asns },
        slow.search(query, limit),
        `${JSON.stringify(query)}, limit ${limit}`,
      );
    }
  });

  test(`asn-search: pages are the same results, each once (seed ${seed}, ${networks} networks)`, () => {
    for (let i = 0; i < 40; i++) {
      const query = randomQuery(random, dataset);
      const limit = 1 + below(random, 40);
      const { total, asns } = slow.search(query, Number.POSITIVE_INFINITY);
      assert.deepEqual(
        pagesOf(search, query, limit).map(({ asn }) => asn),
        asns,
        `${JSON.stringify(query)}, limit ${limit}`,
      );
      assert.equal(asns.length, total);
    }
  });
}

function pagesOf(search: AsnSearch, query: string, limit: number): AsnSearchResult[] {
  const results: AsnSearchResult[] = [];
  let cursor: string | undefined;
  do {
    const after = cursor === undefined ? undefined : parseSearchCursor(cursor);
    const page = search.search(query, { limit, ...(after && { after }) });
    assert.ok(page.count === limit || page.next_cursor === undefined);
    results.push(...page.results);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return results;
}

function randomName(random: Random): string {
  let text = '';
  for (let words = 1 + below(random, 4); words > 0; words--) {
    for (let parts = 1 + below(random, 3); parts > 0; parts--) text += pick(random, SYLLABLES);
    if (words > 1 || random() < 0.1) text += pick(random, SEPARATORS);
  }
  return random() < 0.3 ? text.toUpperCase() : text;
}

function withOwnNetworks(random: Random, dataset: Dataset, count: number): Dataset {
  const networks = Array.from({ length: count }, (_, i) => ({
    prefix: `10.${i >> 4}.${(i & 15) << 4}.0/${20 + below(random, 4)}`,
    asn: 4_200_000_000 + i,
    asn_name: randomName(random).replaceAll('\t', ' '),
  }));
  return withOverrides(dataset, parseOverrides(JSON.stringify({ networks }), '2026-11-15'));
}

function randomNetworks(random: Random, count: number): Dataset {
  const name = () => randomName(random);
  const routes = Array.from({ length: count }, (_, i) => {
    const start = `${1 + (i >> 8)}.${i & 255}.0.0/${17 + below(random, 4)}`;
    return [start, 64_496 + i, name()] as const;
  });
  const input = sampleInput({ routes });
  const [names] = input.names;
  assert.ok(names);
  const withHandles = new Map(
    [...names.names].map(([asn, texts]) => [
      asn,
      random() < 0.6 ? { ...texts, handle: name() } : texts,
    ]),
  );
  return datasetOf({ ...input, names: [{ ...names, names: withHandles }] });
}

/** A part of a name or handle, sometimes with a change, or a number. */
function randomQuery(random: Random, dataset: Dataset): string {
  const {
    asn,
    asn_name,
    handle = asn_name,
  } = dataset.networks.at(below(random, dataset.networks.count));
  if (random() < 0.05) return `${pick(random, ['', 'AS', 'as'])}${asn}`;
  const characters = [...(random() < 0.5 ? asn_name : handle)];
  const start = below(random, characters.length);
  const text = characters
    .slice(start, start + 1 + below(random, pick(random, [2, 4, 12])))
    .join('');
  return pick(random, [
    text,
    text,
    text.toUpperCase(),
    ` ${text} `,
    `${text}z`,
    `${pick(random, SEPARATORS)}${text}`,
  ]);
}

function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}

function pick<T>(random: Random, values: readonly T[]): T {
  return values[below(random, values.length)] as T;
}
