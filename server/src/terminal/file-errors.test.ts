import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { refusalText, withFileErrors } from './file-errors.ts';

const toError = (error: Error, refusal: string | undefined) =>
  new Error(`${refusal}: ${error.message}`);

for (const [behaviour, work, want] of [
  ['synchronous work', () => readFileSync('/nowhere/a'), /^its directory does not exist: ENOENT/],
  ['a promise', () => readFile('/nowhere/a'), /^its directory does not exist: ENOENT/],
  ['a code without a message', () => readFileSync('/'), /^undefined: EISDIR/],
] as const)
  test(`file errors: ${behaviour}`, async () => {
    await assert.rejects(async () => withFileErrors<unknown>(work, toError), { message: want });
  });

test('file errors: an error that does not come from the file system is thrown unchanged', () => {
  const error = new TypeError('a bug');
  const work = () => {
    throw error;
  };
  assert.throws(
    () => withFileErrors(work, toError),
    (thrown) => thrown === error,
  );
});

for (const [code, want] of [
  ['EDQUOT', 'no space left (message of the system)'],
  ['EACCES', 'permission denied (message of the system)'],
  ['EROFS', 'read-only file system (message of the system)'],
  ['EMFILE', 'message of the system'],
  ['constructor', 'message of the system'],
  [undefined, 'message of the system'],
] as const)
  test(`file errors: the text for ${code}`, () =>
    assert.equal(refusalText(Object.assign(new Error('message of the system'), { code })), want));
