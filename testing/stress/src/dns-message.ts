/**
 * The few DNS messages that a server needs which says what it likes (RFC 1035 §4.1). `dns-packet`
 * compresses no names, so 3,300 MX records do not fit into one of its messages.
 */

export type Query = {
  /** Lower case, without the final dot. */
  readonly name: string;
  readonly type: number;
  /** Header and question as received, without additional records. */
  readonly head: Buffer;
};

export const TYPE = { A: 1, CNAME: 5, SOA: 6, MX: 15, TXT: 16, AAAA: 28 } as const;
export const RCODE = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3 } as const;

/** One record for the name in the question. */
export type Answer = { readonly type: number; readonly data: Buffer };

const HEADER_BYTES = 12;
const RESPONSE = 0x8180;
const TRUNCATED = 0x0200;
const TTL_SECONDS = 300;
/** A pointer to the name in the question. */
const QUESTION_NAME = Buffer.from([0xc0, HEADER_BYTES]);
const ROOT = Buffer.from([0]);
/** SOA of the root: two names, serial, refresh, retry, expire, minimum. */
const SOA: Answer = {
  type: TYPE.SOA,
  data: Buffer.from([0, 0, ...[1, 60, 60, 60, 60].flatMap((n) => [0, 0, 0, n])]),
};

export function parseQuery(message: Buffer): Query | undefined {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (;;) {
    const length = message[at];
    if (length === undefined || length > 63) return undefined;
    at += length + 1;
    if (length === 0) break;
    labels.push(message.toString('latin1', at - length, at));
  }
  if (at + 4 > message.length) return undefined;
  const name = labels.join('.').toLowerCase();
  return { name, type: message.readUInt16BE(at), head: message.subarray(0, at + 4) };
}

/** Without answers it has an SOA, so that the absence may be remembered (RFC 2308 §5). */
export function encodeReply({ head }: Query, rcode: number, answers: readonly Answer[]): Buffer {
  const rows = answers.map((answer) => encodeRecord(QUESTION_NAME, answer));
  const authorities = rows.length === 0 ? [encodeRecord(ROOT, SOA)] : [];
  const reply = Buffer.concat([head, ...rows, ...authorities]);
  reply.writeUInt16BE(RESPONSE | rcode, 2);
  reply.writeUInt16BE(1, 4);
  reply.writeUInt16BE(rows.length, 6);
  reply.writeUInt16BE(authorities.length, 8);
  reply.writeUInt16BE(0, 10);
  return reply;
}

function encodeRecord(name: Buffer, { type, data }: Answer): Buffer {
  const fields = Buffer.alloc(10);
  fields.writeUInt16BE(type, 0);
  fields.writeUInt16BE(1, 2);
  fields.writeUInt32BE(TTL_SECONDS, 4);
  fields.writeUInt16BE(data.length, 8);
  return Buffer.concat([name, fields, data]);
}

/** Tells the client to ask over TCP. */
export function encodeTruncated(query: Query): Buffer {
  const reply = encodeReply(query, RCODE.NOERROR, []);
  reply.writeUInt16BE(RESPONSE | TRUNCATED, 2);
  return reply;
}

export function addressData(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number));
}

/** RFC 1035 §3.3: strings of at most 255 bytes. */
export function textData(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  const strings: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += 255) {
    const string = bytes.subarray(at, at + 255);
    strings.push(Buffer.from([string.length]), string);
  }
  return Buffer.concat(strings);
}

/** A mail host below the name in the question. */
export function mxData(preference: number, label: string): Buffer {
  const head = Buffer.alloc(2);
  head.writeUInt16BE(preference);
  return Buffer.concat([
    head,
    Buffer.from([label.length]),
    Buffer.from(label, 'latin1'),
    QUESTION_NAME,
  ]);
}

export function nameData(name: string): Buffer {
  const labels = name
    .split('.')
    .flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, 'latin1')]);
  return Buffer.concat([...labels, Buffer.from([0])]);
}
