/**
 * A request has its type and its schema from one value: what handlers and pages may read or send is
 * what the schema has. The proofs are checked by the compiler; the table compares what the compiler
 * cannot see, the keywords of a schema.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { asnSchema } from '../../api/schemas/asn.ts';
import type { emailDomainSchema } from '../../api/schemas/email.ts';
import type { batchSchema, ipSchema } from '../../api/schemas/ip.ts';
import type { Ask } from '../../dashboard/requests/ask.ts';
import type { Input } from '../../dashboard/wire/contract.ts';
import { requests } from '../../dashboard/wire/requests.ts';
import {
  exactObject,
  list,
  object,
  oneOfTexts,
  optional,
  orNull,
  type RequestOf,
  text,
  type ValueOf,
} from '../../http/json-schema.ts';

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

const sample = exactObject({
  kind: oneOfTexts(['a', 'b']),
  until: optional(orNull(text(40))),
  names: optional(list(text(10))),
  inner: object({ first: text(5), second: optional(text(5)) }),
});
type Sample = {
  kind: 'a' | 'b';
  inner: { first: string; second?: string };
  until?: string | null;
  names?: string[];
};

const proofs: true[] = [
  true satisfies Equal<ValueOf<typeof sample>, Sample>,
  // A field with another name, or one that the schema does not have, is another type.
  true satisfies Equal<Ask<'checkLink'>['body'], { token: string }>,
  true satisfies Equal<Input<'checkLink'>, { body: { token: string } }>,
  true satisfies Equal<
    Ask<'redeemLink'>['body'],
    { token: string; password: string; name?: string }
  >,
  true satisfies Equal<
    keyof Ask<'changeKey'>['body'],
    keyof Ask<'createKey'>['body'] | 'revoke_in_hours'
  >,
  true satisfies Equal<Ask<'lookUpPrefix'>['params'], { address: string; length: string }>,
  true satisfies Equal<Ask<'getSession'>['body'], unknown>,
  true satisfies Equal<keyof Ask<'getSession'>['query'], never>,
  // Handlers read switches, lists and texts; pages send numbers and choices.
  true satisfies Equal<
    Ask<'searchAsn'>['query'],
    { readonly q?: string; readonly limit?: string; readonly cursor?: string }
  >,
  true satisfies Equal<Input<'searchAsn'>['query'], { q: string; limit?: number; cursor?: string }>,
  true satisfies Equal<Input<'getUsage'>['query']['by'], 'endpoint' | 'key' | 'status' | undefined>,
  true satisfies Equal<RequestOf<typeof ipSchema>['params'], { ip: string }>,
  true satisfies Equal<
    keyof RequestOf<typeof ipSchema>['query'],
    'explain' | 'include' | 'version' | 'at'
  >,
  true satisfies Equal<
    RequestOf<typeof asnSchema>['query']['include_prefixes'],
    boolean | undefined
  >,
  true satisfies Equal<Ask<'checkDomain'>['query']['include'], readonly string[] | undefined>,
  true satisfies Equal<RequestOf<typeof emailDomainSchema>['query'], Ask<'checkDomain'>['query']>,
  true satisfies Equal<
    RequestOf<typeof batchSchema>['body'],
    { ips: string[]; include?: string[] }
  >,
];

test('request types: handlers and pages have what the schemas describe', () =>
  assert.ok(proofs.every(Boolean)));

test('request types: the keywords of a schema are those of its type', () => {
  assert.deepEqual(sample.required, ['kind', 'inner']);
  assert.deepEqual(Object.keys(sample.properties), ['kind', 'until', 'names', 'inner']);
  assert.deepEqual(sample.properties.inner.required, ['first']);
  assert.equal(sample.additionalProperties, false);
});

for (const [name, request] of Object.entries(requests)) {
  test(`request types: ${name} takes a body without other fields, or a query`, () => {
    if ('body' in request) assert.equal(request.body.additionalProperties, false);
    else assert.equal(request.querystring.type, 'object');
  });
}
