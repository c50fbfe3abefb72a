/** Bodies of a batch, framed correctly: wrong types, odd JSON, odd strings, too large. */
import type { Words } from '@whence/testing/seeded-random';
import { below, oneIn, pick } from '../case-random.ts';
import { mutate } from '../mutate.ts';

const TYPES = [
  'application/json',
  'application/json',
  'application/json',
  'application/json; charset=utf-8',
  'application/json; charset=latin1',
  'APPLICATION/JSON',
  'text/plain',
  'application/xml',
  'multipart/form-data; boundary=x',
  '',
  'application/json, text/plain',
  'application/json;',
];

const BODIES = [
  '{}',
  '[]',
  'null',
  '""',
  '0',
  '{"ips":null}',
  '{"ips":{}}',
  '{"ips":"8.8.8.8"}',
  '{"ips":[]}',
  '{"ips":[null]}',
  '{"ips":[1]}',
  '{"ips":[[]]}',
  '{"ips":["8.8.8.8","8.8.8.8"]}',
  '{"ips":["__proto__","constructor"]}',
  '{"__proto__":{"ips":[]},"ips":["::1"]}',
  '{"constructor":{"prototype":{}},"ips":["::1"]}',
  '{"ips":["8.8.8.8"],"ips":["1.0.0.1"]}',
  '{"ips":["\\ud800","\\u0000","\\"","\\n"]}',
  '\ufeff{"ips":["8.8.8.8"]}',
  '{"ips":["8.8.8.8"]} ',
  '{"ips":["8.8.8.8"]}x',
  "{'ips':['8.8.8.8']}",
  '{"ips":["8.8.8.8",]}',
  '',
].map((text) => Buffer.from(text));

const WORDS = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\\u',
  'null',
  'true',
  '1e999',
  '"ips"',
  '__proto__',
  '\0',
  '\xff',
].map((word) => Buffer.from(word, 'latin1'));

export function makeBody(random: Words): { body: Buffer; type: string } {
  const type = pick(random, TYPES);
  if (oneIn(random, 100)) return { body: Buffer.alloc(250_000 + below(random, 20_000), ' '), type };
  if (oneIn(random, 30)) return { body: many(random), type };
  if (oneIn(random, 30)) return { body: Buffer.from('['.repeat(below(random, 20_000))), type };
  const body = pick(random, BODIES);
  return {
    body: oneIn(random, 2)
      ? body
      : mutate(body, random, { words: WORDS, others: BODIES, maxBytes: 20_000 }),
    type,
  };
}

/** Around the limit of the tier. */
function many(random: Words): Buffer {
  const ips = Array.from({ length: below(random, 1_100) }, (_, i) =>
    oneIn(random, 50) ? '\u00e9"'.repeat(i) : `1.0.${i >> 8}.${i & 255}`,
  );
  return Buffer.from(JSON.stringify({ ips }));
}
