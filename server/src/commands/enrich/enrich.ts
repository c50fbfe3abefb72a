/** `wh enrich [FILE]`: adds network data to the addresses in a log, as a stream. */
import { dayOfMs } from '@whence/dataset/internal/data-age';
import { Dataset, readPublished } from '@whence/dataset/internal/file/read';
import type { Overrides } from '@whence/dataset/internal/overrides/overrides';
import { readSupplement, Supplement } from '@whence/dataset/internal/supplement/supplement';
import { supplementPath, type VersionEntry, versionPath } from '@whence/dataset/internal/versions/publish';
import type { FlagSelection } from '../../enrich/address-lookup.ts';
import { formatSummary, newCounts, Progress } from '../../enrich/counts.ts';
import { type EnrichWork, enrich, enrichInParallel } from '../../enrich/enrich.ts';
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
import { type EnrichPlan, enrichmentOf, fieldsOf, overridden, sectionValuesFor } from '../../enrich/plan.ts';
import { CSV_DEFAULT, CSV_FULL, type Field, JSON_DEFAULT, parseFields, parseFlag } from '../../fields/fields.ts';
import { CommandError, type ExitCode, UsageError } from '../../terminal/exit.ts';
import { noteFlags } from '../../terminal/flag-note.ts';
import { type CommandStreams, dataSink } from '../../terminal/output.ts';
import { staged } from '../../terminal/staged-files.ts';
import { type DataSettings, overridesFile } from '../embedded-data.ts';
import { currentEntry, requireParts, type SupplementPart } from '../local-dataset.ts';
import { openSource, type RemoteOptions } from '../remote/open-source.ts';
import type { RemoteServer } from '../remote/remote-server.ts';
import type { RpkiConfig } from '../rpki-source.ts';

type EnrichOptions = FormatOptions &
  RemoteOptions & {
    readonly fields?: string;
    readonly full?: boolean;
    readonly only?: string;
    readonly not?: string;
    readonly output?: string;
    readonly jobs?: number;
    readonly json?: boolean;
  };

const DEFAULT_MEMBER = 'whence';
/** Each takes about 40 MB. */
const MAX_JOBS = 64;
const PARTS_OF_FIELDS: Readonly<Partial<Record<Field, SupplementPart>>> = {
  ...{ city: 'hasLocations', region: 'hasLocations', latitude: 'hasLocations', longitude: 'hasLocations' },
  ...{ is_anycast: 'hasAnycast', exchange: 'hasExchanges' },
};

export async function enrichCommand(
  config: RpkiConfig & DataSettings,
  fileArgument: string | undefined,
  options: EnrichOptions,
  now: () => Date,
  streams: CommandStreams,
): Promise<ExitCode> {
  const file = fileArgument ?? STANDARD_INPUT;
  const requested = requestedFormat(options, file);
  if (requested !== undefined) rejectInapplicableOptions(options, requested);
  const fields = selectedFields(options);
  const selection = selectionOf(options);
  const jobs = options.jobs ?? 1;
  if (jobs > MAX_JOBS) throw new UsageError(`--jobs must be at most ${MAX_JOBS}`);
  const source = await openSource<LocalVersion | RemoteServer>(options, streams.environment, {
    local: () => openLocal(config, now, jobs),
    remote: async (server) => server,
  });
  const isLocal = 'dataset' in source;
  if (!isLocal && jobs > 1) throw new UsageError('--jobs and --url cannot be combined');
  noteWaiting(file, streams, 'a log');
  let input: Input | undefined;
  try {
    input = await openInput(file, streams.stdin);
    const format = requested ?? detectFormat(input.head, options);
    rejectInapplicableOptions(options, format);
    const plan = { ...planOf(format, file, input.head, options, fields), ...(selection && { selection }) };
    const work = isLocal ? await localWork(source, config, plan, jobs) : await workAt(source, plan);
    const exitCode = await enrichInput(input, work, options, now, streams);
    const isWhole = plan.format !== 'csv' && plan.fields === undefined;
    // With --json, standard error has the counts as JSON, for programs.
    if (exitCode === 0 && isLocal && options.json !== true)
      noteFlags(streams, { dataset: source.dataset, fields: isWhole ? undefined : fieldsOf(plan) });
    return exitCode;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const consequence = options.output === undefined ? '' : `; ${options.output} was not written`;
    throw new CommandError(error.message + consequence);
  } finally {
    input?.close();
  }
}

