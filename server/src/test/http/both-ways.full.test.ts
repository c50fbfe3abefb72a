/** Each command in every format, with a dataset here and from a server: the same output. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { bothWays, compareBothWays } from './both-ways.ts';
import { HOSTILE } from './shared-rules-sample.ts';

compareBothWays();

for (const [command, input] of [
  ['ip', `8.8.8.8\n# a comment\n\n10.0.0.1\n${HOSTILE}\n3.0.0.17/30\n`],
  ['asn', `15169\n${HOSTILE}\n64499\n16505-16510\n`],
  ['email', `good.example\nuser@parked.example\n${HOSTILE}\nbroken.example\ngood.example\n`],
] as const)
  for (const format of [[], ['--json'], ['--csv']])
    test(`both ways: a list on standard input of wh ${command} ${format}`, async () => {
      const [local, remote] = await bothWays([command, ...format, '-'], { input });
      assert.deepEqual(remote, local);
      assert.equal(local?.code, 1);
    });

for (const [behaviour, domain, code] of [
  ['a good grade', 'good.example', 0],
  [
    'a good grade of a domain that refers to a name which anyone can register',
    'referring.example',
    1,
  ],
  ['a domain that is set up to send no mail', 'parked.example', 0],
  ['a domain that lets anyone send', 'open.example', 1],
  ['a domain that does not exist', 'missing.example', 1],
  ['a part that could not be verified, and could not make the grade good', 'partly.example', 1],
  ['no answer', 'broken.example', 3],
] as const)
  test(`both ways: the exit code of wh email for ${behaviour} is ${code}`, async () => {
    for (const outcome of await bothWays(['email', domain], {}))
      assert.equal(outcome.code, code, outcome.stdout);
  });
