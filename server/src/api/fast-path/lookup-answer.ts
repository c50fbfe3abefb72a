// The 200 of a simple lookup as bytes: the body first, because its length is in the header, as on
// Node's path.
import { randomFillSync } from 'node:crypto';
import type { Address } from '@whence/dataset/address';
import { writeNumber, writeText } from '@whence/dataset/ascii-writer';
import type { Match } from '@whence/dataset/match';
import { recordBytes, writeRecord } from '@whence/dataset/record-writer';
import { COMMON_HEADERS, ENVELOPE } from '../../http/envelope.ts';
import type { ServedDataset } from '../../lookup/live-dataset.ts';
import { headerLines, lastLineBytes, type RateLimitState } from './head-lines.ts';

const REMAINING = Buffer.from('\r\nx-ratelimit-remaining: ');
const RESET = Buffer.from('\r\nx-ratelimit-reset: ');
const HIT = Buffer.from('\r\nx-cache-status: HIT\r\ncontent-length: ');
const MISS = Buffer.from('\r\nx-cache-status: MISS\r\ncontent-length: ');

const DATA = Buffer.from(ENVELOPE.data);
const META = Buffer.from(`${ENVELOPE.meta}{"request_id":"`);
const TIME = Buffer.from('","processing_time_ms":');
const META_HIT = Buffer.from(',"cache_status":"HIT","dataset_version":');
const META_MISS = Buffer.from(',"cache_status":"MISS","dataset_version":');
const CLOSE = Buffer.from(`}${ENVELOPE.end}`);

/** Upper bounds for the header, and for the body without the record. */
const HEADER_ROOM = 1024;
const META_ROOM = 256;

const SLAB_BYTES = 64 * 1024;
/** Most answers have 700 to 1,100 bytes. */
const MAX_VIEW_END = 2_560;

/**
 * Memory for answers and their common header fields. A sent answer is overwritten by the next, so
 * nothing is allocated and the bytes stay in the processor's caches; one that is still queued keeps
 * its place. A full slab is replaced.
 */
export class AnswerSlab {
  readonly head = Buffer.from(`HTTP/1.1 200 OK\r\n${headerLines(COMMON_HEADERS)}x-request-id: `);
  readonly hitLines: RateLines;
  readonly missLines: RateLines;
  buffer = Buffer.allocUnsafeSlow(SLAB_BYTES);
  #used = 0;
  #last: Buffer | undefined;
  #lastStart = 0;
  /** Views of the beginning of the slab, by where they end: answers have few different sizes. */
  #views: (Buffer | undefined)[] = [];

  constructor(extraHeaders: Readonly<Record<string, string>>) {
    const start = Buffer.from(`\r\n${headerLines(extraHeaders)}x-ratelimit-limit: `);
    this.hitLines = new RateLines(start, HIT);
    this.missLines = new RateLines(start, MISS);
  }

  reserve(bytes: number): number {
    if (this.#used + bytes > this.buffer.length) {
      this.buffer = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, bytes));
      this.#views = [];
      this.#used = 0;
    }
    return this.#used;
  }

  take(start: number, end: number): Buffer {
    this.#lastStart = this.#used;
    this.#used = end;
    this.#last = this.#view(start, end);
    return this.#last;
  }

  /** The answer was sent: its bytes may be used again. */
  release(answer: Buffer): void {
    if (answer === this.#last) this.#used = this.#lastStart;
  }

  #view(start: number, end: number): Buffer {
    if (end >= MAX_VIEW_END) return this.buffer.subarray(start, end);
    const earlier = this.#views[end];
    if (earlier !== undefined && earlier.length === end - start) return earlier;
    const view = this.buffer.subarray(start, end);
    this.#views[end] = view;
    return view;
  }
}

