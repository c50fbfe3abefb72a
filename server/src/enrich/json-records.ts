// Makes lines of one JSON document of many records: an array, or an object with one array of
// objects, as CloudTrail writes it (`{"Records":[…]}`). Other texts stay as they are. To tell, the
// first document is read in at most MAX_DOCUMENT_BYTES; a larger array is split as it arrives.
import { UsageError } from '../terminal/exit.ts';

const MAX_DOCUMENT_BYTES = 64 << 20;
/** A smaller object without an array of records is taken for a line of NDJSON. */
const MAX_LINE_OBJECT_BYTES = 1 << 20;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

const isBlank = (byte: number) => byte === SPACE || byte === LF || byte === CR || byte === 0x09;
const isBlankFrom = (bytes: Buffer, from: number) => bytes.subarray(from).every(isBlank);

/** `name` is the input in messages. */
export async function* jsonRecords(
  chunks: AsyncIterable<Buffer>,
  name: string,
): AsyncGenerator<Buffer> {
  const iterator = chunks[Symbol.asyncIterator]();
  const rest: AsyncIterable<Buffer> = { [Symbol.asyncIterator]: () => iterator };
  const read: Buffer[] = [];
  const scan = new DocumentScan();
  let bytes = 0;
  for await (const chunk of rest) {
    read.push(chunk);
    const start = bytes;
    bytes += chunk.length;
    scan.feed(chunk, start);
    const isOnlyDocument =
      scan.end === undefined || isBlankFrom(chunk, Math.max(0, scan.end - start));
    if (scan.isOther || !isOnlyDocument || (scan.end !== undefined && !scan.hasRecords)) {
      yield* read;
      yield* rest;
      return;
    }
    if (scan.end !== undefined || bytes <= MAX_DOCUMENT_BYTES) continue;
    if (!scan.isArray) throw new UsageError(tooLarge(name, scan));
    yield* split(withRead(read, rest), scan.recordsStart);
    return;
  }
  if (scan.end === undefined) yield* read;
  else if (scan.hasSeveralArrays)
    throw new UsageError(`${name} has several arrays of records: ${jqHint(scan)}`);
  else yield* split(read, scan.recordsStart);
}

async function* withRead(
  read: readonly Buffer[],
  rest: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  yield* read;
  yield* rest;
}

function tooLarge(name: string, scan: DocumentScan): string {
  return `${name} is one JSON object of more than ${MAX_DOCUMENT_BYTES >> 20} MB: ${jqHint(scan)}`;
}

function jqHint({ keys }: DocumentScan): string {
  const key = keys[0] === undefined || !/^\w+$/.test(keys[0]) ? 'Records' : keys[0];
  return `choose the records with jq, such as: jq -c '.${key}[]' FILE`;
}

/** Follows the brackets and strings of the first document; its values are not checked. */
class DocumentScan {
  /** It does not begin like a document of records. */
  isOther = false;
  /** The position after the document, once it is complete. */
  end: number | undefined;
  isArray = false;
  recordsStart = -1;
  /** Names of the members that are arrays of objects. */
  readonly keys: string[] = [];
  #depth = 0;
  #position = 0;
  #isInString = false;
  #isEscaped = false;
  /** The last string of the outermost object, which is the name of the member that follows. */
  #text: number[] = [];
  #key = '';
  /** The position of an array whose first element has not been seen. */
  #opened = -1;

  get hasRecords(): boolean {
    return this.recordsStart >= 0 || (this.end ?? 0) > MAX_LINE_OBJECT_BYTES;
  }

  get hasSeveralArrays(): boolean {
    return this.recordsStart < 0 || this.keys.length > 1;
  }

  feed(chunk: Buffer, start: number): void {
    this.#position = start;
    for (
      let i = 0;
      i < chunk.length && this.end === undefined && !this.isOther;
      i++, this.#position++
    )
      this.#byte(chunk[i] as number);
  }

  #byte(byte: number): void {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isInString = false;
      else if (this.#depth === 1 && this.#text.length < 100) this.#text.push(byte);
      return;
    }
    if (isBlank(byte) || (this.#depth === 0 && BYTE_ORDER_MARK[this.#position] === byte)) return;
    this.#first(byte);
    if (byte === QUOTE) {
      this.#isInString = true;
      this.#text = [];
    } else if (byte === COLON && this.#depth === 1) this.#key = Buffer.from(this.#text).toString();
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (byte === OPEN_ARRAY && this.#depth === (this.isArray ? 0 : 1))
        this.#opened = this.#position;
      this.#depth++;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      this.#depth--;
      if (this.#depth === 0) this.end = this.#position + 1;
    }
  }

  /**
   * The first byte of the document decides what it can be, that of an array whether it has records.
   */
  #first(byte: number): void {
    if (this.#depth === 0) {
      this.isArray = byte === OPEN_ARRAY;
      this.isOther = !this.isArray && byte !== OPEN_OBJECT;
    } else if (this.#opened >= 0) {
      if (byte === OPEN_OBJECT || (this.isArray && byte === QUOTE)) {
        if (this.recordsStart < 0) this.recordsStart = this.#opened;
        if (!this.isArray) this.keys.push(this.#key);
      }
      this.#opened = -1;
    }
  }
}

/** Elements of the array that begins at `start`, one per line; strings without their quotes. */
async function* split(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
  start: number,
): AsyncGenerator<Buffer> {
  let position = 0;
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let isEnded = false;
  for await (const chunk of chunks) {
    const output = Buffer.allocUnsafeSlow(chunk.length);
    let length = 0;
    for (let i = Math.max(0, start - position); i < chunk.length && !isEnded; i++) {
      const byte = chunk[i] as number;
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInString = false;
        if (isInString || depth > 1) output[length++] = byte;
        continue;
      }
      if (byte === QUOTE) isInString = true;
      const isInElement = depth > 1;
      if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--;
      isEnded = depth === 0;
      // A line break in an element is white space between its tokens.
      if (isInElement || depth > 1) output[length++] = byte === LF || byte === CR ? SPACE : byte;
      else if (byte === COMMA || isEnded) output[length++] = LF;
      else if (byte !== OPEN_ARRAY && byte !== QUOTE && !isBlank(byte)) output[length++] = byte;
    }
    position += chunk.length;
    if (length > 0) yield output.subarray(0, length);
  }
}
