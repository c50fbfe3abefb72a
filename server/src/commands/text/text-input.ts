/** Text that is searched for addresses: the lines of files or of standard input, as bytes, in bounded memory. */
import { openInput } from '../../enrich/input.ts';
import type { CommandStreams } from '../../terminal/output.ts';

/** Called with each line, without its line break. */
export type LineListener = (bytes: Buffer, start: number, end: number) => void;

const LINE_BREAK = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** A longer line is passed on in parts. */
const MAX_LINE_BYTES = 1_000_000;

/** Resolves when `afterChunk`, which may write, has been called for the last chunk. */
export async function readLines(
  file: string,
  stdin: CommandStreams['stdin'],
  onLine: LineListener,
  afterChunk: () => Promise<void> | void = () => {},
): Promise<void> {
  const input = await openInput(file, stdin);
  try {
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of input.chunks) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let start = 0;
      for (let at = bytes.indexOf(LINE_BREAK); at >= 0; at = bytes.indexOf(LINE_BREAK, start)) {
        onLine(bytes, start, at > start && bytes[at - 1] === CARRIAGE_RETURN ? at - 1 : at);
        start = at + 1;
      }
      if (bytes.length - start > MAX_LINE_BYTES) {
        onLine(bytes, start, bytes.length);
        start = bytes.length;
      }
      rest = Buffer.from(bytes.subarray(start));
      await afterChunk();
    }
    if (rest.length > 0) onLine(rest, 0, rest.length);
    await afterChunk();
  } finally {
    input.close();
  }
}
