/**
 * Splits an MRT file (RFC 6396 §2) into messages, which may extend over several chunks of the file:
 *
 *   0  timestamp  4  type  6  subtype  8  length of the message  12  message
 */

export type MrtMessage = {
  readonly seconds: number;
  readonly type: number;
  readonly subtype: number;
  /** Only valid until the next message is read. */
  readonly body: Buffer;
};

/**
 * Returns whether the last message was truncated. Throws if the length of a message shows that this is not an MRT file.
 */
export function* mrtMessages(chunks: Iterable<Buffer>): Generator<MrtMessage, boolean> {
  let held = Buffer.alloc(1 << 16);
  let size = 0;
  for (const chunk of chunks) {
    let at = 0;
    while (size > 0 && at < chunk.length) {
      const wanted = size < HEADER_BYTES ? HEADER_BYTES : messageBytes(held, 0);
      const taken = Math.min(wanted - size, chunk.length - at);
      if (size + taken > held.length) held = Buffer.concat([held.subarray(0, size)], wanted);
      chunk.copy(held, size, at, at + taken);
      size += taken;
      at += taken;
      if (size < HEADER_BYTES || size < messageBytes(held, 0)) continue;
      yield messageAt(held, 0, size);
      size = 0;
    }
    while (chunk.length - at >= HEADER_BYTES) {
      const bytes = messageBytes(chunk, at);
      if (chunk.length - at < bytes) break;
      yield messageAt(chunk, at, bytes);
      at += bytes;
    }
    if (at === chunk.length) continue;
    const rest = chunk.subarray(at);
    if (rest.length > held.length) held = Buffer.alloc(rest.length);
    rest.copy(held);
    size = rest.length;
  }
  return size > 0;
}

const HEADER_BYTES = 12;

/** The largest real messages, one prefix as seen by hundreds of peers, have a few hundred kilobytes. */
const MAX_MESSAGE_BYTES = 16 << 20;

function messageBytes(buffer: Buffer, at: number): number {
  const length = buffer.readUInt32BE(at + 8);
  if (length > MAX_MESSAGE_BYTES) throw new Error(`not an MRT file: it has a message of ${length} bytes`);
  return HEADER_BYTES + length;
}

function messageAt(buffer: Buffer, at: number, bytes: number): MrtMessage {
  return {
    seconds: buffer.readUInt32BE(at),
    type: buffer.readUInt16BE(at + 4),
    subtype: buffer.readUInt16BE(at + 6),
    body: buffer.subarray(at + HEADER_BYTES, at + bytes),
  };
}
