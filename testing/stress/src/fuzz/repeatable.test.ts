/** Whatever is printed as a failure must be found again from seed, domain and index. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { caseRandom } from './case-random.ts';
import { formatFailure, signatureOf } from './fuzz-failure.ts';
import { makeHttpCase } from './http/cases.ts';
import { API_KEY } from './http/secrets.ts';
import { LIBRARY_DOMAINS } from './libraries/domains.ts';
import { shrink } from './libraries/shrink.ts';

for (const { name, open } of LIBRARY_DOMAINS)
  test(`fuzz, ${name}: the same index makes the same case, and another one another`, async () => {
    const subject = await open();
    try {
      const make = (index: number) => subject.make(caseRandom(1, name, index), index);
      const cases = Array.from({ length: 50 }, (_, index) => make(index));
      for (const [index, made] of cases.entries()) assert.deepEqual(make(index), made);
      assert.ok(new Set(cases.map(({ bytes }) => bytes.toString('latin1'))).size > 25);
    } finally {
      await subject.close?.();
    }
  });

test('fuzz, http: the same index makes the same case, whatever the key', () => {
  const make = (index: number, key: string) =>
    makeHttpCase(caseRandom(1, 'http', index), { [API_KEY]: key });
  const keys = ['whence_a', 'whence_b'].map((start) => start.padEnd(43, 'x')) as [string, string];
  for (let index = 0; index < 200; index++) {
    const [first, second] = keys.map((key) =>
      Buffer.concat([...make(index, key).chunks]).toString('latin1'),
    );
    assert.equal(first?.replaceAll(keys[0], keys[1]), second);
  }
});

test('fuzz: a failing input is reduced to what matters', async () => {
  const isFaulty = async (bytes: Buffer) => bytes.includes('X') && bytes.includes('Y');
  assert.equal(String(await shrink(Buffer.from('aaaaXbbbbbbYccccccc'), isFaulty)), 'XY');
});

test('fuzz: a failure is printed in ASCII, with the options that repeat it', () => {
  const failure = {
    domain: 'feeds',
    index: 12,
    about: 'netset',
    what: 'took 300 ms',
    input: '\0\xff"\n',
  };
  assert.equal(
    formatFailure(failure, 7),
    '--seed 7 --domain feeds --first 12 --count 1  (netset): took 300 ms\n    "\\u0000\\u00ff\\"\\n"',
  );
});

for (const [behaviour, a, b, isSame] of [
  [
    'in the same place, with other words',
    'threw TypeError at f (x.js:1:2): a',
    'threw TypeError at f (x.js:1:2): b',
    true,
  ],
  [
    'in another place',
    'threw TypeError at f (x.js:1:2): a',
    'threw TypeError at g (x.js:9:2): a',
    false,
  ],
  ['with another time', 'took 300 ms', 'took 447 ms', true],
  ['with another status', 'status 200 instead of 400', 'status 404 instead of 400', false],
] as const)
  test(`fuzz: failures ${behaviour} are ${isSame ? 'one kind' : 'two kinds'}`, () => {
    const signature = (what: string) => signatureOf({ domain: 'd', about: 'a', what });
    assert.equal(signature(a) === signature(b), isSame);
  });
