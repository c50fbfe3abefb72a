/**
 * `wh dataset export`: writes the dataset in a format that databases, firewalls and proxies read.
 */
import { basename } from 'node:path';
import type { Dataset } from '@whence/dataset/dataset';
import {
  FILTER_OPTIONS,
  type Filter,
  type FilterOptions,
  filterValuesOf,
  parseFilter,
} from '../../export/filter.ts';
import { writeCsv, writeNdjson } from '../../export/line-formats.ts';
import { type CompatibleType, parseCompatible } from '../../export/mmdb/compatible.ts';
import { writeMmdb } from '../../export/mmdb/mmdb.ts';
import { writeIpset, writeNftables } from '../../export/nftables.ts';
import { creditedMeta, noticeText } from '../../export/notice.ts';
import {
  type Format,
  type FormatOptions,
  isMap,
  type MappedValue,
  parseMappedValue,
  parseName,
  rejectInapplicableOptions,
} from '../../export/options.ts';
import { writeHaproxyMap, writeNginxGeo } from '../../export/proxy-maps.ts';
import type { Selection } from '../../export/rows.ts';
import { type ExitCode, UsageError } from '../../terminal/exit.ts';
import { noteFlags } from '../../terminal/flag-note.ts';
import { type CommandStreams, dataSink, type Sink } from '../../terminal/output.ts';
import { jsonLine, printable } from '../../terminal/printable.ts';
import { ProgressBar } from '../../terminal/progress-bar.ts';
import { staged } from '../../terminal/staged-files.ts';
import { countOf, formatMegabytes } from '../../terminal/table.ts';
import type { DataSettings } from '../embedded-data.ts';
import { currentEntry, openOverridden } from '../local-dataset.ts';
import { openRpkiSource, type RpkiConfig } from '../rpki-source.ts';
import { findVersion } from './find-version.ts';

type ExportOptions = FilterOptions &
  FormatOptions & {
    readonly format: Format;
    readonly output?: string;
    readonly datasetVersion?: number;
    readonly json?: boolean;
  };

/** What options add to a file, besides the networks. */
type FileText = {
  readonly name: string;
  readonly table: string;
  readonly value: MappedValue;
  readonly compatible: CompatibleType | undefined;
  /** The command that wrote the file, for a comment in it. */
  readonly command: string;
};

/** Each returns the number of rows written. */
const WRITERS: Readonly<
  Record<Format, (selection: Selection, sink: Sink, text: FileText) => Promise<number>>
> = {
  mmdb: writeMmdb,
  csv: writeCsv,
  ndjson: writeNdjson,
  nftables: (selection, sink, text) => writeNftables(selection, sink, text, text.command),
  ipset: (selection, sink, { name, command }) => writeIpset(selection, sink, name, command),
  haproxy: (selection, sink, { value, command }) =>
    writeHaproxyMap(selection, sink, value, command),
  'nginx-geo': (selection, sink, { name, value, command }) =>
    writeNginxGeo(selection, sink, name, value, command),
};