type LocalVersion = {
  readonly entry: VersionEntry;
  readonly file: Buffer;
  readonly overrides: Overrides | undefined;
  readonly dataset: Dataset;
};

async function openLocal(settings: DataSettings, now: () => Date, jobs: number): Promise<LocalVersion> {
  const entry = currentEntry(settings.dataDir);
  const overrides = await overridesOf(settings);
  const day = dayOfMs(now().getTime());
  const file = forThreads(readPublished(versionPath(settings.dataDir, entry), day), jobs);
  const dataset = await overridden(new Dataset(file, { isChecked: true, day }), overrides);
  return { entry, file, dataset, overrides };
}

async function overridesOf(settings: DataSettings): Promise<Overrides | undefined> {
  const path = overridesFile(settings);
  return path === undefined ? undefined : (await import('../read-overrides.ts')).readOverrides(path);
}

/** With several threads, in memory that they share. */
function forThreads(bytes: Buffer, jobs: number): Buffer {
  if (jobs === 1) return bytes;
  const shared = Buffer.from(new SharedArrayBuffer(bytes.length));
  bytes.copy(shared);
  return shared;
}

async function localWork(
  { entry, file, dataset, overrides }: LocalVersion,
  config: RpkiConfig,
  plan: EnrichPlan,
  jobs: number,
): Promise<EnrichWork> {
  const parts = fieldsOf(plan).flatMap((field) => PARTS_OF_FIELDS[field] ?? []);
  const supplementFile = parts.length > 0 ? readSupplementOf(entry, config.dataDir, jobs) : undefined;
  const supplement =
    parts.length > 0 ? requireParts(supplementFile && new Supplement(supplementFile), parts) : undefined;
  const vrpRows = fieldsOf(plan).includes('rpki') ? await openVrpRows(config) : undefined;
  const sources = { dataset, supplement, sections: await sectionValuesFor(plan, { dataset, supplement, vrpRows }) };
  const counts = newCounts();
  const shared = { datasetFile: file, overrides, day: dataset.day, supplementFile, vrpRows };
  const run: EnrichWork['run'] = (input, sink, onChunk) =>
    jobs === 1
      ? enrich(input, enrichmentOf(sources, plan, counts), sink, onChunk)
      : enrichInParallel(input, { jobs, plan, sources, shared, counts }, sink, onChunk);
  return { counts, run };
}

function readSupplementOf({ supplement }: VersionEntry, dataDir: string, jobs: number): Buffer | undefined {
  return supplement && forThreads(readSupplement(supplementPath(dataDir, supplement), supplement.sha256), jobs);
}

async function workAt(server: RemoteServer, plan: EnrichPlan): Promise<EnrichWork> {
  const { remoteWork } = await import('./remote-work.ts');
  return remoteWork(server, plan);
}

async function enrichInput(
  input: Input,
  { counts, run }: EnrichWork,
  { output, json }: EnrichOptions,
  now: () => Date,
  { stdout, stderr }: CommandStreams,
): Promise<ExitCode> {
  const startedMs = now().getTime();
  const elapsedMs = () => now().getTime() - startedMs;
  const progress = new Progress(stderr, counts, elapsedMs);
  // No bar when the lines go to the same terminal.
  const isShown = stderr.isTTY === true && (stdout.isTTY !== true || output !== undefined);
  const show = () => {
    if (isShown) progress.show(input);
  };
  try {
    if (output === undefined) await run(input, dataSink(stdout), show);
    else await staged((files) => run(input, files.create(output), show));
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

function selectedFields({ fields, full }: EnrichOptions): readonly Field[] | 'default' | 'full' {
  if (fields !== undefined && full === true) throw new UsageError('--fields and --full cannot be combined');
  return fields !== undefined ? parseFields(fields) : full === true ? 'full' : 'default';
}

function selectionOf({ only, not }: EnrichOptions): FlagSelection | undefined {
  if (only === undefined && not === undefined) return undefined;
  const parse = (text: string) => text.split(',').map((flag) => parseFlag(flag.trim()));
  return { only: only === undefined ? undefined : parse(only), not: not === undefined ? [] : parse(not) };
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
      column: options.address?.join(','),
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
  const ndjson = { paths: options.address ?? ADDRESS_NAMES, memberName: options.as ?? DEFAULT_MEMBER, allAddresses };
  return { format, fields, ndjson };
}
