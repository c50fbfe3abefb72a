/** `whence dataset export`: writes the dataset in a format that databases, firewalls and proxies read. */
import { basename, join } from 'node:path';
import type { Dataset } from '@whence/dataset/read';
import { clickhouseSql, writeClickhouseCsv } from '../../export/clickhouse.ts';
import { FILTER_OPTIONS, type Filter, type FilterOptions, filterValuesOf, parseFilter } from '../../export/filter.ts';
import { writeIpset } from '../../export/ipset.ts';
import { writeCsv, writeNdjson } from '../../export/line-formats.ts';
import { writeMmdb } from '../../export/mmdb/mmdb.ts';
import { writeNftables } from '../../export/nftables.ts';
import { noticeText } from '../../export/notice.ts';
import {
  type Format,
  type FormatOptions,
  isMap,
  type MappedValue,
  parseMappedValue,
  parseName,
  rejectInapplicableOptions,
} from '../../export/options.ts';
import { writeParquet } from '../../export/parquet.ts';
import { writeHaproxyMap, writeNginxGeo } from '../../export/proxy-maps.ts';
import type { Selection } from '../../export/rows.ts';
import { type ExitCode, UsageError } from '../../terminal/exit.ts';
import { type Output, type Sink, StreamSink } from '../../terminal/output.ts';
import { printable } from '../../terminal/printable.ts';
import { ProgressBar } from '../../terminal/progress-bar.ts';
import { staged } from '../../terminal/staged-files.ts';
import { formatCount, formatMegabytes } from '../../terminal/table.ts';
import { openLocalDataset } from '../local-dataset.ts';

type ExportOptions = FilterOptions &
  FormatOptions & {
    readonly format: Format;
    readonly output?: string;
    readonly datasetVersion?: number;
    readonly json?: boolean;
  };

/** What a firewall or proxy file contains besides the networks. */
type FileText = {
  readonly name: string;
  readonly table: string;
  readonly value: MappedValue;
  /** The command that wrote the file, for a comment in it. */
  readonly command: string;
};

/** Each returns the number of rows written. */
const WRITERS: Readonly<Record<Format, (selection: Selection, sink: Sink, text: FileText) => Promise<number>>> = {
  mmdb: writeMmdb,
  csv: (selection, sink) => writeCsv(selection, sink),
  parquet: writeParquet,
  ndjson: writeNdjson,
  clickhouse: writeClickhouseCsv,
  nftables: (selection, sink, text) => writeNftables(selection, sink, text, text.command),
  ipset: (selection, sink, { name, command }) => writeIpset(selection, sink, name, command),
  haproxy: (selection, sink, { value, command }) => writeHaproxyMap(selection, sink, value, command),
  'nginx-geo': (selection, sink, { name, value, command }) => writeNginxGeo(selection, sink, name, value, command),
};

export async function exportCommand(
  dataDir: string,
  options: ExportOptions,
  stdout: Output,
  stderr: Output,
): Promise<ExitCode> {
  const { format, output, json } = options;
  if (output === undefined) checkStandardOutput(format, json === true);
  rejectInapplicableOptions(format, options);
  const dataset = openLocalDataset(dataDir, options.datasetVersion);
  const filter = parseFilter(options, filterValuesOf(dataset));
  const text = fileText(options, filter);
  if (filter.isEmpty && matchesAny(format, text.value))
    throw new UsageError(
      `${format} needs a filter (${FILTER_OPTIONS})${isMap(format) ? ' or --value' : ''}: without one it would match every address`,
    );
  // No bar when the rows go to the same terminal.
  const bar = new ProgressBar(output === undefined && stdout.isTTY === true ? { write: () => true } : stderr);
  const selection = { dataset, matches: filter.matches, onProgress: bar.show.bind(bar) };
  try {
    const written =
      output === undefined
        ? { rows: await WRITERS[format](selection, new StreamSink(stdout), text), bytes: 0 }
        : await writeFiles(selection, text, format, output);
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

const isSet = (format: Format) => format === 'nftables' || format === 'ipset';

/** True if the file would have the same meaning for every announced address. */
function matchesAny(format: Format, value: MappedValue): boolean {
  return isSet(format) || (isMap(format) && value.field === undefined);
}

function fileText({ format, name, table, value }: ExportOptions, filter: Filter): FileText {
  const given = [
    filter.text,
    ...(value === undefined ? [] : [`--value ${value}`]),
    ...(name === undefined ? [] : [`--name ${name}`]),
    ...(table === undefined ? [] : [`--table ${table}`]),
  ];
  return {
    name: parseName('--name', name),
    table: parseName('--table', table),
    value: parseMappedValue(value),
    command: printable(['whence dataset export --format', format, ...given].filter((text) => text !== '').join(' ')),
  };
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
  text: FileText,
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
    const rows = await WRITERS[format](selection, data, text);
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
