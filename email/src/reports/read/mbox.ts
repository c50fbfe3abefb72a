/** Messages of an mbox file of any size (RFC 4155), one in memory at a time. */
import { MAX_PACKED_BYTES } from './unpack.ts';

const LINE_FEED = 0x0a;
const FROM = Buffer.from('From ');
/** `>From ` in a body was `From `. */
const QUOTED = Buffer.from('>From ');

/** Undefined for a message that is too large, which is skipped. */
export async function* splitMbox(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
): AsyncGenerator<Buffer | undefined> {
  let lines: Buffer[] = [];
  let size = 0;
  let hasMessage = false;
  let isAfterBlank = true;
  const take = () => {
    const message = size > MAX_PACKED_BYTES ? undefined : Buffer.concat(lines);
    lines = [];
    size = 0;
    return message;
  };
  for await (const line of linesOf(chunks)) {
    const isFrom = line.subarray(0, FROM.length).equals(FROM);
    if (isFrom && (isAfterBlank || isDated(line))) {
      if (hasMessage) yield take();
      hasMessage = true;
    } else {
      size += line.length;
      if (size <= MAX_PACKED_BYTES) lines.push(unquoted(line));
      else lines = [];
    }
    isAfterBlank = line.length <= 2 && /^\r?\n$/.test(line.toString('latin1'));
  }
  if (hasMessage) yield take();
}

/** `From a@example.com Tue Nov 18 06:00:00 2025`: some programs write no blank line before it. */
const isDated = (line: Buffer) =>
  /^From \S+ +\w{3} \w{3} [\d ]?\d \d\d:\d\d/.test(line.toString('latin1', 0, 200));

/** mboxrd: as many signs more than the line had. */
function unquoted(line: Buffer): Buffer {
  return line[0] === QUOTED[0] && /^>+From /.test(line.toString('latin1', 0, 80))
    ? line.subarray(1)
    : line;
}

/** With their ends. A line without an end is divided where a message would be too large. */
async function* linesOf(chunks: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      const line = chunk.subarray(start, end + 1);
      yield rest.length === 0 ? line : Buffer.concat([...rest, line]);
      rest = [];
      restBytes = 0;
      start = end + 1;
    }
    if (start === chunk.length) continue;
    // A copy: the reader of a file may use its buffer again.
    rest.push(Buffer.from(chunk.subarray(start)));
    restBytes += chunk.length - start;
    if (restBytes > MAX_PACKED_BYTES) {
      yield Buffer.concat(rest);
      rest = [];
      restBytes = 0;
    }
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}