export async function exportCommand(
  config: RpkiConfig & DataSettings,
  options: ExportOptions,
  streams: CommandStreams,
): Promise<ExitCode> {
  const { stdout, stderr } = streams;
  const { format, output, json } = options;
  if (output === undefined) checkStandardOutput(format, json === true);
  rejectInapplicableOptions(format, options);
  const { dataDir } = config;
  const entry =
    options.datasetVersion === undefined
      ? currentEntry(dataDir)
      : findVersion(dataDir, options.datasetVersion);
  const dataset = await openOverridden(config, entry);
  const sources = await openSources(config, options.include);
  const filter = parseFilter(options, filterValuesOf(dataset));
  const text = fileText(options, filter);
  if (filter.isEmpty && matchesAny(format, text.value))
    throw new UsageError(
      `${format} needs a filter (${FILTER_OPTIONS})${isMap(format) ? ' or --value' : ''}: without one it would match every address`,
    );
  // No bar when the rows go to the same terminal.
  const bar = new ProgressBar(
    output === undefined && stdout.isTTY === true ? { write: () => true } : stderr,
  );
  const selection = {
    dataset,
    ...sources,
    matches: filter.matches,
    onProgress: bar.show.bind(bar),
  };
  try {
    const written =
      output === undefined
        ? { rows: await WRITERS[format](selection, dataSink(stdout), text), bytes: 0 }
        : await writeFiles(selection, text, format, output);
    bar.finish();
    if (written.rows === 0) {
      const { field } = text.value;
      // What is not known is in no row of a map.
      const known = isMap(format) && field !== undefined ? ` with a known ${field}` : '';
      const matching = filter.isEmpty ? '' : ` matches ${printable(filter.text)}`;
      stderr.write(`no network${known}${matching}; nothing was written\n`);
      return 1;
    }
    // A set or a map has only what its filter and its value ask for.
    const fields =
      isSet(format) || isMap(format) ? [...filter.fields, text.value.field ?? ''] : undefined;
    noteFlags(streams, { dataset, fields });
    if (output !== undefined)
      stdout.write(formatSummary({ format, ...written, path: output }, dataset, json === true));
    return 0;
  } finally {
    bar.finish();
  }
}

/** Data for the sections. Routing works without ROA payloads too. */
async function openSources(
  config: RpkiConfig,
  include: ExportOptions['include'] = new Set(),
): Promise<Pick<Selection, 'sections' | 'vrps' | 'vrpsAsOf'>> {
  const rpki = include.has('routing') ? await openRpkiSource(config) : undefined;
  return { sections: include, vrps: rpki?.table, vrpsAsOf: rpki?.asOf };
}

const isSet = (format: Format) => format === 'nftables' || format === 'ipset';

/** True if the file would have the same meaning for every announced address. */
function matchesAny(format: Format, value: MappedValue): boolean {
  return isSet(format) || (isMap(format) && value.field === undefined);
}

function fileText(
  { format, name, table, value, compatible, include }: ExportOptions,
  filter: Filter,
): FileText {
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
    compatible: compatibleType(compatible, include),
    command: printable(
      ['wh dataset export --format', format, ...given].filter((text) => text !== '').join(' '),
    ),
  };
}

function compatibleType(option: ExportOptions['compatible'], include: ExportOptions['include']) {
  const type = parseCompatible(option);
  const [foreign] = include ?? [];
  if (type !== undefined && foreign !== undefined)
    throw new UsageError(
      `--include ${foreign} and --compatible cannot be combined: MaxMind's databases have no such fields`,
    );
  return type;
}

function checkStandardOutput(format: Format, json: boolean): void {
  if (format === 'mmdb') throw new UsageError('mmdb needs --output FILE: it is a binary format');
  if (json)
    throw new UsageError('--json needs --output: without it the rows go to standard output');
}

/**
 * Writes the export and its NOTICE. The data file is renamed last, so it never exists without its
 * credits.
 */
function writeFiles(
  selection: Selection,
  text: FileText,
  format: Format,
  path: string,
): Promise<{ rows: number; bytes: number }> {
  return staged(async (files) => {
    await files.create(`${path}.NOTICE`).write(noticeText(creditedMeta(selection), basename(path)));
    const data = files.create(path);
    const rows = await WRITERS[format](selection, data, text);
    if (rows === 0) files.discard();
    return { rows, bytes: data.bytes };
  });
}

type Written = { format: Format; rows: number; bytes: number; path: string };

function formatSummary(
  { format, rows, bytes, path }: Written,
  { meta: { version } }: Dataset,
  json: boolean,
): string {
  if (json) return jsonLine({ format, rows, bytes, path, version });
  return `${printable(path)}: ${countOf(rows, 'row')} of version ${version}, ${formatMegabytes(bytes)}\n`;
}
