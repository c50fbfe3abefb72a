/**
 * The answer to a batch, written as bytes: an entry per distinct submitted text, which is a record or an error. With
 * objects and JSON.stringify it would take four times as long.
 */
import { type Address, parseAddress } from '@whence/dataset/address';
import { writeRange, writeText } from '@whence/dataset/ascii-writer';
import type { Match } from '@whence/dataset/format';
import type { Dataset } from '@whence/dataset/read';
import { recordBytes, writeRecord } from '@whence/dataset/record-writer';
import { ApiError, type ErrorName, errorBody } from '../http/errors.ts';
import type { NetworkCounts } from '../usage/networks.ts';

const START = Buffer.from('{"data":{');
const INVALID = entryOf('INVALID_IP');
const NOT_FOUND = entryOf('IP_NOT_FOUND');
const COMMA = 0x2c;
const COLON = 0x3a;
/** Room for a hundred records of common size. A larger answer gets a larger buffer. */
const DEFAULT_BYTES = 1 << 16;

/** Members to add to a record, as JSON without braces; empty for none. */
export type MembersOf = (address: Address, match: Match) => string;

export class BatchAnswer {
  buffer: Buffer;
  readonly #dataset: Dataset;
  readonly #networks: NetworkCounts;
  readonly #membersOf: MembersOf | undefined;
  #end: number;

  /** Writes into `buffer`, which the caller may use again once the answer is sent. */
  constructor(
    dataset: Dataset,
    networks: NetworkCounts,
    buffer: Buffer = Buffer.allocUnsafeSlow(DEFAULT_BYTES),
    membersOf?: MembersOf,
  ) {
    this.#dataset = dataset;
    this.#networks = networks;
    this.buffer = buffer;
    this.#membersOf = membersOf;
    this.#end = writeText(START, buffer, 0);
  }

  /** Adds the entry of one submitted text, whose JSON is between `start` and `end`, quotes included. */
  add(json: Buffer, start: number, end: number, address: Address | undefined): void {
    const match = address === undefined ? 0 : this.#dataset.find(address);
    const valueBytes = match === 0 ? INVALID.length + NOT_FOUND.length : recordBytes(this.#dataset, match);
    this.#makeRoom(end - start + valueBytes + 2);
    const { buffer } = this;
    let at = this.#end;
    if (at > START.length) buffer[at++] = COMMA;
    at = writeRange(json, start, end, buffer, at);
    buffer[at++] = COLON;
    if (address === undefined) at = writeText(INVALID, buffer, at);
    else if (match === 0) at = writeText(NOT_FOUND, buffer, at);
    else {
      at = writeRecord(this.#dataset, address, match, buffer, at);
      this.#networks.count(this.#dataset, address);
      if (this.#membersOf !== undefined) at = this.#writeMembers(this.#membersOf(address, match), at);
    }
    this.#end = at;
  }

  /** Adds an entry for each distinct text. As bytes, a submitted `__proto__` is a member like any other. */
  addTexts(texts: readonly string[]): void {
    for (const text of new Set(texts)) {
      const json = Buffer.from(JSON.stringify(text));
      this.add(json, 0, json.length, parseAddress(text));
    }
  }

  finish(requestId: string, milliseconds: number): Buffer {
    const end = `},"meta":{"request_id":"${requestId}","processing_time_ms":${milliseconds}}}`;
    this.#makeRoom(end.length);
    this.#end += this.buffer.write(end, this.#end, 'latin1');
    return this.buffer.subarray(0, this.#end);
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
    if (this.#end + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.#end + bytes));
    this.buffer.copy(larger, 0, 0, this.#end);
    this.buffer = larger;
  }
}

function entryOf(name: ErrorName): Buffer {
  return Buffer.from(JSON.stringify(errorBody(new ApiError(name), 0).data));
}
