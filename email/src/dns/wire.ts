/**
 * DNS queries and what their answers say. `dns-packet` encodes the queries, message.ts reads the
 * answers.
 */
import { SocketAddress } from 'node:net';
import { AUTHENTIC_DATA, CHECKING_DISABLED, encode, RECURSION_DESIRED } from 'dns-packet';
import { failure, type RecordData, type RecordType, type Reply } from './answer.ts';
import { MAX_ALIASES, MAX_TXT_BYTES } from './budget.ts';
import { HEADER_BYTES, type Message, type MessageRecord, readMessage, TYPES } from './message.ts';

/**
 * `name` as `askableName` gives it. `isUnchecked`: the resolver is asked not to validate (RFC 4035
 * §3.2.2).
 */
export type Question = {
  readonly name: string;
  readonly type: RecordType;
  readonly isUnchecked?: true;
};

/** Questions with the same key have the same answer. */
export function keyOf({ name, type, isUnchecked }: Question): string {
  return isUnchecked === true ? `${name} ${type} unchecked` : `${name} ${type}`;
}

/** Passes without fragmentation on practically all paths (DNS flag day 2020). */
const UDP_PAYLOAD_BYTES = 1232;
const CLASS_IN = 1;
const FLAG_RESPONSE = 0x8000;
const FLAG_AUTHORITATIVE = 0x0400;
const FLAG_TRUNCATED = 0x0200;
const OPCODE = 0x7800;
const RCODE = 0x000f;

const RCODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'];
const NOERROR = 0;
const NXDOMAIN = 3;

export function encodeQuery(question: Question, id: number, { edns }: { edns: boolean }): Buffer {
  return encode({
    type: 'query',
    id,
    // RFC 6840 §5.7: with AD in the query, a resolver says whether it has authenticated the answer.
    flags: RECURSION_DESIRED | (question.isUnchecked === true ? CHECKING_DISABLED : AUTHENTIC_DATA),
    questions: [{ name: question.name, type: question.type, class: 'IN' }],
    additionals: edns ? [{ ...OPT, udpPayloadSize: UDP_PAYLOAD_BYTES, options: [] }] : [],
  });
}

const OPT = {
  type: 'OPT',
  name: '.',
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
} as const;

/**
 * RFC 5452 §9.1: the id and the question of the query. A bare header is accepted only with an
 * error.
 */
export function isAnswerTo(query: Buffer, { name }: Question, message: Buffer): boolean {
  if (message.length < HEADER_BYTES || message.readUInt16BE(0) !== query.readUInt16BE(0))
    return false;
  const flags = message.readUInt16BE(2);
  if ((flags & FLAG_RESPONSE) === 0 || (flags & OPCODE) !== 0) return false;
  const questions = message.readUInt16BE(4);
  if (questions === 0) return !isAboutTheName(flags & RCODE);
  // One length byte per label and the empty label at the end; then type and class.
  const end = HEADER_BYTES + name.length + 2 + 4;
  const question = query.toString('latin1', HEADER_BYTES, end);
  return (
    questions === 1 && message.toString('latin1', HEADER_BYTES, end).toLowerCase() === question
  );
}

export function isTruncated(message: Buffer): boolean {
  return (message.readUInt16BE(2) & FLAG_TRUNCATED) !== 0;
}

export function decodeReply(bytes: Buffer, question: Question): Reply {
  const reply = decodeRecords(bytes, question);
  const isAuthenticated = (bytes.readUInt16BE(2) & AUTHENTIC_DATA) !== 0;
  return isAuthenticated && reply.kind !== 'failure' ? { ...reply, isAuthenticated } : reply;
}

function decodeRecords(bytes: Buffer, question: Question): Reply {
  const flags = bytes.readUInt16BE(2);
  if (!isAboutTheName(flags & RCODE)) return failure(rcodeName(flags & RCODE));
  const message = isTruncated(bytes) ? undefined : readMessage(bytes);
  if (message === undefined) return failure('broken answer');
  // RFC 6891 §6.1.3: the upper eight bits of the response code are the first byte of OPT's TTL.
  const opt = message.additionals.find(({ type }) => type === TYPES.OPT);
  const rcode = (((opt?.ttl ?? 0) >>> 24) << 4) | (flags & RCODE);
  if (!isAboutTheName(rcode)) return failure(rcodeName(rcode));

  const chain = chainWithin(message, question.name);
  const soa = message.authorities.find(({ type }) => type === TYPES.SOA);
  const soaMinimum = soa === undefined ? 0 : minimumOf(bytes, soa);
  if (chain === undefined || soaMinimum === undefined) return failure('broken answer');
  const { aliases, end, ttl } = chain;
  // RFC 2308 §5: a negative answer holds for the TTL of the SOA or its minimum field, whichever is
  // less. Without an SOA it is not cached.
  const negativeTtl = soa === undefined ? 0 : Math.min(ttl, ttlOf(soa), soaMinimum);
  // RFC 6604 §3: after aliases, the response code refers to the last name.
  if (rcode === NXDOMAIN) return { kind: 'nxdomain', aliases, ttl: negativeTtl };

  const type = TYPES[question.type];
  const records = message.answers.filter((record) => record.type === type && isNamed(record, end));
  if (records.length > 0)
    return foundReply(bytes, message, { records, type: question.type, aliases, ttl });
  if (aliases.length > 0) {
    // An SOA whose zone contains the last name shows that it was looked up (RFC 2308 §2.2).
    // Otherwise it has yet to be asked.
    const isLookedUp = soa !== undefined && isWithin(end, soa.name);
    return isLookedUp
      ? { kind: 'nodata', aliases, ttl: negativeTtl }
      : { kind: 'alias', aliases, ttl };
  }
  // RFC 2308 §2.2: NS records without an SOA are a referral, not a negative answer. From a
  // resolver, that is a failure.
  const isReferral =
    soa === undefined && message.authorities.some((record) => record.type === TYPES.NS);
  if (isReferral && (flags & FLAG_AUTHORITATIVE) === 0) return failure('referral');
  return { kind: 'nodata', aliases, ttl: negativeTtl };
}

