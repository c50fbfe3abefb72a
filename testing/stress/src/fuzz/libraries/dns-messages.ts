/**
 * The parser of DNS messages: whatever the bytes, it says whether they answer the question, and
 * then what they say.
 */
import { decodeReply, encodeQuery, isAnswerTo, type Question } from '@whence/email/dns-wire';
import { parseQuery } from '../../dns-message.ts';
import { pick } from '../case-random.ts';
import { hostileReply, QUESTION_TYPES } from './dns-cases.ts';
import { describeError, type FuzzInput, type Subject } from './subject.ts';

const ID = 0x1234;
const NAME = 'question.example';
const QUERIES = new Map(
  QUESTION_TYPES.map(
    (type) => [type as string, encodeQuery({ name: NAME, type }, ID, { edns: true })] as const,
  ),
);
const KINDS = ['found', 'nodata', 'nxdomain', 'alias', 'failure'];

export const dnsMessages: Subject = {
  make(random) {
    const about = pick(random, QUESTION_TYPES);
    const query = parseQuery(QUERIES.get(about) ?? Buffer.alloc(0));
    if (query === undefined) throw new Error('our own query cannot be parsed');
    return { about, bytes: hostileReply(query, random) };
  },
  run({ about, bytes }: FuzzInput) {
    // Made above, of the four types.
    const question = { name: NAME, type: about } as Question;
    try {
      if (!isAnswerTo(QUERIES.get(about) ?? Buffer.alloc(0), question, bytes)) return undefined;
      const reply = decodeReply(bytes, question);
      return KINDS.includes(reply.kind) ? undefined : `returned the kind ${reply.kind}`;
    } catch (error) {
      return describeError(error);
    }
  },
};
