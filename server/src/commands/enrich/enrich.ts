/** `whence enrich [FILE]`: adds network data to the addresses in a log, as a stream. */
import type { Readable } from 'node:stream';
import { openDataset } from '@whence/dataset/read';
import { formatSummary, newCounts, Progress } from '../../enrich/counts.ts';
import { enrich, enrichInParallel, type ParallelOptions } from '../../enrich/enrich.ts';
import { CSV_DEFAULT, CSV_FULL, type Field, JSON_DEFAULT, parseFields } from '../../enrich/fields.ts';
import { ADDRESS_NAMES } from '../../enrich/formats/field-paths.ts';
import {
  detectFormat,
  type Format,
  type FormatOptions,
  parseDelimiter,
  rejectInapplicableOptions,
  requestedFormat,
} from '../../enrich/formats/format.ts';
import { type Input, InputError, openInput } from '../../enrich/input.ts';
import { type EnrichPlan, enrichmentOf } from '../../enrich/plan.ts';
import { type ExitCode, UsageError } from '../../terminal/exit.ts';
import { type Output, type Sink, StreamSink } from '../../terminal/output.ts';
import { printable } from '../../terminal/printable.ts';
import { staged } from '../../terminal/staged-files.ts';
import { currentPath } from '../local-dataset.ts';

type EnrichOptions = FormatOptions & {
  readonly fields?: string;
  readonly full?: boolean;
  readonly output?: string;
  readonly jobs?: number;
  readonly json?: boolean;
};

type EnrichStreams = { readonly stdin: () => Readable; readonly stdout: Output; readonly stderr: Output };

const DEFAULT_MEMBER = 'whence';
/** Each takes about 60 MB. */
const MAX_JOBS = 64;

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
  const jobs = options.jobs ?? 1;
  if (jobs > MAX_JOBS) throw new UsageError(`--jobs must be at most ${MAX_JOBS}`);
  const datasetPath = currentPath(dataDir);
  const dataset = openDataset(datasetPath);
  let input: Input | undefined;
  try {
    input = await openInput(file, stdin);
    const format = requested ?? detectFormat(input.head);
    rejectInapplicableOptions(options, format);
    const plan = planOf(format, file, input.head, options, fields);
    const parts = { jobs, plan, dataset, datasetPath, counts: newCounts() };
    return await enrichInput(input, parts, options, now, stdout, stderr);
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
  parts: ParallelOptions,
  { output, json }: EnrichOptions,
  now: () => Date,
  stdout: Output,
  stderr: Output,
): Promise<ExitCode> {
  const { jobs, dataset, plan, counts } = parts;
  const startedMs = now().getTime();
  const elapsedMs = () => now().getTime() - startedMs;
  const progress = new Progress(stderr, counts, elapsedMs);
  // No bar when the lines go to the same terminal.
  const isShown = stderr.isTTY === true && (stdout.isTTY !== true || output !== undefined);
  const show = () => {
    if (isShown) progress.show(input);
  };
  const enrichInto = (sink: Sink) =>
    jobs === 1
      ? enrich(input, enrichmentOf(dataset, plan, counts), sink, show)
      : enrichInParallel(input, parts, sink, show);
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

function planOf(
  format: Format,
  file: string | undefined,
  head: Buffer,
  options: EnrichOptions,
  selected: ReturnType<typeof selectedFields>,
): EnrichPlan {
  if (format === 'csv') {
    const csv = {
      column: options.column,
      delimiter: parseDelimiter(options.delimiter, file, head),
      hasHeader: options.header !== false,
      fields: selected === 'default' ? CSV_DEFAULT : selected === 'full' ? CSV_FULL : selected,
      prefix: options.as,
    };
    return { format, csv };
  }
  const fields = selected === 'default' ? JSON_DEFAULT : selected === 'full' ? undefined : selected;
  const allAddresses = options.all === true;
  if (format === 'lines') return { format, fields, allAddresses };
  const ndjson = { paths: options.field ?? ADDRESS_NAMES, memberName: options.as ?? DEFAULT_MEMBER, allAddresses };
  return { format, fields, ndjson };
}
