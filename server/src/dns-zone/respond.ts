// A question in bytes to its response in bytes. The question is sent back unchanged; records refer
// to its names.
// `dns-packet` turns names into text, which not all survive, and takes longer than the rest.
import { HEADER_BYTES, TYPES } from '@whence/email/dns-message';
import type { ServedDataset } from '../lookup/live-dataset.ts';
import { type ZoneNode, ZoneRecords } from './zone-records.ts';

/** `dropped` gets no response; `nodata`: the name exists, but has no records of this type. */
type Result = keyof typeof RCODES | 'nodata' | 'dropped';
/** `type` is its name, as it is counted. */
export type Response = { readonly bytes?: Buffer; readonly result: Result; readonly type: string };

const RCODES = {
  noerror: 0,
  formerr: 1,
  servfail: 2,
  nxdomain: 3,
  notimp: 4,
  refused: 5,
  badvers: 16,
};
const FLAG_RESPONSE = 0x8000;
const OPCODE = 0x7800;
const FLAG_AUTHORITATIVE = 0x0400;
const FLAG_TRUNCATED = 0x0200;
const FLAG_RECURSION_DESIRED = 0x0100;
const CLASS_IN = 1;
const TYPE_IXFR = 251;
const TYPE_AXFR = 252;
const TYPE_ANY = 255;
/** All other types are counted as one. */
const TYPE_NAMES: ReadonlyMap<number, string> = new Map([
  ...(['A', 'AAAA', 'TXT', 'SOA', 'NS'] as const).map((name) => [TYPES[name], name] as const),
  [TYPE_ANY, 'ANY'],
]);

/** RFC 1035 §4.2.1, without EDNS. */
const MIN_UDP_BYTES = 512;
/** Passes without fragmentation on practically all paths (DNS flag day 2020). */
const MAX_UDP_BYTES = 1232;
const TTL_SECONDS = 300;
const MAX_LABEL_BYTES = 63;
const MAX_NAME_BYTES = 255;
const MAX_STRING_BYTES = 255;
/** Names of networks are shorter. */
const MAX_TEXT_BYTES = 2048;
/** Pointer to a name, type, class, TTL and length of a record. */
const RECORD_BYTES = 12;
const OPT_BYTES = 11;
const FLAG_DO = 0x8000;
/** Refresh, retry and expire are for secondary servers; there are none. */
const SOA_TIMES = [3600, 600, 604_800, TTL_SECONDS];

type Question = {
  /** In lower case. */
  readonly labels: readonly string[];
  readonly type: number;
  readonly class: number;
  readonly end: number;
  readonly edns:
    | { readonly udpBytes: number; readonly version: number; readonly isDo: boolean }
    | undefined;
};

/** The data of a TXT record is its text. */
type ResourceRecord = { readonly type: number; readonly data: Buffer | string };

export class Responder {
  readonly #zone: readonly string[];
  readonly #zoneBytes: number;
  readonly #serverName: Buffer;
  readonly #contact: Buffer;
  readonly #served: () => ServedDataset | undefined;
  #current:
    | {
        readonly served: ServedDataset;
        readonly records: ZoneRecords;
        readonly soa: ResourceRecord;
      }
    | undefined;

  /** `zone` in lower case, without a final dot. */
  constructor(zone: string, served: () => ServedDataset | undefined) {
    this.#zone = zone.split('.');
    this.#zoneBytes = encodeName(this.#zone).length;
    this.#serverName = encodeName(['ns', ...this.#zone]);
    this.#contact = encodeName(['hostmaster', ...this.#zone]);
    this.#served = served;
  }

  /** To a client that may ask. `isUdp` limits the size of the response. */
  respond(packet: Buffer, isUdp: boolean): Response {
    if (!isQuery(packet)) return DROPPED;
    const question = readQuestion(packet);
    if (question === undefined)
      return { bytes: refusalOf(packet, HEADER_BYTES, 'formerr'), result: 'formerr', type: 'none' };
    const { result, answers = [], authority } = this.#find(packet, question);
    const type = TYPE_NAMES.get(question.type) ?? 'other';
    const bytes = this.#write(packet, question, result, answers, authority);
    const allowed = Math.min(Math.max(question.edns?.udpBytes ?? 0, MIN_UDP_BYTES), MAX_UDP_BYTES);
    if (!isUdp || bytes.length <= allowed) return { bytes, result, type };
    const truncated = this.#write(packet, question, result, [], undefined);
    truncated.writeUInt16BE(truncated.readUInt16BE(2) | FLAG_TRUNCATED, 2);
    return { bytes: truncated, result, type };
  }

