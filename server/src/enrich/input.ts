/** Where the lines come from: a file or standard input, gzip taken off where its first bytes say so. */
import { closeSync, createReadStream, fstatSync, openSync } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { UsageError } from '../terminal.ts';

export type Input = {
  /** The first bytes, enough to tell what they are; they come again in `chunks`. */
  readonly head: Buffer;
  readonly chunks: AsyncIterable<Buffer>;
  /** Undefined where nobody knows, as in a pipe. */
  readonly totalBytes: number | undefined;
  /** Of the file as it lies on disk, so gzip counts as it is. */
  bytesRead(): number;
  /** To be called in the end: an open pipe would keep the process alive. */
  close(): void;
};

/** Thrown when the input breaks off. The message is for the person at the terminal. */
export class InputError extends Error {
  override name = 'InputError';
}

const CHUNK_BYTES = 1 << 18;
/** So much of nothing but blanks, and the rest need not be waited for. */
const MAX_BLANK_BYTES = 1 << 16;

const GZIP = Buffer.from([0x1f, 0x8b]);
const REFUSED = [
  { name: 'zstd', magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), command: 'zstd -dc' },
  { name: 'xz', magic: Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]), command: 'xz -dc' },
] as const;
const MAX_MAGIC_BYTES = 6;

export async function openInput(file: string | undefined, stdin: () => Readable): Promise<Input> {
  const { stream, totalBytes } = file === undefined ? { stream: stdin(), totalBytes: undefined } : openFile(file);
  const name = file ?? 'standard input';
  let bytesRead = 0;
  const count = (bytes: number) => {
    bytesRead += bytes;
  };
  try {
    const raw = await peek(counted(stream, name, count), isMagicKnown);
    const refused = REFUSED.find(({ magic }) => startsWith(raw.head, magic));
    if (refused !== undefined)
      throw new UsageError(`${name} is ${refused.name} data; unpack it first: ${refused.command} … | whence enrich`);
    const text = await peek(startsWith(raw.head, GZIP) ? gunzip(raw.chunks, name) : raw.chunks, isTextSeen);
    return { ...text, totalBytes, bytesRead: () => bytesRead, close: () => stream.destroy() };
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

function openFile(file: string): { stream: Readable; totalBytes: number | undefined } {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const stats = fstatSync(descriptor);
    if (stats.isDirectory()) throw new UsageError(`${file} is a directory`);
    const stream = createReadStream(file, { fd: descriptor, highWaterMark: CHUNK_BYTES });
    return { stream, totalBytes: stats.isFile() ? stats.size : undefined };
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor);
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot read ${file}: ${(error as Error).message}`);
  }
}

async function* counted(stream: Readable, name: string, count: (bytes: number) => void): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) {
      count(chunk.length);
      yield chunk;
    }
  } catch (error) {
    throw new InputError(`${name} cannot be read on: ${(error as Error).message}`);
  }
}

async function* gunzip(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  const unpacked = createGunzip({ chunkSize: CHUNK_BYTES });
  // The error arrives where `unpacked` is read; the callback is there because pipeline wants one.
  pipeline(Readable.from(chunks, { objectMode: false }), unpacked, () => {});
  try {
    yield* unpacked;
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${name} is damaged gzip data: ${(error as Error).message}`);
  }
}

/** Reads until there is enough to judge by, and gives what was read back in front of the rest. */
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

/** Text is known from its first byte, so that a line typed by hand is not waited on for a sixth. */
function isMagicKnown(head: Buffer): boolean {
  const magics = [GZIP, ...REFUSED.map(({ magic }) => magic)];
  return head.length >= MAX_MAGIC_BYTES || (head.length > 0 && magics.every((magic) => magic[0] !== head[0]));
}

function isTextSeen(head: Buffer): boolean {
  return head.length > MAX_BLANK_BYTES || /\S/.test(head.toString('latin1').replace(/^\xef\xbb\xbf/, ''));
}

function startsWith(head: Buffer, magic: Buffer): boolean {
  return head.length >= magic.length && magic.equals(head.subarray(0, magic.length));
}
