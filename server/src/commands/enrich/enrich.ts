/** `whence enrich [FILE]`: adds network data to the addresses in a log, as a stream. */

import { openDataset } from '@whence/dataset/internal/file/read';
import {
  openSupplement,
  type SupplementEntry,
  supplementPath,
  versionPath,
} from '@whence/dataset/internal/versions/publish';
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
import { type Input, InputError, noteWaiting, openInput, STANDARD_INPUT } from '../../enrich/input.ts';
import { type EnrichPlan, enrichmentOf, fieldsOf, sectionValuesFor } from '../../enrich/plan.ts';
import { CommandError, type ExitCode, UsageError } from '../../terminal/exit.ts';
import { type CommandStreams, dataSink, type Sink } from '../../terminal/output.ts';
import { staged } from '../../terminal/staged-files.ts';
import { currentEntry, requireParts, type SupplementPart } from '../local-dataset.ts';
import type { RpkiConfig } from '../rpki-source.ts';

type EnrichOptions = FormatOptions & {
  readonly fields?: string;
  readonly full?: boolean;
  readonly output?: string;
  readonly jobs?: number;
  readonly json?: boolean;
};

const DEFAULT_MEMBER = 'whence';
/** Each takes about 60 MB. */
const MAX_JOBS = 64;
/** What fields need of the supplement. */
const PARTS_OF_FIELDS: Readonly<Partial<Record<Field, SupplementPart>>> = {
  ...{ city: 'hasLocations', region: 'hasLocations', latitude: 'hasLocations', longitude: 'hasLocations' },
  ...{ is_anycast: 'hasAnycast', exchange: 'hasExchanges' },
};

export async function enrichCommand(
  config: RpkiConfig,
  fileArgument: string | undefined,
  options: EnrichOptions,
  now: () => Date,
  streams: CommandStreams,
): Promise<ExitCode> {
  const { dataDir } = config;
  const file = fileArgument ?? STANDARD_INPUT;
  const requested = requestedFormat(options, file);
  if (requested !== undefined) rejectInapplicableOptions(options, requested);
  const fields = selectedFields(options);
  const jobs = options.jobs ?? 1;
  if (jobs > MAX_JOBS) throw new UsageError(`--jobs must be at most ${MAX_JOBS}`);
  const entry = currentEntry(dataDir);
  const datasetPath = versionPath(dataDir, entry);
  const dataset = openDataset(datasetPath);
  noteWaiting(file, streams, 'a log');
  let input: Input | undefined;
  try {
    input = await openInput(file, streams.stdin);
    const format = requested ?? detectFormat(input.head);
    rejectInapplicableOptions(options, format);
    const plan = planOf(format, file, input.head, options, fields);
    const parts = fieldsOf(plan).flatMap((field) => PARTS_OF_FIELDS[field] ?? []);
    const supplement = parts.length > 0 ? requireParts(openSupplement(dataDir, entry), parts) : undefined;
    const vrpRows = fieldsOf(plan).includes('rpki') ? await openVrpRows(config) : undefined;
    const sections = await sectionValuesFor(plan, { dataset, supplement, vrpRows });
    const work = {
      jobs,
      plan,
      sources: { dataset, supplement, sections },
      datasetPath,
      supplementFile: supplement && entry.supplement && supplementFile(dataDir, entry.supplement),
      vrpRows,
      counts: newCounts(),
    };
    return await enrichInput(input, work, options, now, streams);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const consequence = options.output === undefined ? '' : `; ${options.output} was not written`;
    throw new CommandError(error.message + consequence);
  } finally {
    input?.close();
  }
}

async function enrichInput(
  input: Input,
  parts: ParallelOptions,
  { output, json }: EnrichOptions,
  now: () => Date,
  { stdout, stderr }: CommandStreams,
): Promise<ExitCode> {
  const { jobs, sources, plan, counts } = parts;
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
      ? enrich(input, enrichmentOf(sources, plan, counts), sink, show)
      : enrichInParallel(input, parts, sink, show);
  try {
    if (output === undefined) await enrichInto(dataSink(stdout));
    else await staged((files) => enrichInto(files.create(output)));
  } finally {
    progress.finish();
  }
  stderr.write(formatSummary(counts, input.bytesRead(), elapsedMs(), json === true));
  return counts.addresses === 0 ? 1 : 0;
}

async function openVrpRows(config: RpkiConfig): Promise<Uint32Array> {
  const { requireVrps } = await import('../rpki-source.ts');
  return (await requireVrps(config)).rows;
}

const supplementFile = (dataDir: string, entry: SupplementEntry) => ({
  path: supplementPath(dataDir, entry),
  sha256: entry.sha256,
});

function selectedFields({ fields, full }: EnrichOptions): readonly Field[] | 'default' | 'full' {
  if (fields !== undefined && full === true) throw new UsageError('--fields and --full cannot be combined');
  return fields !== undefined ? parseFields(fields) : full === true ? 'full' : 'default';
}

function planOf(
  format: Format,
  file: string,
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