  /**
   * To a client that may not ask: never more bytes than it has sent, and nothing to what is not a
   * question.
   */
  refuse(packet: Buffer): Response {
    const question = isQuery(packet) ? readQuestion(packet) : undefined;
    if (question === undefined) return DROPPED;
    const bytes = refusalOf(packet, question.end, 'refused');
    return { bytes, result: 'refused', type: TYPE_NAMES.get(question.type) ?? 'other' };
  }

  #find(packet: Buffer, { labels, type, class: class_, edns }: Question): ZoneAnswer {
    if (edns !== undefined && edns.version !== 0) return { result: 'badvers' };
    if ((packet.readUInt16BE(2) & OPCODE) !== 0) return { result: 'notimp' };
    const depth = labels.length - this.#zone.length;
    const isOurs = depth >= 0 && this.#zone.every((label, i) => label === labels[depth + i]);
    if (!isOurs || class_ !== CLASS_IN || type === TYPE_AXFR || type === TYPE_IXFR)
      return { result: 'refused' };
    const served = this.#served();
    if (served === undefined) return { result: 'servfail' };
    if (this.#current?.served !== served)
      this.#current = { served, records: new ZoneRecords(served.dataset), soa: this.#soa(served) };
    const { records, soa } = this.#current;
    const node = records.find(labels, depth);
    if (node === undefined) return { result: 'nxdomain', authority: soa };
    const answers = this.#recordsOf(node, type, soa);
    return answers.length === 0
      ? { result: 'nodata', authority: soa }
      : { result: 'noerror', answers };
  }

