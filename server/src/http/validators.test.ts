/**
 * Our validators and Ajv on generated schemas and values: the same verdict, the same first error.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import { Ajv } from 'ajv';
import { checkOf } from './validators.ts';

const SEED = 20261116;
const SCHEMAS = 50;
const VALUES = 60;
const NAMES = ['ips', 'name', 'role', 'note'];
const TEXTS = ['', 'a', 'ab', 'abc', '\u{1f600}\u{1f600}', 'é'];

const random = seededRandom(SEED);
const below = (limit: number) => Math.floor(random() * limit);
const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
const maybe = <T extends object>(part: T): T | object => (random() < 0.5 ? part : {});

function schema(depth: number): object {
  return pick([
    () => ({
      type: 'string',
      description: 'A text.',
      ...maybe({ maxLength: below(4) }),
      ...maybe({ nullable: true }),
    }),
    () => ({
      type: 'string',
      enum: TEXTS.slice(0, 1 + below(3)),
      ...maybe({ maxLength: below(4) }),
    }),
    () => ({
      type: pick(['integer', 'number']),
      ...maybe({ minimum: below(3) }),
      ...maybe({ maximum: below(4) }),
      ...maybe({ nullable: true }),
    }),
    () => ({ type: 'boolean' }),
    () => ({ type: ['string', 'integer'], ...maybe({ maxLength: below(4) }) }),
    ...(depth === 0
      ? []
      : [
          () => ({
            type: 'array',
            items: schema(depth - 1),
            ...maybe({ minItems: below(3) }),
            ...maybe({ maxItems: 1 + below(3) }),
          }),
          () => objectSchema(depth),
        ]),
  ])();
}

function objectSchema(depth: number): object {
  const names = NAMES.filter(() => random() < 0.6);
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, schema(depth - 1)])),
    ...maybe({ required: names.filter(() => random() < 0.5) }),
    ...maybe({ additionalProperties: false }),
  };
}

function value(depth: number): unknown {
  return pick<() => unknown>([
    () => pick(TEXTS),
    () => pick([-1, 0, 1, 2, 1.5]),
    () => pick([true, false, null]),
    ...(depth === 0
      ? []
      : [
          () => Array.from({ length: below(4) }, () => value(depth - 1)),
          () => objectValue(depth),
          () => objectValue(depth),
        ]),
  ])();
}

function objectValue(depth: number): object {
  const names = [...NAMES, 'other', '__proto__'].filter(() => random() < 0.4);
  return JSON.parse(
    `{${names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(value(depth - 1))}`).join()}}`,
  );
}

test(`validators: verdict and first error of Ajv (seed ${SEED})`, () => {
  const ajv = new Ajv({ strict: false });
  let refused = 0;
  for (let i = 0; i < SCHEMAS; i++) {
    const generated = objectSchema(2);
    const validate = ajv.compile(generated);
    const check = checkOf(generated);
    for (let j = 0; j < VALUES; j++) {
      const submitted = j === 0 ? value(2) : objectValue(3);
      const violation = check(submitted, '');
      const wanted = validate(submitted) ? undefined : validate.errors?.[0];
      const message = `${JSON.stringify(generated)} ${JSON.stringify(submitted)}`;
      assert.equal(violation?.instancePath, wanted?.instancePath, message);
      assert.equal(violation?.params.missingProperty, wanted?.params['missingProperty'], message);
      if (wanted !== undefined) refused++;
    }
  }
  const values = SCHEMAS * VALUES;
  assert.ok(refused > values / 10 && refused < values * 0.9, `${refused} of ${values} refused`);
});

for (const [behaviour, unsupported] of [
  ['an unknown keyword', { type: 'string', pattern: '^a$' }],
  [
    'an unknown keyword of a property',
    { type: 'object', properties: { a: { type: 'string', format: 'date' } } },
  ],
  [
    'additional properties with a schema',
    { type: 'object', additionalProperties: { type: 'string' } },
  ],
  ['an unknown type', { type: 'null' }],
  ['no type', {}],
] as readonly [string, object][]) {
  test(`validators: a schema with ${behaviour} is refused`, () =>
    assert.throws(() => checkOf(unsupported)));
}
