import assert from 'node:assert/strict';
import test from 'node:test';
import { KeyUnchanged } from '../keys/keys.ts';
import { OutcomeUnknown, outcomeUnknown } from '../storage/storage-unavailable.ts';
import {
  CommandError,
  failureOf,
  InputError,
  NegativeAnswer,
  SettingError,
  UsageError,
} from './exit.ts';

const lost = new OutcomeUnknown('connection lost');

for (const [behaviour, error, want] of [
  ['a failure', new CommandError('it failed'), ['it failed', 3]],
  ['a negative answer', new NegativeAnswer('no such key'), ['no such key', 1]],
  ['an unreadable file', new InputError('empty'), ['empty', 2]],
  ['wrong usage', new UsageError('wrong'), ['wrong', 2]],
  ['a wrong setting', new SettingError('wrong'), ['wrong', 2]],
  ['a change that was refused', new KeyUnchanged('still valid'), ['still valid', 3]],
  [
    'a lost answer',
    lost,
    ['not known whether the change was made: connection lost; run it again', 3],
  ],
  [
    'a lost answer to a change that is named',
    outcomeUnknown(lost, 'the key x is revoked', 'look'),
    ['not known whether the key x is revoked: connection lost; look', 3],
  ],
  [
    'a system error',
    Object.assign(new Error('EACCES: x'), { errno: -13, code: 'EACCES' }),
    ['permission denied (EACCES: x)', 3],
  ],
  ['a bug', new TypeError('x'), [undefined, undefined]],
] as const)
  test(`exit codes: ${behaviour}`, () => {
    const failure = failureOf(error);
    assert.deepEqual([failure?.message, failure?.exitCode], want);
  });