  #recordsOf({ a, txt, isApex }: ZoneNode, type: number, soa: ResourceRecord): ResourceRecord[] {
    const has = (wanted: number) => type === wanted || type === TYPE_ANY;
    const records: ResourceRecord[] = [];
    if (a !== undefined && has(TYPES.A))
      for (const code of a) records.push({ type: TYPES.A, data: Buffer.of(127, 0, 0, code) });
    if (txt !== undefined && has(TYPES.TXT)) records.push({ type: TYPES.TXT, data: txt });
    if (isApex && has(TYPES.SOA)) records.push(soa);
    if (isApex && has(TYPES.NS)) records.push({ type: TYPES.NS, data: this.#serverName });
    return records;
  }

  /** The serial number grows with each version, also if a publisher starts over. */
  #soa({ builtAtMs }: ServedDataset): ResourceRecord {
    const numbers = Buffer.alloc(20);
    let at = 0;
    for (const number of [Math.floor(builtAtMs / 1000), ...SOA_TIMES])
      at = numbers.writeUInt32BE(number >>> 0, at);
    return { type: TYPES.SOA, data: Buffer.concat([this.#serverName, this.#contact, numbers]) };
  }

  /** Into `scratch`, and from there into a buffer of its own: the socket may keep it. */
  #write(
    packet: Buffer,
    { end, edns }: Question,
    result: Result,
    answers: readonly ResourceRecord[],
    authority: ResourceRecord | undefined,
  ): Buffer {
    scratch.set(end === packet.length ? packet : packet.subarray(0, end));
    writeHeader(
      result,
      1,
      answers.length,
      authority === undefined ? 0 : 1,
      edns === undefined ? 0 : 1,
    );
    let at = end;
    // Answers belong to the name that was asked for; the authority to the zone, at the end of that
    // name.
    for (const record of answers) at = writeRecord(record, HEADER_BYTES, at);
    if (authority !== undefined) at = writeRecord(authority, end - 4 - this.#zoneBytes, at);
    if (edns !== undefined) {
      // RFC 6891 §6.1.2: the root, OPT, our payload size, the high bits of the code, version 0, DO
      // as it came, no options.
      scratch[at] = 0;
      write16(TYPES.OPT, at + 1);
      write16(MAX_UDP_BYTES, at + 3);
      write16((codeOf(result) >>> 4) << 8, at + 5);
      write16(edns.isDo ? FLAG_DO : 0, at + 7);
      write16(0, at + 9);
      at += OPT_BYTES;
    }
    return Buffer.from(scratch.subarray(0, at));
  }
}

/**
 * Larger than any response: a question, all records of a name, and the longest name of a network.
 */
const scratch = Buffer.alloc(4096);

function write16(value: number, at: number): void {
  scratch[at] = value >>> 8;
  scratch[at + 1] = value & 0xff;
}

function writeRecord({ type, data }: ResourceRecord, owner: number, at: number): number {
  write16(0xc000 | owner, at);
  write16(type, at + 2);
  write16(CLASS_IN, at + 4);
  write16(0, at + 6);
  write16(TTL_SECONDS, at + 8);
  const start = at + RECORD_BYTES;
  const end = typeof data === 'string' ? writeText(data, start) : start + data.length;
  if (typeof data !== 'string') scratch.set(data, start);
  write16(end - start, at + 10);
  return end;
}

/** As strings of at most 255 bytes, each after its length. */
function writeText(text: string, at: number): number {
  const length = scratch.write(text, at + 1, MAX_TEXT_BYTES);
  scratch[at] = length;
  if (length <= MAX_STRING_BYTES) return at + 1 + length;
  const bytes = Buffer.from(scratch.subarray(at + 1, at + 1 + length));
  for (let from = 0; from < length; from += MAX_STRING_BYTES) {
    const string = bytes.subarray(from, from + MAX_STRING_BYTES);
    scratch[at] = string.length;
    scratch.set(string, at + 1);
    at += 1 + string.length;
  }
  return at;
}

type ZoneAnswer = {
  readonly result: Result;
  readonly answers?: readonly ResourceRecord[];
  readonly authority?: ResourceRecord;
};

const DROPPED: Response = { result: 'dropped', type: 'none' };

function isQuery(packet: Buffer): boolean {
  return packet.length >= HEADER_BYTES && (packet.readUInt16BE(2) & FLAG_RESPONSE) === 0;
}

/**
 * Undefined unless it is one question and at most an OPT record (RFC 6891 §6.1.1), and nothing
 * after them.
 */
function readQuestion(packet: Buffer): Question | undefined {
  // One question, no answers and no authorities.
  if (packet.readUInt16BE(4) !== 1 || packet.readUInt32BE(6) !== 0) return undefined;
  let at = HEADER_BYTES;
  while (packet[at] !== 0) {
    const length = packet[at] ?? MAX_NAME_BYTES;
    // Longer ones are compressed: only a name that has come before can be.
    if (length > MAX_LABEL_BYTES) return undefined;
    at += 1 + length;
  }
  const nameEnd = at + 1;
  const end = nameEnd + 4;
  if (end > packet.length || nameEnd - HEADER_BYTES > MAX_NAME_BYTES) return undefined;
  const hasOpt = packet.readUInt16BE(10) === 1;
  if (hasOpt ? !isOpt(packet, end) : packet.readUInt16BE(10) !== 0 || end !== packet.length)
    return undefined;
  return {
    labels: readLabels(packet, nameEnd),
    type: packet.readUInt16BE(nameEnd),
    class: packet.readUInt16BE(nameEnd + 2),
    end,
    edns: hasOpt
      ? {
          udpBytes: packet.readUInt16BE(end + 3),
          version: packet.readUInt8(end + 6),
          isDo: (packet.readUInt16BE(end + 7) & FLAG_DO) !== 0,
        }
      : undefined,
  };
}

function isOpt(packet: Buffer, at: number): boolean {
  if (
    packet.length < at + OPT_BYTES ||
    packet[at] !== 0 ||
    packet.readUInt16BE(at + 1) !== TYPES.OPT
  )
    return false;
  return at + OPT_BYTES + packet.readUInt16BE(at + OPT_BYTES - 2) === packet.length;
}

/**
 * One string is cut into labels, because making a string of bytes is slow. A length is no letter,
 * and stays as it is.
 */
function readLabels(packet: Buffer, end: number): string[] {
  const text = packet.toString('latin1', HEADER_BYTES, end).toLowerCase();
  const labels: string[] = [];
  for (let at = 0; at < text.length - 1; ) {
    const next = at + 1 + text.charCodeAt(at);
    labels.push(text.slice(at + 1, next));
    at = next;
  }
  return labels;
}

const codeOf = (result: Result): number => RCODES[result as keyof typeof RCODES] ?? RCODES.noerror;

/** Over the header of the question, which is in `scratch` already. */
function writeHeader(
  result: Result,
  questions: number,
  answers: number,
  authorities: number,
  additionals: number,
): void {
  const isAuthoritative = result === 'noerror' || result === 'nodata' || result === 'nxdomain';
  const kept = scratch.readUInt16BE(2) & (OPCODE | FLAG_RECURSION_DESIRED);
  write16(
    FLAG_RESPONSE | kept | (isAuthoritative ? FLAG_AUTHORITATIVE : 0) | (codeOf(result) & 0x0f),
    2,
  );
  write16(questions, 4);
  write16(answers, 6);
  write16(authorities, 8);
  write16(additionals, 10);
}

/**
 * Sends the first bytes of the packet back, as a refusal: the header alone, or with the question.
 */
function refusalOf(packet: Buffer, end: number, result: 'formerr' | 'refused'): Buffer {
  scratch.set(packet.subarray(0, end));
  writeHeader(result, end === HEADER_BYTES ? 0 : 1, 0, 0, 0);
  return Buffer.from(scratch.subarray(0, end));
}

function encodeName(labels: readonly string[]): Buffer {
  return Buffer.concat([
    ...labels.flatMap((label) => [Buffer.of(label.length), Buffer.from(label)]),
    Buffer.alloc(1),
  ]);
}
