import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { refusalText, withFileErrors } from './file-errors.ts';

const inWords = (error: Error, refusal: string | undefined) => new Error(`${refusal}: ${error.message}`);

for (const [behaviour, work, want] of [
  ['work that throws', () => readFileSync('/nowhere/a'), /^its folder does not exist: ENOENT/],
  ['a promise', () => readFile('/nowhere/a'), /^its folder does not exist: ENOENT/],
  ['a code without words', () => readFileSync('/'), /^undefined: EISDIR/],
] as const)
  test(`file errors: ${behaviour}`, async () => {
    await assert.rejects(async () => withFileErrors<unknown>(work, inWords), { message: want });
  });

test('file errors: what is no error of the file system rises as it is', () => {
  const error = new TypeError('a bug');
  const work = () => {
    throw error;
  };
  assert.throws(
    () => withFileErrors(work, inWords),
    (thrown) => thrown === error,
  );
});

for (const [code, want] of [
  ['EDQUOT', 'no space left (as the system says it)'],
  ['EROFS', 'not permitted to write there (as the system says it)'],
  ['EMFILE', 'as the system says it'],
  ['constructor', 'as the system says it'],
  [undefined, 'as the system says it'],
] as const)
  test(`file errors: the text for ${code}`, () =>
    assert.equal(refusalText(Object.assign(new Error('as the system says it'), { code })), want));
