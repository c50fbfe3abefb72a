/**
 * Opens a file or standard input for any command that reads text: gunzips it and makes lines of one
 * JSON document.
 */
import { closeSync, createReadStream, fstatSync, openSync } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip } from 'node:zlib';
import { InputError } from '../terminal/exit.ts';
import type { CommandStreams } from '../terminal/output.ts';
import { jsonRecords } from './json-records.ts';

export type Input = {
  /** The first bytes, enough to detect the format; `chunks` includes them. */
  readonly head: Buffer;
  readonly chunks: AsyncIterable<Buffer>;
  /** Undefined if unknown, as for a pipe. */
  readonly totalBytes: number | undefined;
  /** Bytes of the file as stored: for gzip, compressed bytes. */
  bytesRead(): number;
  /** Must be called: an open pipe keeps the process alive. */
  close(): void;
};

const CHUNK_BYTES = 1 << 18;
/** Format detection gives up after this many bytes of white space. */
const MAX_BLANK_BYTES = 1 << 16;

const GZIP = Buffer.from([0x1f, 0x8b]);
const FROM_UTF16 = { name: 'UTF-16 text', advice: 'convert it first: iconv -f UTF-16 -t UTF-8' };
const UNSUPPORTED = [
  {
    magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
    name: 'zstd data',
    advice: 'decompress it first: zstd -dc',
  },
  {
    magic: Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]),
    name: 'xz data',
    advice: 'decompress it first: xz -dc',
  },
  // Byte order marks, which PowerShell writes before what it redirects to a file.
  { magic: Buffer.from([0xff, 0xfe]), ...FROM_UTF16 },
  { magic: Buffer.from([0xfe, 0xff]), ...FROM_UTF16 },
] as const;
const MAX_MAGIC_BYTES = 6;

export const STANDARD_INPUT = '-';
const inputName = (file: string) => (file === STANDARD_INPUT ? 'standard input' : file);

/** `file` may be STANDARD_INPUT. */
export async function openInput(file: string, stdin: () => Readable): Promise<Input> {
  const { stream, totalBytes }: OpenedInput =
    file === STANDARD_INPUT ? { stream: stdin() } : openFile(file);
  const name = inputName(file);
  let bytesRead = 0;
  const count = (bytes: number) => {
    bytesRead += bytes;
  };
  try {
    const raw = await peek(counted(stream, name, count), hasMagic);
    const unsupported = UNSUPPORTED.find(({ magic }) => startsWith(raw.head, magic));
    if (unsupported !== undefined)
      throw new InputError(`${name} is ${unsupported.name}; ${unsupported.advice}`);
    const isGzip = startsWith(raw.head, GZIP);
    const json = jsonRecords(isGzip ? gunzip(raw.chunks, name) : raw.chunks, name);
    const text = await peek(json, hasText);
    if (text.head.length === 0) throw new InputError(`${name} is empty`);
    return { ...text, totalBytes, bytesRead: () => bytesRead, close: () => stream.destroy() };
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

/** Lines of a text, each without its end and cut to `maxCharacters`, in groups as they are read. */
export async function* textLines(
  file: string,
  stdin: () => Readable,
  maxCharacters: number,
): AsyncGenerator<string[]> {
  const input = await openInput(file, stdin);
  const decoder = new StringDecoder('utf8');
  let rest = '';
  try {
    for await (const chunk of input.chunks) {
      const lines = (rest + decoder.write(chunk)).split('\n');
      // A line without an end does not grow: what follows is cut off again with the next chunk.
      rest = (lines.pop() ?? '').slice(0, maxCharacters);
      yield lines.map((line) => line.slice(0, maxCharacters));
    }
    yield [rest + decoder.end()];
  } finally {
    input.close();
  }
}

/** A command that waits for input on a terminal would look as if it did nothing. */
export function noteWaiting(
  file: string,
  { stdin, stderr }: Pick<CommandStreams, 'stdin' | 'stderr'>,
  what: string,
): void {
  if (file === STANDARD_INPUT && stdin().isTTY === true)
    stderr.write(`reading ${what} from the terminal; end with Ctrl-D, or give a file\n`);
}

type OpenedInput = { readonly stream: Readable; readonly totalBytes?: number };

function openFile(file: string): OpenedInput {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const stats = fstatSync(descriptor);
    if (stats.isDirectory()) throw new InputError(`${file} is a directory; name a file`);
    const stream = createReadStream(file, { fd: descriptor, highWaterMark: CHUNK_BYTES });
    return { stream, ...(stats.isFile() && { totalBytes: stats.size }) };
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor);
    if (error instanceof InputError) throw error;
    throw new InputError(`cannot read ${file}: ${(error as Error).message}`);
  }
}

async function* counted(
  stream: Readable,
  name: string,
  count: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) {
      count(chunk.length);
      yield chunk;
    }
  } catch (error) {
    throw new InputError(`cannot read ${name}: ${(error as Error).message}`);
  }
}

async function* gunzip(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  const decompressed = createGunzip({ chunkSize: CHUNK_BYTES });
  // Errors surface where `decompressed` is read; pipeline only requires a callback.
  pipeline(Readable.from(chunks, { objectMode: false }), decompressed, () => {});
  try {
    yield* decompressed;
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`corrupt gzip data in ${name}: ${(error as Error).message}`);
  }
}

/** Reads until `isEnough`; the returned chunks start with what was read. */
async function peek(
  chunks: AsyncIterable<Buffer>,
  isEnough: (head: Buffer) => boolean,
): Promise<{ head: Buffer; chunks: AsyncIterable<Buffer> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (!isEnough(head)) {
    const next = await iterator.next();
    if (next.done === true) break;
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  const rest: AsyncIterable<Buffer> = { [Symbol.asyncIterator]: () => iterator };
  return { head, chunks: withHead(head, rest) };
}

async function* withHead(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head;
  yield* rest;
}

/** One byte is enough if no magic starts with it: interactive input must not wait for the sixth. */
function hasMagic(head: Buffer): boolean {
  const magics = [GZIP, ...UNSUPPORTED.map(({ magic }) => magic)];
  return (
    head.length >= MAX_MAGIC_BYTES ||
    (head.length > 0 && magics.every((magic) => magic[0] !== head[0]))
  );
}

function hasText(head: Buffer): boolean {
  return (
    head.length > MAX_BLANK_BYTES || /\S/.test(head.toString('latin1').replace(/^\xef\xbb\xbf/, ''))
  );
}

function startsWith(head: Buffer, magic: Buffer): boolean {
  return head.length >= magic.length && magic.equals(head.subarray(0, magic.length));
}
