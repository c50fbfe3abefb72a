/** `whence enrich [FILE]`: adds network data to the addresses in a log, as a stream. */
import type { Readable } from 'node:stream';
import type { Dataset } from '@whence/dataset/read';
import { AddressLookup } from '../enrich/address-lookup.ts';
import { type Counts, newCounts } from '../enrich/counts.ts';
import { CsvWriter } from '../enrich/csv.ts';
import { rowEndFinder } from '../enrich/csv-row.ts';
import { type Enrichment, enrich } from '../enrich/enrich.ts';
import { ADDRESS_NAMES } from '../enrich/field-paths.ts';
import { CSV_DEFAULT, CSV_FULL, type Field, JSON_DEFAULT, parseFields } from '../enrich/fields.ts';
import {
  detectFormat,
  type Format,
  type FormatOptions,
  parseDelimiter,
  rejectInapplicableOptions,
  requestedFormat,
} from '../enrich/format.ts';
import { type Input, InputError, openInput } from '../enrich/input.ts';
import { csvInsertion, jsonInsertion } from '../enrich/insertion.ts';
import { linesWriter } from '../enrich/lines.ts';
import { ndjsonWriter } from '../enrich/ndjson.ts';
import { findLineEnd } from '../enrich/record-stream.ts';
import { formatSummary, Progress } from '../enrich/summary.ts';
import { type ExitCode, UsageError } from '../terminal/exit.ts';
import type { Output } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';
import type { Sink } from '../terminal/sink.ts';
import { staged } from '../terminal/staged-files.ts';
import { StreamSink } from '../terminal/stream-sink.ts';
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
  const requested = requestedFormat(options, file);
  if (requested !== undefined) rejectInapplicableOptions(options, requested);
  const fields = selectedFields(options);
  const dataset = openLocalDataset(dataDir);
  let input: Input | undefined;
  try {
    input = await openInput(file, stdin);
    const format = requested ?? detectFormat(input.head);
    rejectInapplicableOptions(options, format);
    const counts = newCounts();
    const enrichment = enrichmentOf(dataset, format, file, input.head, options, fields, counts);
    return await enrichInput(input, enrichment, options, now, stdout, stderr);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const consequence = options.output === undefined ? '' : `; ${options.output} was not written`;
    stderr.write(`error: ${printable(error.message + consequence)}\n`);
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
  // No bar when the lines go to the same terminal.
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

function selectedFields({ fields, full }: EnrichOptions): readonly Field[] | 'default' | 'full' {
  if (fields !== undefined && full === true) throw new UsageError('--fields and --full cannot be combined');
  return fields !== undefined ? parseFields(fields) : full === true ? 'full' : 'default';
}

function enrichmentOf(
  dataset: Dataset,
  format: Format,
  file: string | undefined,
  head: Buffer,
  options: EnrichOptions,
  selected: ReturnType<typeof selectedFields>,
  counts: Counts,
): Enrichment {
  if (format === 'csv') {
    const delimiter = parseDelimiter(options.delimiter, file, head);
    const fields = selected === 'default' ? CSV_DEFAULT : selected === 'full' ? CSV_FULL : selected;
    const writer = new CsvWriter(new AddressLookup(dataset, csvInsertion(dataset, fields, delimiter), counts), {
      column: options.column,
      delimiter,
      hasHeader: options.header !== false,
      fields,
      prefix: options.as,
    });
    const findEnd = rowEndFinder(delimiter.charCodeAt(0));
    return { findEnd, write: (...row) => writer.write(...row), counts };
  }
  const fields = selected === 'default' ? JSON_DEFAULT : selected === 'full' ? undefined : selected;
  const lookup = new AddressLookup(dataset, jsonInsertion(dataset, fields), counts);
  const allAddresses = options.all === true;
  if (format === 'lines') return { findEnd: findLineEnd, write: linesWriter(lookup, allAddresses), counts };
  const write = ndjsonWriter(lookup, {
    paths: options.field ?? ADDRESS_NAMES,
    memberName: options.as ?? DEFAULT_MEMBER,
    allAddresses,
  });
  return { findEnd: findLineEnd, write, counts };
}
