/**
 * Every feed parser on mutated samples. A parser returns statements of its shape, or throws a plain
 * `Error` with a sentence for the operator; a TypeError or a RangeError is a bug.
 */

import { FEED_FORMATS, parseFeed, shapeOfFormat } from '@whence/dataset/test/feed-parsers';
import { pick } from '../case-random.ts';
import { mutate } from '../mutate.ts';
import { feedSamples } from './feed-samples.ts';
import { describeError, type FuzzInput, type Subject } from './subject.ts';

const WORDS = [
  '\n',
  '\r\n',
  '\t',
  ',',
  '"',
  '""',
  '|',
  '{',
  '}',
  '[',
  ']',
  ':',
  '#',
  '%',
  '\\u0000',
  '\ufeff',
  '-1',
  '4294967296',
  '1e9',
  'null',
  '192.0.2.0/33',
  '::/0',
  '0.0.0.0/0',
  '2026-13-45',
  '__proto__',
  '&quot;',
  '<td>',
];
const MAX_BYTES = 60_000;

export function openFeeds(): Subject {
  const samples = feedSamples();
  const missing = FEED_FORMATS.filter((format) => !samples.has(format));
  if (missing.length > 0)
    throw new Error(`no sample for the format ${missing.join(', ')}: add one to feed-samples.ts`);
  const all = [...samples.values()].flat();
  const hints = { words: WORDS.map((word) => Buffer.from(word)), others: all, maxBytes: MAX_BYTES };
  return {
    make(random) {
      const about = pick(random, FEED_FORMATS);
      return { about, bytes: mutate(pick(random, samples.get(about) ?? []), random, hints) };
    },
    run: parseMutated,
  };
}

function parseMutated({ about, bytes }: FuzzInput): string | undefined {
  const wanted = shapeOfFormat(about);
  try {
    const parsed = parseFeed(about, bytes);
    if (parsed === undefined) return `there is no format ${about}`;
    const { shape, records, skipped } = parsed;
    if (shape !== wanted) return `returned ${shape} instead of ${wanted}`;
    const isCount = (count: number) => Number.isInteger(count) && count >= 0;
    return isCount(records) && isCount(skipped)
      ? undefined
      : `counted ${records} records, ${skipped} skipped`;
  } catch (error) {
    const isOwn = error instanceof Error && Object.getPrototypeOf(error) === Error.prototype;
    return isOwn ? undefined : describeError(error);
  }
}
