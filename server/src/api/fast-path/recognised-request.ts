/**
 * Recognises the frequent requests in the bytes of one read: exactly one complete
 * `GET /v1/ip/{ip}`, `GET /v1/decide` or
 * `POST /v1/ip/batch` in its simplest form. It accepts a strict subset of what Node's parser
 * accepts and means the same by it, so there is nothing to smuggle; whatever it does not recognise
 * is Node's to parse.
 *
 *   GET /v1/ip/<0-9 a-f A-F : .>[?<LOCAL_QUERY>] HTTP/1.1 CRLF
 *   <allowed name>: <visible ASCII, blanks inside>  CRLF      once or more; one Host, at most one X-API-Key
 *   CRLF                                                        at the very end of the bytes
 *
 *   GET /v1/decide[?<DECISION_QUERY>] HTTP/1.1 CRLF             the rest as above
 *
 *   POST /v1/ip/batch HTTP/1.1 CRLF
 *   the same, with one Content-Type: application/json and one Content-Length
 *   CRLF
 *   as many bytes as Content-Length says                        at the very end of the bytes
 */
import { LOCAL_QUERY } from '../ip.ts';
import { allowedName } from './allowed-headers.ts';

const LOOKUP_START = Buffer.from('GET /v1/ip/');
const DECISION_START = Buffer.from('GET /v1/decide');
/** Not with `explain`, whose answer is large and rarely asked for. */
const DECISION_QUERY = /^(?:(?:ip|host|path|method|set)=[\w.:/*~%+-]*(?:&|$))+$/;
const VERSION = Buffer.from(' HTTP/1.1\r\n');
const BATCH_LINE = Buffer.from('POST /v1/ip/batch HTTP/1.1\r\n');
const KEEP_ALIVE = Buffer.from('keep-alive');
const JSON_TYPES = ['application/json', 'application/json; charset=utf-8'].map((type) =>
  Buffer.from(type),
);
/** The longest address text; what is longer is refused by the route. */
const MAX_ADDRESS_BYTES = 45;
/** Below Node's limit on headers, so that what is too large is refused by Node. */
const MAX_BYTES = 8 * 1024;
/** Digits of a content length: six are more than the read buffer has. */
const MAX_LENGTH_DIGITS = 6;
const MIN_BYTES = LOOKUP_START.length + 1 + VERSION.length + 'Host: x\r\n\r\n'.length;

const CR = 0x0d;
const LF = 0x0a;
const COLON = 0x3a;
const QUESTION_MARK = 0x3f;
const ZERO = 0x30;
const NINE = 0x39;
const SPACE = 0x20;
const TILDE = 0x7e;

const isAddressByte = new Uint8Array(256);
for (const byte of Buffer.from('0123456789abcdefABCDEF:.')) isAddressByte[byte] = 1;

/** Where the last field of a name has its value, and how many there are. */
class FieldRange {
  count = 0;
  start = 0;
  end = 0;

  add(start: number, end: number): void {
    this.count++;
    this.start = start;
    this.end = end;
  }

  textIn(bytes: Buffer): string | undefined {
    return this.count === 0 ? undefined : bytes.toString('latin1', this.start, this.end);
  }
}

/** One object for all requests of a process: it is read before the next one is recognised. */
export class RecognisedRequest {
  /** `sections`: a lookup with `include`, `explain` or both. */
  kind: 'lookup' | 'sections' | 'decision' | 'batch' = 'lookup';
  /** Range of the address, for a lookup. */
  addressEnd = 0;
  readonly addressStart = LOOKUP_START.length;
  /** Without its question mark; empty for none. */
  query = '';
  readonly forwardedFor = new FieldRange();
  readonly forwardedHost = new FieldRange();
  readonly forwardedUri = new FieldRange();
  readonly forwardedMethod = new FieldRange();
  /** Range of the body, for a batch. */
  bodyStart = 0;
  bodyEnd = 0;
  secretStart = 0;
  secretEnd = 0;
  #hosts = 0;
  #hasJsonType = false;
  /** -1 without one. */
  #contentLength = -1;

  get hasSecret(): boolean {
    return this.secretEnd > 0;
  }

  recognise(bytes: Buffer, size: number): boolean {
    if (this.#recogniseBatch(bytes, size)) return true;
    if (size < MIN_BYTES || size > MAX_BYTES || bytes[size - 1] !== LF || bytes[size - 2] !== CR)
      return false;
    const lineEnd = hasAt(bytes, 0, LOOKUP_START)
      ? this.#readLookup(bytes)
      : this.#readDecision(bytes);
    if (lineEnd === -1 || !hasAt(bytes, lineEnd, VERSION)) return false;
    if (this.#headersEnd(bytes, lineEnd + VERSION.length, size - 2) !== size - 2) return false;
    return this.#hosts === 1 && this.#contentLength === -1 && !this.#hasJsonType;
  }

  /** Offset of the blank behind the target; -1 if it is not in the simple form. */
  #readLookup(bytes: Buffer): number {
    let at = LOOKUP_START.length;
    while (isAddressByte[bytes[at] as number] === 1) at++;
    this.addressEnd = at;
    if (at === LOOKUP_START.length || at - LOOKUP_START.length > MAX_ADDRESS_BYTES) return -1;
    if (bytes[at] === QUESTION_MARK) return this.#readQuery('sections', bytes, at + 1, LOCAL_QUERY);
    this.kind = 'lookup';
    return at;
  }

  #readDecision(bytes: Buffer): number {
    if (!hasAt(bytes, 0, DECISION_START)) return -1;
    const pathEnd = DECISION_START.length;
    if (bytes[pathEnd] === QUESTION_MARK)
      return this.#readQuery('decision', bytes, pathEnd + 1, DECISION_QUERY);
    this.kind = 'decision';
    this.query = '';
    return pathEnd;
  }

  /** From `start` to the next blank. */
  #readQuery(
    kind: RecognisedRequest['kind'],
    bytes: Buffer,
    start: number,
    allowed: RegExp,
  ): number {
    this.kind = kind;
    const end = bytes.indexOf(SPACE, start);
    this.query = bytes.toString('latin1', start, end);
    return allowed.test(this.query) ? end : -1;
  }

  #recogniseBatch(bytes: Buffer, size: number): boolean {
    if (!hasAt(bytes, 0, BATCH_LINE)) return false;
    const end = this.#headersEnd(bytes, BATCH_LINE.length, Math.min(size, MAX_BYTES));
    if (end === -1 || bytes[end] !== CR || bytes[end + 1] !== LF) return false;
    this.kind = 'batch';
    this.bodyStart = end + 2;
    this.bodyEnd = size;
    // Bytes behind `size` are of another read. A length is positive, so a header that ends there is
    // not recognised.
    const isWhole = this.#contentLength > 0 && this.#contentLength === size - this.bodyStart;
    return isWhole && this.#hosts === 1 && this.#hasJsonType;
  }

  /**
   * Offset of the empty line behind the headers, at most `end`; -1 if one of them is not allowed.
   */
  #headersEnd(bytes: Buffer, from: number, end: number): number {
    this.secretEnd = 0;
    this.#hosts = 0;
    this.#hasJsonType = false;
    this.#contentLength = -1;
    this.forwardedFor.count = 0;
    this.forwardedHost.count = 0;
    this.forwardedUri.count = 0;
    this.forwardedMethod.count = 0;
    let at = from;
    while (at < end && bytes[at] !== CR) {
      const colon = nameEnd(bytes, at, end);
      const name = allowedName(bytes, at, colon);
      if (name === undefined) return -1;
      const valueEnd = simpleValueEnd(bytes, colon + 1, end);
      if (valueEnd === -1 || !this.#takeHeader(name, bytes, colon + 2, valueEnd)) return -1;
      at = valueEnd + 2;
    }
    return at;
  }

  /**
   * False for a value that is not in the simple form, and for a second field where one is allowed.
   */
  #takeHeader(name: string, bytes: Buffer, start: number, end: number): boolean {
    switch (name) {
      case 'host':
        this.#hosts++;
        return true;
      case 'x-api-key':
        if (this.hasSecret) return false;
        this.secretStart = start;
        this.secretEnd = end;
        return true;
      case 'connection':
        return isKeepAlive(bytes, start, end);
      case 'content-type':
        if (this.#hasJsonType) return false;
        this.#hasJsonType = JSON_TYPES.some(
          (type) => type.length === end - start && hasAt(bytes, start, type),
        );
        return this.#hasJsonType;
      case 'content-length':
        if (this.#contentLength !== -1) return false;
        this.#contentLength = simpleLength(bytes, start, end);
        return this.#contentLength !== -1;
      case 'x-forwarded-for':
        this.forwardedFor.add(start, end);
        return true;
      case 'x-forwarded-host':
        this.forwardedHost.add(start, end);
        return true;
      case 'x-forwarded-uri':
        this.forwardedUri.add(start, end);
        return true;
      case 'x-forwarded-method':
        this.forwardedMethod.add(start, end);
        return true;
      default:
        return true;
    }
  }
}

