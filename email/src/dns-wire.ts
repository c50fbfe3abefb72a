/**
 * DNS messages, over `dns-packet`. That codec reads a message on trust: it does not hold a record to its stated length, and it forgets the
 * upper bits of the response code. So the frame is walked here first, and the two must end at the same byte.
 *
 *    0   id                      6   number of answers        12   question: name, type, class
 *    2   flags, response code    8   number of authorities         answers, authorities, additionals:
 *    4   number of questions    10   number of additionals         name, type, class, ttl, length, data
 */
import { type Answer as DnsRecord, decode, encode, RECURSION_DESIRED } from 'dns-packet';
import { failure, MAX_ALIASES, type RecordData, type Reply } from './alias-chain.ts';
import type { RecordType } from './dns.ts';

/** `name` as `askableName` gives it. */
export type Question = { readonly name: string; readonly type: RecordType };

/** Fits every path without fragments (the DNS flag day of 2020 settled on it). */
const UDP_PAYLOAD_BYTES = 1232;
const HEADER_BYTES = 12;
const TYPE_OPT = 41;
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
    flags: RECURSION_DESIRED,
    questions: [{ name: question.name, type: question.type, class: 'IN' }],
    additionals: edns
      ? [
          {
            type: 'OPT',
            name: '.',
            udpPayloadSize: UDP_PAYLOAD_BYTES,
            extendedRcode: 0,
            ednsVersion: 0,
            flags: 0,
            flag_do: false,
            options: [],
          },
        ]
      : [],
  });
}

/**
 * RFC 5452 §9.1: an answer has the id and the question of its query (the name in any case). A server that could not read the query
 * may answer with the bare header; only errors are believed without a question.
 */
export function isAnswerTo(query: Buffer, { name }: Question, message: Buffer): boolean {
  if (message.length < HEADER_BYTES || message.readUInt16BE(0) !== query.readUInt16BE(0)) return false;
  const flags = message.readUInt16BE(2);
  if ((flags & FLAG_RESPONSE) === 0 || (flags & OPCODE) !== 0) return false;
  const questions = message.readUInt16BE(4);
  if (questions === 0) return !isAboutTheName(flags & RCODE);
  // A length byte before each label and the empty label at the end; then type and class.
  const end = HEADER_BYTES + name.length + 2 + 4;
  const asked = query.toString('latin1', HEADER_BYTES, end);
  return questions === 1 && message.toString('latin1', HEADER_BYTES, end).toLowerCase() === asked;
}

export function isTruncated(message: Buffer): boolean {
  return (message.readUInt16BE(2) & FLAG_TRUNCATED) !== 0;
}

/** Reads a message for which `isAnswerTo` holds. */
export function decodeReply(message: Buffer, question: Question): Reply {
  const flags = message.readUInt16BE(2);
  if (!isAboutTheName(flags & RCODE)) return failure(rcodeName(flags & RCODE));
  const frame = isTruncated(message) ? undefined : walk(message);
  if (frame === undefined) return failure('broken answer');
  const rcode = (frame.extendedRcode << 4) | (flags & RCODE);
  if (!isAboutTheName(rcode)) return failure(rcodeName(rcode));
  const sections = decodeSections(message, frame.endOfAuthorities);
  if (sections === undefined) return failure('broken answer');

  const { answers, authorities } = sections;
  const { aliases, end, ttl } = chainWithin(answers, question.name);
  const soa = authorities.find((record) => record.type === 'SOA');
  // RFC 2308 §5: an absence holds for the SOA's own TTL or its minimum field, whichever is less; without SOA it is not kept.
  const negativeTtl = soa === undefined ? 0 : Math.min(ttl, ttlOf(soa), soa.data.minimum ?? 0);
  // RFC 6604 §3: after aliases the code is about the last name.
  if (rcode === NXDOMAIN) return { kind: 'nxdomain', aliases, ttl: negativeTtl };

  const records = answers.filter((record) => record.type === question.type && isNamed(record, end));
  if (records.length > 0)
    return { kind: 'found', records: records.map(dataOf), aliases, ttl: Math.min(ttl, ...records.map(ttlOf)) };
  if (aliases.length > 0) {
    // An SOA of a zone that holds the last name says that it was looked at (RFC 2308 §2.2). Otherwise it is left to be asked.
    const isLookedAt = soa !== undefined && isWithin(end, soa.name.toLowerCase());
    return isLookedAt ? { kind: 'nodata', aliases, ttl: negativeTtl } : { kind: 'alias', aliases, ttl };
  }
  // RFC 2308 §2.2: name servers without SOA are not an absence but a hint to ask elsewhere. From a resolver that is a fault.
  const isReferral = soa === undefined && authorities.some((record) => record.type === 'NS');
  if (isReferral && (flags & FLAG_AUTHORITATIVE) === 0) return failure('referral');
  return { kind: 'nodata', aliases, ttl: negativeTtl };
}

