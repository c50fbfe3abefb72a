/** The answer to a batch, written as bytes into a buffer that is used again. */
import type { Address } from '@whence/dataset/address';
import { recordBytes, writePiece, writeRange, writeRecord } from '@whence/dataset/json-writer';
import type { Dataset } from '@whence/dataset/read';
import { errors } from '../../http/errors.ts';
import type { NetworkCounts } from '../../usage/networks.ts';

const START = Buffer.from('{"data":{');
const INVALID = Buffer.from(JSON.stringify({ error: errors.INVALID_IP.text, code: 'INVALID_IP' }));
const NOT_FOUND = Buffer.from(JSON.stringify({ error: errors.IP_NOT_FOUND.text, code: errors.IP_NOT_FOUND.code }));
const COMMA = 0x2c;
const COLON = 0x3a;

export class BatchAnswer {
  buffer: Buffer;
  readonly #dataset: Dataset;
  readonly #networks: NetworkCounts;
  #end: number;

  constructor(dataset: Dataset, networks: NetworkCounts, buffer: Buffer) {
    this.#dataset = dataset;
    this.#networks = networks;
    this.buffer = buffer;
    this.#end = writePiece(START, buffer, 0);
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
    if (address === undefined) at = writePiece(INVALID, buffer, at);
    else if (match === 0) at = writePiece(NOT_FOUND, buffer, at);
    else {
      at = writeRecord(this.#dataset, address, match, buffer, at);
      this.#networks.count(this.#dataset, address);
    }
    this.#end = at;
  }

  finish(requestId: string, milliseconds: number): Buffer {
    const end = `},"meta":{"request_id":"${requestId}","processing_time_ms":${milliseconds}}}`;
    this.#makeRoom(end.length);
    this.#end += this.buffer.write(end, this.#end, 'latin1');
    return this.buffer.subarray(0, this.#end);
  }

  #makeRoom(bytes: number): void {
    if (this.#end + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.#end + bytes));
    this.buffer.copy(larger, 0, 0, this.#end);
    this.buffer = larger;
  }
}
