/** `whence enrich [FILE]`: what is known of the addresses in a log, added to its lines as they pass. */
import type { Readable } from 'node:stream';
import type { Dataset } from '@whence/dataset/read';
import { type Counts, newCounts } from '../enrich/counts.ts';
import { CsvWriter } from '../enrich/csv.ts';
import { rowEnd } from '../enrich/csv-row.ts';
import { type Enrichment, enrich } from '../enrich/enrich.ts';
import { ADDRESS_NAMES } from '../enrich/field-paths.ts';
import { CSV_DEFAULT, CSV_FULL, type Field, JSON_DEFAULT, parseFields } from '../enrich/fields.ts';
import {
  askedFormat,
  delimiterOf,
  type Format,
  type FormatOptions,
  formatOf,
  refuseForeignOptions,
} from '../enrich/format.ts';
import { type Input, InputError, openInput } from '../enrich/input.ts';
import { csvInsertion, jsonInsertion } from '../enrich/insertion.ts';
import { linesWriter } from '../enrich/lines.ts';
import { Lookup } from '../enrich/lookup.ts';
import { ndjsonWriter } from '../enrich/ndjson.ts';
import { lineEnd } from '../enrich/record-stream.ts';
import { formatSummary, Progress } from '../enrich/summary.ts';
import type { Sink } from '../output/sink.ts';
import { staged } from '../output/staged-files.ts';
import { StreamSink } from '../output/stream-sink.ts';
import { type ExitCode, type Output, UsageError } from '../terminal.ts';
import { openLocalDataset } from './local-dataset.ts';

export type EnrichOptions = FormatOptions & {
  readonly fields?: string;
  readonly full?: boolean;
  readonly output?: string;
  readonly json?: boolean;
};

export type EnrichStreams = { readonly stdin: () => Readable; readonly stdout: Output; readonly stderr: Output };

const DEFAULT_MEMBER = 'whence';

export async function enrichCommand(
  dataDir: string,
  fileArgument: string | undefined,
  options: EnrichOptions,
  now: () => Date,
  { stdin, stdout, stderr }: EnrichStreams,
): Promise<ExitCode> {
  const file = fileArgument === '-' ? undefined : fileArgument;
  const asked = askedFormat(options, file);
  if (asked !== undefined) refuseForeignOptions(options, asked);
  const fields = chosenFields(options);
  const dataset = openLocalDataset(dataDir);
  let input: Input | undefined;
  try {
    input = await openInput(file, stdin);
    const format = asked ?? formatOf(input.head);
    refuseForeignOptions(options, format);
    const counts = newCounts();
    const enrichment = enrichmentOf(dataset, format, file, options, fields, counts);
    return await enrichInput(input, enrichment, options, now, stdout, stderr);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    stderr.write(
      `error: ${error.message}${options.output === undefined ? '' : `; ${options.output} was not written`}\n`,
    );
    return 1;
  } finally {
    input?.close();
  }
}

async function enrichInput(
  input: Input,
  enrichment: Enrichment,
  { output, json }: EnrichOptions,
  now: () => Date,
  stdout: Output,
  stderr: Output,
): Promise<ExitCode> {
  const { counts } = enrichment;
  const startedMs = now().getTime();
  const elapsedMs = () => now().getTime() - startedMs;
  const progress = new Progress(stderr, counts, elapsedMs);
  // A bar between the lines of a terminal that shows both would spoil both.
  const isShown = stderr.isTTY === true && (stdout.isTTY !== true || output !== undefined);
  const enrichInto = (sink: Sink) =>
    enrich(input, enrichment, sink, () => {
      if (isShown) progress.show(input);
    });
  try {
    if (output === undefined) await enrichInto(new StreamSink(stdout));
    else await staged((files) => enrichInto(files.create(output)));
  } finally {
    progress.finish();
  }
  stderr.write(formatSummary(counts, input.bytesRead(), elapsedMs(), json === true));
  return counts.addresses === 0 ? 1 : 0;
}

function chosenFields({ fields, full }: EnrichOptions): readonly Field[] | 'default' | 'full' {
  if (fields !== undefined && full === true) throw new UsageError('--fields and --full exclude each other');
  return fields !== undefined ? parseFields(fields) : full === true ? 'full' : 'default';
}

function enrichmentOf(
  dataset: Dataset,
  format: Format,
  file: string | undefined,
  options: EnrichOptions,
  chosen: ReturnType<typeof chosenFields>,
  counts: Counts,
): Enrichment {
  if (format === 'csv') {
    const delimiter = delimiterOf(options.delimiter, file);
    const fields = chosen === 'default' ? CSV_DEFAULT : chosen === 'full' ? CSV_FULL : chosen;
    const writer = new CsvWriter(new Lookup(dataset, csvInsertion(dataset, fields, delimiter), counts), {
      column: options.column,
      delimiter,
      hasHeader: options.header !== false,
      fields,
      prefix: options.as,
    });
    const findEnd = rowEnd(delimiter.charCodeAt(0));
    return { findEnd, write: (...row) => writer.write(...row), counts };
  }
  const fields = chosen === 'default' ? JSON_DEFAULT : chosen === 'full' ? undefined : chosen;
  const lookup = new Lookup(dataset, jsonInsertion(dataset, fields), counts);
  const isAll = options.all === true;
  if (format === 'lines') return { findEnd: lineEnd, write: linesWriter(lookup, isAll), counts };
  const write = ndjsonWriter(lookup, {
    paths: options.field ?? ADDRESS_NAMES,
    memberName: options.as ?? DEFAULT_MEMBER,
    isAll,
  });
  return { findEnd: lineEnd, write, counts };
}