/** Undefined when there is no record for the address. */
export function writeLookupAnswer(
  slab: AnswerSlab,
  { dataset, answers, version }: ServedDataset,
  address: Address,
  rate: RateLimitState,
  elapsedMs: number,
  nowMs: number,
): { answer: Buffer; isHit: boolean; status: 200 } | undefined {
  const entry = answers.find(address);
  const isHit = entry !== -1;
  let match: Match = 0;
  let room = 0;
  if (isHit) room = answers.end(entry) - answers.start(entry);
  else {
    match = dataset.find(address);
    if (match === 0) return undefined;
    room = recordBytes(dataset, match);
  }
  const bodyStart = slab.reserve(HEADER_ROOM + META_ROOM + room) + HEADER_ROOM;
  const { buffer } = slab;
  buffer.set(DATA, bodyStart);
  const recordStart = bodyStart + DATA.length;
  let at: number;
  if (isHit) {
    answers.bytes.copy(buffer, recordStart, answers.start(entry), answers.end(entry));
    at = recordStart + room;
  } else {
    at = writeRecord(dataset, address, match, buffer, recordStart);
    answers.put(address, buffer, recordStart, at);
  }
  buffer.set(META, at);
  const idStart = at + META.length;
  at = writeRequestId(buffer, idStart);
  buffer.set(TIME, at);
  at = writeNumber(elapsedMs, buffer, at + TIME.length);
  const metaStatus = isHit ? META_HIT : META_MISS;
  buffer.set(metaStatus, at);
  at = writeNumber(version, buffer, at + metaStatus.length);
  buffer.set(CLOSE, at);
  const bodyEnd = at + CLOSE.length;
  const start = writeHeaderBefore(
    slab,
    bodyStart,
    bodyEnd - bodyStart,
    idStart,
    isHit ? slab.hitLines : slab.missLines,
    rate,
    nowMs,
  );
  return { answer: slab.take(start, bodyEnd), isHit, status: 200 };
}

/** Writes the header so that it ends where the body starts, and returns where it starts. */
function writeHeaderBefore(
  { buffer, head }: AnswerSlab,
  bodyStart: number,
  bodyLength: number,
  idStart: number,
  rateLines: RateLines,
  rate: RateLimitState,
  nowMs: number,
): number {
  const middle = rateLines.of(rate);
  const last = lastLineBytes(nowMs);
  const start =
    bodyStart -
    head.length -
    REQUEST_ID_CHARACTERS -
    middle.length -
    digits(bodyLength) -
    last.length;
  buffer.set(head, start);
  let at = start + head.length;
  buffer.copyWithin(at, idStart, idStart + REQUEST_ID_CHARACTERS);
  at += REQUEST_ID_CHARACTERS;
  buffer.set(middle, at);
  at = writeNumber(bodyLength, buffer, at + middle.length);
  buffer.set(last, at);
  return start;
}

/**
 * The header fields behind the request id, up to `content-length:`. They repeat for a key without a
 * limit, so the last are kept.
 */
class RateLines {
  readonly #bytes = Buffer.allocUnsafeSlow(HEADER_ROOM);
  readonly #start: Buffer;
  readonly #cacheStatus: Buffer;
  #lines = this.#bytes.subarray(0, 0);
  #limit = -1;
  #remaining = -1;
  #resetSeconds = -1;

  constructor(start: Buffer, cacheStatus: Buffer) {
    this.#start = start;
    this.#cacheStatus = cacheStatus;
  }

  of({ limit, remaining, resetSeconds }: RateLimitState): Buffer {
    if (
      limit === this.#limit &&
      remaining === this.#remaining &&
      resetSeconds === this.#resetSeconds
    )
      return this.#lines;
    this.#limit = limit;
    this.#remaining = remaining;
    this.#resetSeconds = resetSeconds;
    const bytes = this.#bytes;
    let at = writeText(this.#start, bytes, 0);
    at = writeNumber(limit, bytes, at);
    at = writeText(REMAINING, bytes, at);
    at = writeNumber(remaining, bytes, at);
    at = writeText(RESET, bytes, at);
    at = writeNumber(resetSeconds, bytes, at);
    at = writeText(this.#cacheStatus, bytes, at);
    if (at !== this.#lines.length) this.#lines = bytes.subarray(0, at);
    return this.#lines;
  }
}

function digits(value: number): number {
  let count = 1;
  for (let power = 10; power <= value; power *= 10) count++;
  return count;
}

const ID_BYTES = 16;
const pool = Buffer.allocUnsafeSlow(ID_BYTES * 256);
let next = pool.length;

const HEX = Buffer.from('0123456789abcdef');
const HYPHEN = 0x2d;
const REQUEST_ID_CHARACTERS = 36;

function writeRequestId(target: Buffer, at: number): number {
  if (next === pool.length) {
    randomFillSync(pool);
    next = 0;
  }
  for (let i = 0; i < ID_BYTES; i++) {
    let byte = pool[next++] as number;
    if (i === 6) byte = (byte & 0x0f) | 0x40;
    else if (i === 8) byte = (byte & 0x3f) | 0x80;
    if (i === 4 || i === 6 || i === 8 || i === 10) target[at++] = HYPHEN;
    target[at++] = HEX[byte >>> 4] as number;
    target[at++] = HEX[byte & 15] as number;
  }
  return at;
}