function nameEnd(bytes: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at] !== COLON && bytes[at] !== CR) at++;
  return at;
}

/**
 * One blank, then visible ASCII with single blanks or more inside, none at the end, then CRLF. -1
 * for anything else.
 */
function simpleValueEnd(bytes: Buffer, from: number, end: number): number {
  if (bytes[from] !== SPACE) return -1;
  let at = from + 1;
  while (at < end && (bytes[at] as number) >= SPACE && (bytes[at] as number) <= TILDE) at++;
  const isEnded = at < end && bytes[at] === CR && bytes[at + 1] === LF;
  const isTrimmed = at > from + 1 && bytes[from + 1] !== SPACE && bytes[at - 1] !== SPACE;
  return isEnded && isTrimmed ? at : -1;
}

function simpleLength(bytes: Buffer, start: number, end: number): number {
  if (end - start > MAX_LENGTH_DIGITS || bytes[start] === ZERO) return -1;
  let length = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte < ZERO || byte > NINE) return -1;
    length = length * 10 + byte - ZERO;
  }
  return length;
}

function isKeepAlive(bytes: Buffer, start: number, end: number): boolean {
  if (end - start !== KEEP_ALIVE.length) return false;
  for (let i = 0; i < KEEP_ALIVE.length; i++) {
    if (((bytes[start + i] as number) | 0x20) !== ((KEEP_ALIVE[i] as number) | 0x20)) return false;
  }
  return true;
}

function hasAt(bytes: Buffer, at: number, expected: Buffer): boolean {
  for (let i = 0; i < expected.length; i++) if (bytes[at + i] !== expected[i]) return false;
  return true;
}
