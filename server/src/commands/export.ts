/** `whence dataset export`: the dataset in the format of another engine, to join it with data there. */
import { basename, join } from 'node:path';
import type { Dataset } from '@whence/dataset/read';
import { clickhouseSql, writeClickhouseCsv } from '../export/clickhouse.ts';
import { writeCsv } from '../export/csv.ts';
import { countriesOf } from '../export/fields.ts';
import { type Filter, type FilterOptions, parseFilter } from '../export/filter.ts';
import type { Format } from '../export/formats.ts';
import { writeMmdb } from '../export/mmdb.ts';
import { writeNdjson } from '../export/ndjson.ts';
import { writeNftables } from '../export/nftables.ts';
import { noticeText } from '../export/notice.ts';
import { writeParquet } from '../export/parquet.ts';
import type { Selection } from '../export/rows.ts';
import { type ExitCode, UsageError } from '../terminal/exit.ts';
import type { Output } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';
import { ProgressBar } from '../terminal/progress-bar.ts';
import type { Sink } from '../terminal/sink.ts';
import { staged } from '../terminal/staged-files.ts';
import { StreamSink } from '../terminal/stream-sink.ts';
import { formatCount, formatMegabytes } from '../terminal/table.ts';
import { openLocalDataset } from './local-dataset.ts';

export type ExportOptions = FilterOptions & {
  format: Format;
  output?: string;
  datasetVersion?: number;
  json?: boolean;
};

/** Each returns the number of rows written. */
const WRITERS: Readonly<Record<Format, (selection: Selection, sink: Sink, filter: Filter) => Promise<number>>> = {
  mmdb: writeMmdb,
  csv: (selection, sink) => writeCsv(selection, sink),
  parquet: writeParquet,
  ndjson: writeNdjson,
  nftables: (selection, sink, filter) => writeNftables(selection, sink, filter.text),
  clickhouse: writeClickhouseCsv,
};

export async function exportCommand(
  dataDir: string,
  options: ExportOptions,
  stdout: Output,
  stderr: Output,
): Promise<ExitCode> {
  const { format, output, json } = options;
  if (output === undefined) checkStandardOutput(format, json === true);
  const dataset = openLocalDataset(dataDir, options.datasetVersion);
  const filter = parseFilter(options, countriesOf(dataset));
  if (format === 'nftables' && filter.isEmpty)
    throw new UsageError(
      'nftables needs a filter (--flag, --country, --asn, --min-score): without one the sets would match every address',
    );
  // No bar when the rows go to the same terminal.
  const bar = new ProgressBar(output === undefined && stdout.isTTY === true ? { write: () => true } : stderr);
  const selection = { dataset, matches: filter.matches, onProgress: bar.show.bind(bar) };
  try {
    const written =
      output === undefined
        ? { rows: await WRITERS[format](selection, new StreamSink(stdout), filter), bytes: 0 }
        : await writeFiles(selection, filter, format, output);
    bar.finish();
    if (written.rows === 0) {
      const reason = filter.isEmpty ? 'the dataset is empty' : `no network matches ${printable(filter.text)}`;
      stderr.write(`${reason}; nothing was written\n`);
      return 1;
    }
    if (output !== undefined) stdout.write(formatSummary({ format, ...written, path: output }, dataset, json === true));
    return 0;
  } finally {
    bar.finish();
  }
}

function checkStandardOutput(format: Format, json: boolean): void {
  if (format === 'clickhouse') throw new UsageError('clickhouse needs --output FOLDER: it writes several files');
  if (format === 'mmdb' || format === 'parquet')
    throw new UsageError(`${format} needs --output FILE: it is a binary format`);
  if (json) throw new UsageError('--json needs --output: without it the rows go to standard output');
}

/** Writes the export and its NOTICE. The data file is renamed last, so it never exists without its credits. */
function writeFiles(
  selection: Selection,
  filter: Filter,
  format: Format,
  output: string,
): Promise<{ rows: number; bytes: number }> {
  const { meta } = selection.dataset;
  return staged(async (files) => {
    if (format === 'clickhouse') files.makeDirectory(output);
    const path = format === 'clickhouse' ? join(output, CLICKHOUSE_CSV) : output;
    const notice = files.create(`${path}.NOTICE`);
    if (format === 'clickhouse')
      await files.create(join(output, 'whence.sql')).write(clickhouseSql(meta, CLICKHOUSE_CSV));
    await notice.write(noticeText(meta, basename(path)));
    const data = files.create(path);
    const rows = await WRITERS[format](selection, data, filter);
    if (rows === 0) files.discard();
    return { rows, bytes: data.bytes };
  });
}

const CLICKHOUSE_CSV = 'whence.csv';

type Written = { format: Format; rows: number; bytes: number; path: string };

function formatSummary({ format, rows, bytes, path }: Written, { meta: { version } }: Dataset, json: boolean): string {
  if (json) return `${JSON.stringify({ format, rows, bytes, path, version })}\n`;
  return `${printable(path)}: ${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'} of version ${version}, ${formatMegabytes(bytes)}\n`;
}