type AnswerRecords = {
  readonly records: readonly MessageRecord[];
  readonly type: RecordType;
  readonly aliases: readonly string[];
  readonly ttl: number;
};

function foundReply(
  bytes: Buffer,
  message: Message,
  { records, type, aliases, ttl: chainTtl }: AnswerRecords,
): Reply {
  const data: RecordData[] = [];
  let ttl = chainTtl;
  for (const record of records) {
    const value = dataOf(bytes, message, record, type);
    if (value === undefined) return failure('broken answer');
    data.push(value);
    ttl = Math.min(ttl, ttlOf(record));
  }
  return { kind: 'found', records: data, aliases, ttl };
}

/**
 * Undefined if one is malformed. Loops and long chains are cut where `followAliases` refuses them.
 */
function chainWithin(
  { answers, names }: Message,
  name: string,
): { aliases: string[]; end: string; ttl: number } | undefined {
  const aliases: string[] = [];
  let end = name;
  let ttl = Number.POSITIVE_INFINITY;
  while (aliases.length <= MAX_ALIASES) {
    const alias = answers.find((record) => record.type === TYPES.CNAME && isNamed(record, end));
    if (alias === undefined) break;
    const target = names.read(alias.start);
    if (target?.end !== alias.end) return undefined;
    end = target.text;
    aliases.push(end);
    ttl = Math.min(ttl, ttlOf(alias));
  }
  return { aliases, end, ttl };
}

/** Undefined if the data does not have the form of its type, or another length. */
function dataOf(
  bytes: Buffer,
  { names }: Message,
  { start, end }: MessageRecord,
  type: RecordType,
): RecordData | undefined {
  switch (type) {
    case 'TXT':
      return textOf(bytes, start, end);
    case 'MX': {
      const exchange = end - start < 3 ? undefined : names.read(start + 2);
      return exchange?.end === end
        ? { preference: bytes.readUInt16BE(start), exchange: exchange.text }
        : undefined;
    }
    case 'NS':
    case 'PTR': {
      const name = names.read(start);
      return name?.end === end ? name.text : undefined;
    }
    case 'A':
      return end - start === 4 ? bytes.subarray(start, end).join('.') : undefined;
    case 'AAAA':
      return end - start === 16 ? formatIPv6(bytes, start) : undefined;
    case 'TLSA':
      return end - start < 4
        ? undefined
        : `${[...bytes.subarray(start, start + 3)].join(' ')} ${bytes.toString('hex', start + 3, end)}`;
  }
}

/**
 * RFC 1035 §3.3.14: strings of up to 255 bytes, each after its length. What is over the limit is
 * left out.
 */
function textOf(bytes: Buffer, start: number, end: number): string | undefined {
  const joined = Buffer.allocUnsafe(end - start);
  let length = 0;
  let at = start;
  while (at < end) {
    const next = at + 1 + (bytes[at] ?? 0);
    if (next > end) return undefined;
    length += bytes.copy(joined, length, at + 1, next);
    at = next;
  }
  return joined.toString('latin1', 0, Math.min(length, MAX_TXT_BYTES + 1));
}

/** In the form of RFC 5952, which is that of `inet_ntop`. */
function formatIPv6(bytes: Buffer, start: number): string {
  const groups = Array.from({ length: 8 }, (_, i) =>
    bytes.readUInt16BE(start + 2 * i).toString(16),
  );
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address;
}

/** RFC 1035 §3.3.13: the last of the five numbers after the two names. */
function minimumOf(bytes: Buffer, { start, end }: MessageRecord): number | undefined {
  return end - start < 22 ? undefined : bytes.readUInt32BE(end - 4);
}

function isNamed(record: MessageRecord, name: string): boolean {
  return record.class === CLASS_IN && record.name === name;
}

function isWithin(name: string, zone: string): boolean {
  return zone === '.' || name === zone || name.endsWith(`.${zone}`);
}

/** RFC 2181 §8: a TTL with its highest bit set is 0. */
function ttlOf({ ttl }: MessageRecord): number {
  return ttl > 0x7fffffff ? 0 : ttl;
}

/** All other codes concern the server or the query, and say nothing about the name. */
function isAboutTheName(rcode: number): boolean {
  return rcode === NOERROR || rcode === NXDOMAIN;
}

function rcodeName(rcode: number): string {
  return RCODES[rcode] ?? `RCODE ${rcode}`;
}
