/** Rows as a file to download: CSV (RFC 4180) or NDJSON. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { csvCell } from '../../csv-cell.ts';
import { ApiError } from '../../http/errors.ts';
import type { CostQueue, Requester } from '../../limits/cost-classes.ts';
import type { ExportFormat } from '../../vocabulary.ts';

export type FileRow = Readonly<Record<string, string | number>>;

type File = {
  readonly name: string;
  readonly format: ExportFormat;
  readonly columns: readonly string[];
};

/** Pages are read as fast as the client reads the file, so memory does not depend on its size. */
export async function sendFile<Row>(
  { reply, requester }: { readonly reply: FastifyReply; readonly requester: Requester },
  exports: CostQueue,
  { name, format, columns }: File,
  pages: AsyncIterable<Row[]>,
  fileRows: (page: Row[]) => FileRow[] | Promise<FileRow[]>,
): Promise<FastifyReply> {
  const line = format === 'csv' ? csvLine(columns) : (row: FileRow) => `${JSON.stringify(row)}\n`;
  const texts = (async function* () {
    for await (const page of pages) yield (await fileRows(page)).map(line).join('');
  })();
  const head = format === 'csv' ? csvHead(columns) : '';
  const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8';
  let bytesRead = 0;
  const sent = async function* (first: string) {
    yield head + first;
    yield* texts;
  };
  const counted = async function* (first: string) {
    for await (const text of sent(first)) {
      bytesRead += text.length;
      // A stream of bytes ends with an empty chunk.
      if (text !== '') yield text;
    }
  };
  const stream = await exports.run(
    requester,
    async (slot) => {
      // Before the header is sent, so that a failure of storage is answered as one.
      const first = await texts.next();
      slot.signal.throwIfAborted();
      const rows = Readable.from(counted(first.value ?? ''), {
        objectMode: false,
        highWaterMark: 1,
      });
      exports.holdWhileRead(rows, () => bytesRead, slot);
      return rows;
    },
    () => {
      throw new ApiError('QUEUE_FULL');
    },
  );
  return reply
    .header('Content-Type', type)
    .header('Content-Disposition', `attachment; filename="${name}.${format}"`)
    .send(stream);
}

const csvHead = (columns: readonly string[]) =>
  `${columns.map((column) => csvCell(column)).join(',')}\r\n`;
const csvLine = (columns: readonly string[]) => (row: FileRow) =>
  `${columns.map((column) => csvCell(row[column] ?? '')).join(',')}\r\n`;