/** The aliases that the answer section holds for a name. A circle or a long chain is cut off where `followAliases` will refuse it. */
function chainWithin(answers: readonly DnsRecord[], name: string): { aliases: string[]; end: string; ttl: number } {
  const aliases: string[] = [];
  let end = name;
  let ttl = Number.POSITIVE_INFINITY;
  while (aliases.length <= MAX_ALIASES) {
    const alias = answers.find((record) => record.type === 'CNAME' && isNamed(record, end));
    if (alias?.type !== 'CNAME') break;
    end = alias.data.toLowerCase();
    aliases.push(end);
    ttl = Math.min(ttl, ttlOf(alias));
  }
  return { aliases, end, ttl };
}

function dataOf(record: DnsRecord): RecordData {
  switch (record.type) {
    case 'TXT':
      return [record.data]
        .flat()
        .map((text) => (typeof text === 'string' ? text : text.toString('latin1')))
        .join('');
    case 'MX':
      return { preference: record.data.preference ?? 0, exchange: record.data.exchange.toLowerCase() };
    case 'A':
    case 'AAAA':
      return record.data;
    default:
      throw new TypeError(`No question asks for ${record.type}.`);
  }
}

function isNamed(record: DnsRecord, name: string): boolean {
  return record.type !== 'OPT' && record.class === 'IN' && record.name.toLowerCase() === name;
}

function isWithin(name: string, zone: string): boolean {
  return zone === '.' || name === zone || name.endsWith(`.${zone}`);
}

/** RFC 2181 §8: a TTL with its highest bit set is 0. */
function ttlOf(record: DnsRecord): number {
  const ttl = record.type === 'OPT' ? 0 : (record.ttl ?? 0);
  return ttl > 0x7fffffff ? 0 : ttl;
}

/** All other codes are about the server or the query, and say nothing of the name. */
function isAboutTheName(rcode: number): boolean {
  return rcode === NOERROR || rcode === NXDOMAIN;
}

function rcodeName(rcode: number): string {
  return RCODES[rcode] ?? `RCODE ${rcode}`;
}

/** Additional records are left out: none is of use, and a strange EDNS option should not cost the answer. */
function decodeSections(
  message: Buffer,
  endOfAuthorities: number,
): { answers: readonly DnsRecord[]; authorities: readonly DnsRecord[] } | undefined {
  const sections = Buffer.from(message);
  sections.writeUInt16BE(0, 10);
  try {
    const { answers = [], authorities = [] } = decode(sections);
    return decode.bytes === endOfAuthorities ? { answers, authorities } : undefined;
  } catch {
    return undefined;
  }
}

/** Steps over everything by the stated lengths. RFC 6891 §6.1.3: the upper eight bits of the code are the first of OPT's TTL. */
function walk(message: Buffer): { endOfAuthorities: number; extendedRcode: number } | undefined {
  let at = HEADER_BYTES;
  for (let left = message.readUInt16BE(4); left > 0; left--) at = afterName(message, at) + 4;

  const authorities = message.readUInt16BE(6) + message.readUInt16BE(8);
  const total = authorities + message.readUInt16BE(10);
  let endOfAuthorities = at;
  let extendedRcode = 0;
  for (let i = 0; i < total; i++) {
    const fields = afterName(message, at);
    if (fields + 10 > message.length) return undefined;
    if (message.readUInt16BE(fields) === TYPE_OPT) extendedRcode = message.readUInt8(fields + 4);
    at = fields + 10 + message.readUInt16BE(fields + 8);
    if (i < authorities) endOfAuthorities = at;
  }
  return at <= message.length ? { endOfAuthorities, extendedRcode } : undefined;
}

/** Beyond the end if the name is cut off. What a pointer points at is the codec's business. */
function afterName(message: Buffer, start: number): number {
  let at = start;
  for (;;) {
    const length = message[at];
    if (length === undefined) return message.length + 1;
    if (length === 0) return at + 1;
    if (length >= 0xc0) return at + 2;
    at += length + 1;
  }
}
