/** The requests in a log, which is a file or standard input. */
import { contentOf, type LogEntry, parseLogLine } from '../../access-log/log-entry.ts';
import { readLines } from '../../enrich/read-lines.ts';
import type { CommandStreams } from '../../terminal/output.ts';

/**
 * Calls `onEntry` for each line that is not empty, with undefined if it has no client, and returns
 * how many there are.
 */
export async function readLog(
  file: string,
  stdin: CommandStreams['stdin'],
  onEntry: (entry: LogEntry | undefined) => void,
): Promise<number> {
  let lines = 0;
  await readLines(file, stdin, (bytes, from, to) => {
    const [start, end] = contentOf(bytes, from, to);
    if (start === end) return;
    lines++;
    onEntry(parseLogLine(bytes, start, end));
  });
  return lines;
}
