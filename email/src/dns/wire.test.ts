import assert from 'node:assert/strict';
import test from 'node:test';
import { type Answer as DnsRecord, encode } from 'dns-packet';
import fc from 'fast-check';
import { failure } from './answer.ts';
import { decodeReply, encodeQuery, isAnswerTo, isTruncated, type Question } from './wire.ts';

const QUESTION: Question = { name: 'example.com', type: 'TXT' };
const QUERY = encodeQuery(QUESTION, 4660, { edns: true });
const TXT: DnsRecord = { name: 'Example.com', type: 'TXT', ttl: 60, data: 'text' };

function response({
  answers = [],
  authorities = [],
  extendedRcode = 0,
  flags = 0,
}: Partial<Message>): Buffer {
  return encode({
    type: 'response',
    id: 4660,
    flags,
    questions: [{ name: 'example.com', type: 'TXT' }],
    answers,
    authorities,
    additionals: [
      {
        type: 'OPT',
        name: '.',
        udpPayloadSize: 1232,
        extendedRcode,
        ednsVersion: 0,
        flags: 0,
        flag_do: false,
        options: [],
      },
    ],
  });
}
type Message = {
  answers: DnsRecord[];
  authorities: DnsRecord[];
  extendedRcode: number;
  flags: number;
};

const soaOf = (name: string): DnsRecord => ({
  name,
  type: 'SOA',
  ttl: 30,
  data: { mname: 'ns.example.com', rname: 'hostmaster.example.com', minimum: 90 },
});
const alias: DnsRecord = {
  name: 'example.com',
  type: 'CNAME',
  ttl: 20,
  data: 'Target.example.net',
};

for (const [behaviour, message, want] of [
  ['records', { answers: [TXT] }, { kind: 'found', records: ['text'], aliases: [], ttl: 60 }],
  [
    'records of other names and types are left out',
    {
      answers: [
        { ...TXT, name: 'other.example' },
        { name: 'example.com', type: 'A', ttl: 60, data: '192.0.2.1' },
      ],
    },
    { kind: 'nodata', aliases: [], ttl: 0 },
  ],
  [
    'records of another class are left out',
    { answers: [{ ...TXT, class: 'CH' }] },
    { kind: 'nodata', aliases: [], ttl: 0 },
  ],
  [
    'a TTL with its highest bit set is 0',
    { answers: [{ ...TXT, ttl: 0x80000000 }] },
    { kind: 'found', records: ['text'], aliases: [], ttl: 0 },
  ],
  [
    'the smallest TTL of a chain',
    { answers: [alias, { ...TXT, name: 'target.example.net' }] },
    { kind: 'found', records: ['text'], aliases: ['target.example.net'], ttl: 20 },
  ],
  [
    'an alias whose target was not looked at',
    { answers: [alias] },
    { kind: 'alias', aliases: ['target.example.net'], ttl: 20 },
  ],
  [
    "the SOA of the alias's zone says nothing of the target",
    { answers: [alias], authorities: [soaOf('example.com')] },
    { kind: 'alias', aliases: ['target.example.net'], ttl: 20 },
  ],
  [
    "the SOA of the target's zone does",
    { answers: [alias], authorities: [soaOf('Example.net')] },
    { kind: 'nodata', aliases: ['target.example.net'], ttl: 20 },
  ],
  [
    'an absent target',
    { answers: [alias], authorities: [soaOf('example.net')], flags: 3 },
    { kind: 'nxdomain', aliases: ['target.example.net'], ttl: 20 },
  ],
  [
    'an absent name',
    { authorities: [soaOf('com')], flags: 3 },
    { kind: 'nxdomain', aliases: [], ttl: 30 },
  ],
  ['an extended code (BADVERS) is not an absence', { extendedRcode: 1 }, failure('RCODE 16')],
  ['a code without a name here', { flags: 9 }, failure('RCODE 9')],
] as const satisfies readonly (readonly [
  string,
  Partial<{ [K in keyof Message]: Readonly<Message[K]> }>,
  object,
])[]) {
  test(`dns message: ${behaviour}`, () => {
    const bytes = response(message as Partial<Message>);
    assert.ok(isAnswerTo(QUERY, QUESTION, bytes));
    assert.deepEqual(decodeReply(bytes, QUESTION), want);
  });
}

test('dns message: cut off anywhere, it is not an answer or a broken one', () => {
  const bytes = response({
    answers: [alias, { ...TXT, name: 'target.example.net' }],
    authorities: [soaOf('com')],
  });
  for (let length = 0; length < bytes.length; length++) {
    const cut = bytes.subarray(0, length);
    if (isAnswerTo(QUERY, QUESTION, cut))
      assert.deepEqual(decodeReply(cut, QUESTION), failure('broken answer'));
  }
});

test('dns message: a record longer or shorter than its data is broken', () => {
  for (const [type, data] of [
    ['A', '192.0.2.1'],
    ['AAAA', '2001:db8::1'],
    ['MX', { preference: 1, exchange: 'mx.example.com' }],
  ] as const)
    for (const change of [-1, 1]) {
      const question: Question = { name: 'example.com', type };
      const record = { name: 'example.com', type, ttl: 60, data } as DnsRecord;
      const bytes = encode({ type: 'response', id: 1, questions: [question], answers: [record] });
      const lengthAt = 12 + 17 + 13 + 8;
      bytes.writeUInt16BE(bytes.readUInt16BE(lengthAt) + change, lengthAt);
      const padded = Buffer.concat([bytes, Buffer.alloc(4)]);
      assert.deepEqual(decodeReply(padded, question), failure('broken answer'));
    }
});

test('dns message: any bytes are read without throwing', () => {
  const whole = response({
    answers: [alias, { ...TXT, name: 'target.example.net' }],
    authorities: [soaOf('com')],
  });
  const changed = fc
    .array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 })
    .map((changes) => {
      const bytes = Buffer.from(whole);
      for (const [at, byte] of changes) bytes[at] = byte;
      return bytes;
    });
  const random = fc
    .uint8Array({ minLength: 12, maxLength: 200 })
    .map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(fc.oneof(changed, random), (bytes) => {
      isAnswerTo(QUERY, QUESTION, bytes);
      isTruncated(bytes);
      const reply = decodeReply(bytes, QUESTION);
      assert.ok(reply.kind === 'failure' || reply.ttl >= 0);
    }),
    { numRuns: 500 },
  );
});
