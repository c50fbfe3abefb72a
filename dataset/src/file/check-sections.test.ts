/** Files with valid checksums and invalid content, as a faulty compiler would write them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { DatasetError } from '../dataset-error.ts';
import { sampleContent } from '../test/sample-dataset.ts';
import { decodeFile, encodeFile, type SectionName } from './format.ts';
import { Dataset } from './read.ts';
import { encodeDataset } from './write.ts';

const file = encodeDataset(
  sampleContent({
    routes: [
      ['8.8.8.0/24', 15169, 'Google LLC'],
      ['2001:4860::/32', 15169, 'Google LLC'],
      ['2001:4860:0:1::8/125', 64500, 'Inside a /64'],
    ],
  }),
  1,
  new Date('2026-11-15T00:00:00Z'),
);

const setWord = (index: number, value: number) => (section: Buffer) =>
  section.writeUInt32LE(value, index * 4);

for (const [behaviour, section, change] of [
  ['a record with attributes that do not exist', 'records', setWord(1, 99)],
  ['records of more networks than there are', 'records.row', setWord(1, 0xffffffff)],
  ['records of a network that does not exist', 'records.row', setWord(0, 99)],
  ['a first record without a network', 'records.row', setWord(1, 0)],
  ['a network that begins within another name', 'asns', setWord(1, 1)],
  ['a number of a network that does not exist', 'asns.number', setWord(0, 99)],
  ['attributes with a list of decisions that does not exist', 'suffixes', setWord(0, 9_999)],
  ['more texts than there are', 'suffixes.variant', setWord(1, 0xffffffff)],
  ['a text with a fragment that does not exist', 'variants', setWord(0, 9_999)],
  ['a text with its fragments in another order', 'variants', (texts: Buffer) => texts.reverse()],
  ['a text that is cut off', 'variants', (texts: Buffer) => texts.subarray(0, -4)],
  ['a fragment that ends before it begins', 'chunks', setWord(1, 0)],
  ['a list of decisions beyond the end', 'decisions.at', setWord(1, 0x7fffffff)],
  ['an IPv4 bucket beyond the end', 'v4.top', setWord(0, 0x7fffffff)],
  ['an IPv4 match with a prefix of 33 bits', 'v4.top', setWord(0, 0x80000000 + 33 * 2 ** 24)],
  ['an IPv6 match of no record', 'v6.match', setWord(0, 0x20ffffff)],
  ['IPv6 words out of order', 'v6.offset', setWord(0, 99)],
  ['more networks in the index than there are bits', 'origins.at', setWord(0, 0x7fffffff)],
  ['metadata that is not JSON', 'meta', (meta: Buffer) => meta.write('?')],
] as const satisfies readonly (readonly [string, SectionName, (section: Buffer) => unknown])[]) {
  test(`check-sections: ${behaviour} is refused`, () => {
    const sections = decodeFile(Buffer.from(file));
    const changed = Buffer.from(sections[section]);
    const result: unknown = change(changed);
    const spliced = encodeFile({
      ...sections,
      [section]: Buffer.isBuffer(result) ? result : changed,
    });
    assert.throws(
      () => new Dataset(spliced),
      (error) => error instanceof DatasetError && error.message.startsWith('damaged: section '),
    );
  });
}

test('check-sections: an invalid list of decisions is refused when it is read', () => {
  const sections = decodeFile(Buffer.from(file));
  const decisions = Buffer.alloc(sections.decisions.length, 0xff);
  const dataset = new Dataset(encodeFile({ ...sections, decisions }));
  assert.throws(() => dataset.decisions(0), DatasetError);
});
