/**
 * The answer to a batch as bytes: an entry per distinct text. Objects and JSON.stringify take four
 * times as long.
 */
import { type Address, ipv4, parseAddress } from '@whence/dataset/address';
import { writeRange, writeText } from '@whence/dataset/ascii-writer';
import type { Dataset } from '@whence/dataset/dataset';
import { type Match, recordNumber } from '@whence/dataset/match';
import {
  ADDRESS_BYTES,
  ENTRY_BYTES,
  recordBytes,
  type Target,
  targetOf,
  writeBatchEntry,
  writeRecord,
} from '@whence/dataset/record-writer';
import { ENVELOPE, errorBody } from '../http/envelope.ts';
import { ApiError, type ErrorName } from '../http/errors.ts';

const START = Buffer.from(`${ENVELOPE.data}{`);
const INVALID = entryOf('INVALID_IP');
const NOT_FOUND = entryOf('IP_NOT_FOUND');
const COMMA = 0x2c;
const COLON = 0x3a;
/** Room for a hundred records of common size. A larger answer gets a larger buffer. */
const DEFAULT_BYTES = 1 << 16;

/** Members to add to a record, as JSON without braces; empty for none. */
export type MembersOf = (address: Address, match: Match) => string;

type BatchAnswerOptions = {
  readonly buffer?: Buffer;
  readonly start?: number;
  readonly membersOf?: MembersOf | undefined;
};

export class BatchAnswer {
  #target: Target;
  readonly #dataset: Dataset;
  readonly #membersOf: MembersOf | undefined;
  readonly #start: number;
  readonly #firstEntry: number;
  #end: number;

  /** Writes into `buffer` from `start` on; the caller may use it again once the answer is sent. */
  constructor(dataset: Dataset, { buffer, start = 0, membersOf }: BatchAnswerOptions = {}) {
    this.#dataset = dataset;
    this.#target = targetOf(buffer ?? Buffer.allocUnsafeSlow(DEFAULT_BYTES));
    this.#membersOf = membersOf;
    this.#start = start;
    this.#firstEntry = writeText(START, this.buffer, start);
    this.#end = this.#firstEntry;
  }

  /** May be larger than the one that was given, if that had no room. */
  get buffer(): Buffer {
    return this.#target.buffer;
  }

  /**
   * Adds the entry of one submitted text, whose JSON is between `start` and `end`, quotes included.
   */
  add(json: Buffer, start: number, end: number, address: Address | undefined): void {
    this.#add(json, start, end, address, address === undefined ? 0 : this.#dataset.find(address));
  }

  #add(json: Buffer, start: number, end: number, address: Address | undefined, match: Match): void {
    const valueBytes =
      match === 0 ? INVALID.length + NOT_FOUND.length : recordBytes(this.#dataset, match);
    this.#makeRoom(end - start + valueBytes + 2);
    const { buffer } = this.#target;
    let at = this.#end;
    if (at > this.#firstEntry) buffer[at++] = COMMA;
    at = writeRange(json, start, end, buffer, at);
    buffer[at++] = COLON;
    if (address === undefined) at = writeText(INVALID, buffer, at);
    else if (match === 0) at = this.#writeUnannounced(address, at);
    else {
      at = writeRecord(this.#dataset, address, match, buffer, at);
      if (this.#membersOf !== undefined)
        at = this.#writeMembers(this.#membersOf(address, match), at);
    }
    this.#end = at;
  }

  /** The same for IPv4, whose text is the record's. `json` is ASCII, `source` a view of it. */
  addIpv4(
    json: Buffer,
    source: DataView,
    start: number,
    end: number,
    word: number,
    match: Match,
  ): void {
    const text = match === 0 ? undefined : this.#dataset.recordTexts.find(recordNumber(match));
    if (text === undefined || start + ADDRESS_BYTES >= json.length) {
      this.#add(json, start - 1, end + 1, ipv4(word), match);
      return;
    }
    this.#makeRoom(ENTRY_BYTES + text.length);
    let at = this.#end;
    if (at > this.#firstEntry) this.#target.buffer[at++] = COMMA;
    this.#end = writeBatchEntry(source, start, end, word, match, text, this.#target, at);
  }

  /**
   * Adds an entry for each distinct text. As bytes, a submitted `__proto__` is a member like any
   * other.
   */
  addTexts(texts: readonly string[]): void {
    for (const text of new Set(texts)) {
      const json = Buffer.from(JSON.stringify(text));
      this.add(json, 0, json.length, parseAddress(text));
    }
  }

  /** Returns the answer, from `start` on. */
  finish(requestId: string, milliseconds: number): Buffer {
    const meta = { request_id: requestId, processing_time_ms: milliseconds };
    const end = `}${ENVELOPE.meta}${JSON.stringify(meta)}${ENVELOPE.end}`;
    this.#makeRoom(end.length);
    this.#end += this.buffer.write(end, this.#end, 'latin1');
    return this.buffer.subarray(this.#start, this.#end);
  }

  /** Without a record, the members are the whole entry, if there are any. */
  #writeUnannounced(address: Address, at: number): number {
    const members = this.#membersOf?.(address, 0) ?? '';
    if (members === '') return writeText(NOT_FOUND, this.buffer, at);
    const json = Buffer.from(`{${members}}`);
    this.#end = at;
    this.#makeRoom(json.length);
    return writeText(json, this.buffer, at);
  }

  /** Writes members over the brace that ends the record, and the brace again. */
  #writeMembers(members: string, at: number): number {
    if (members === '') return at;
    const json = Buffer.from(`,${members}}`);
    this.#end = at;
    this.#makeRoom(json.length);
    return writeText(json, this.buffer, at - 1);
  }

  #makeRoom(bytes: number): void {
    const { buffer } = this.#target;
    if (this.#end + bytes <= buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, this.#end + bytes));
    buffer.copy(larger, 0, 0, this.#end);
    this.#target = targetOf(larger);
  }
}

function entryOf(name: ErrorName): Buffer {
  return Buffer.from(JSON.stringify(errorBody(new ApiError(name), 0).data));
}
