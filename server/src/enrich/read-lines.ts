/**
 * Text that is searched for addresses: the lines of files or of standard input, as bytes, in
 * bounded memory.
 */
import type { CommandStreams } from '../terminal/output.ts';
import { openInput } from './input.ts';
import { MAX_RECORD_BYTES } from './record-stream.ts';

type LineListener = (bytes: Buffer, start: number, end: number) => void;

const LINE_BREAK = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export async function readLines(
  file: string,
  stdin: CommandStreams['stdin'],
  onLine: LineListener,
): Promise<void> {
  const input = await openInput(file, stdin);
  /**
   * The parts of a line that has not ended. A line above MAX_RECORD_BYTES is passed on in several.
   */
  let parts: Buffer[] = [];
  let partBytes = 0;
  const endLine = () => {
    const line = Buffer.concat(parts);
    parts = [];
    partBytes = 0;
    onLine(line, 0, contentEnd(line, 0, line.length));
  };
  try {
    for await (const chunk of input.chunks) {
      let start = 0;
      for (let at = chunk.indexOf(LINE_BREAK); at >= 0; at = chunk.indexOf(LINE_BREAK, start)) {
        if (parts.length === 0) onLine(chunk, start, contentEnd(chunk, start, at));
        else {
          parts.push(chunk.subarray(0, at));
          endLine();
        }
        start = at + 1;
      }
      if (start < chunk.length) {
        parts.push(Buffer.from(chunk.subarray(start)));
        partBytes += chunk.length - start;
        if (partBytes > MAX_RECORD_BYTES) endLine();
      }
    }
    if (parts.length > 0) endLine();
  } finally {
    input.close();
  }
}

const contentEnd = (bytes: Buffer, start: number, end: number) =>
  end > start && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
