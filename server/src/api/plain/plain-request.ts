/**
 * Recognises the most frequent request in the bytes of one read: exactly one complete `GET /v1/ip/{ip}` in its plainest
 * form. It accepts a strict subset of what Node's parser accepts and means the same by it, so there is nothing to
 * smuggle; whatever it does not recognise is Node's to parse.
 *
 *   GET /v1/ip/<0-9 a-f A-F : .> HTTP/1.1 CRLF
 *   <harmless name>: <visible ASCII, blanks inside>  CRLF      once or more; one Host, at most one X-API-Key
 *   CRLF                                                        at the very end of the bytes
 */
import { harmlessName } from './harmless-headers.ts';

const START = Buffer.from('GET /v1/ip/');
const VERSION = Buffer.from(' HTTP/1.1\r\n');
const KEEP_ALIVE = Buffer.from('keep-alive');
/** The longest address text; what is longer is refused by the route. */
const MAX_ADDRESS_BYTES = 45;
/** Below Node's limit on headers, so that what is too large is refused by Node. */
const MAX_BYTES = 8 * 1024;
const MIN_BYTES = START.length + 1 + VERSION.length + 'Host: x\r\n\r\n'.length;

const CR = 0x0d;
const LF = 0x0a;
const COLON = 0x3a;
const SPACE = 0x20;
const TILDE = 0x7e;

const isAddressByte = new Uint8Array(256);
for (const byte of Buffer.from('0123456789abcdefABCDEF:.')) isAddressByte[byte] = 1;

/** One object for all requests of a process: it is read before the next one is recognised. */
export class PlainRequest {
  /** Bytes of the request. */
  size = 0;
  addressEnd = 0;
  secretStart = 0;
  secretEnd = 0;
  readonly addressStart = START.length;

  get hasSecret(): boolean {
    return this.secretEnd > 0;
  }

  /** Whether the first `size` bytes are a plain lookup; if so, the offsets are set. */
  recognise(bytes: Buffer, size: number): boolean {
    if (size < MIN_BYTES || size > MAX_BYTES || bytes[size - 1] !== LF || bytes[size - 2] !== CR) return false;
    if (!hasAt(bytes, 0, START)) return false;
    let at = START.length;
    while (isAddressByte[bytes[at] as number] === 1) at++;
    if (at === START.length || at - START.length > MAX_ADDRESS_BYTES || !hasAt(bytes, at, VERSION)) return false;
    this.size = size;
    this.addressEnd = at;
    return this.#recogniseHeaders(bytes, at + VERSION.length, size - 2);
  }

  #recogniseHeaders(bytes: Buffer, from: number, end: number): boolean {
    this.secretEnd = 0;
    let hosts = 0;
    let hasAuthorization = false;
    for (let at = from; at < end; ) {
      const colon = nameEnd(bytes, at, end);
      const name = harmlessName(bytes, at, colon);
      if (name === undefined) return false;
      const valueStart = colon + 2;
      const valueEnd = plainValueEnd(bytes, colon + 1, end);
      if (valueEnd === -1) return false;
      if (name === 'host') hosts++;
      else if (name === 'x-api-key') {
        if (this.secretEnd > 0) return false;
        this.secretStart = valueStart;
        this.secretEnd = valueEnd;
      } else if (name === 'authorization') hasAuthorization = true;
      else if (name === 'connection' && !isKeepAlive(bytes, valueStart, valueEnd)) return false;
      at = valueEnd + 2;
    }
    // A key in the wrong header gets a hint, which the route writes.
    return hosts === 1 && !(hasAuthorization && !this.hasSecret);
  }
}

function nameEnd(bytes: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at] !== COLON && bytes[at] !== CR) at++;
  return at;
}

/** One blank, then visible ASCII with single blanks or more inside, none at the end, then CRLF. -1 for anything else. */
function plainValueEnd(bytes: Buffer, from: number, end: number): number {
  if (bytes[from] !== SPACE) return -1;
  let at = from + 1;
  while (at < end && (bytes[at] as number) >= SPACE && (bytes[at] as number) <= TILDE) at++;
  const isEnded = at < end && bytes[at] === CR && bytes[at + 1] === LF;
  const isTrimmed = at > from + 1 && bytes[from + 1] !== SPACE && bytes[at - 1] !== SPACE;
  return isEnded && isTrimmed ? at : -1;
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
