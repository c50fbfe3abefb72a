/**
 * DNS replies to a question: well-formed ones with odd content, and damaged ones. Most keep the id
 * and the question, for without them a client does not read on.
 */
import type { RecordType } from '@whence/email/dns';
import type { Words } from '@whence/testing/seeded-random';
import {
  addressData,
  encodeReply,
  mxData,
  nameData,
  type Query,
  TYPE,
  textData,
} from '../../dns-message.ts';
import { below, oneIn, pick } from '../case-random.ts';
import { mutate } from '../mutate.ts';

export const QUESTION_TYPES: readonly RecordType[] = ['TXT', 'MX', 'A', 'AAAA'];

const TEXTS = [
  'v=spf1 include:a.example -all',
  'v=DMARC1; p=none',
  'v=DKIM1; p=',
  '',
  ';;;',
  'x'.repeat(600),
  '\0\xff"\\',
];
const MAX_BYTES = 4_096;
const HINTS = {
  // Pointers (to the question, to themselves, forwards), long labels, lengths and counts.
  words: [
    [0xc0, 0x0c],
    [0xc0, 0x00],
    [0xff, 0xff],
    [0x3f],
    [0x40],
    [0x00, 0x00],
    [0x00, 0x10, 0x00, 0x01],
    [0x00, 0x29, 0x04, 0xd0, 0xff, 0x00, 0x00, 0x00, 0x00, 0x00],
  ].map((bytes) => Buffer.from(bytes)),
  others: [],
  maxBytes: MAX_BYTES,
};

/** Where the reply is changed: everywhere, or only after the question. */
export function hostileReply(query: Query, random: Words): Buffer {
  const rcode = oneIn(random, 4) ? below(random, 16) : 0;
  const answers = Array.from({ length: below(random, 6) }, () => answer(query, random));
  const reply = encodeReply(query, rcode, answers);
  if (oneIn(random, 8)) return reply;
  if (oneIn(random, 8)) reply.writeUInt16BE(below(random, 0x10000), pick(random, [2, 4, 6, 8, 10]));
  const kept = oneIn(random, 10) ? 0 : query.head.length;
  const changed = Buffer.concat([
    reply.subarray(0, kept),
    mutate(reply.subarray(kept), random, HINTS),
  ]);
  // Truncated on purpose: a client must ask over TCP.
  if (oneIn(random, 20) && changed.length > 4) changed.writeUInt8((changed[2] ?? 0) | 0x02, 2);
  return changed;
}

function answer({ type }: Query, random: Words) {
  const isOther = oneIn(random, 4);
  const kind = isOther ? pick(random, Object.values(TYPE)) : type;
  switch (kind) {
    case TYPE.TXT:
      return { type: kind, data: textData(pick(random, TEXTS)) };
    case TYPE.MX:
      return {
        type: kind,
        data: mxData(below(random, 0x10000), pick(random, ['mx', 'a'.repeat(63), '\0'])),
      };
    case TYPE.CNAME:
      return {
        type: kind,
        data: nameData(pick(random, ['alias.example', 'a.a.a.example', 'question.example'])),
      };
    case TYPE.A:
      return { type: kind, data: addressData('192.0.2.1') };
    default:
      return { type: kind, data: Buffer.alloc(pick(random, [0, 4, 16, 17])) };
  }
}
