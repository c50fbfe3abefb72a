/** `wh enrich [FILE]`: adds network data to the addresses in a log, as a stream. */
import type { Dataset } from '@whence/dataset/dataset';
import type { FlagSelection } from '../../enrich/address-lookup.ts';
import { formatSummary, newCounts, Progress } from '../../enrich/counts.ts';
import { enrich } from '../../enrich/enrich.ts';
import { ADDRESS_NAMES } from '../../enrich/formats/field-paths.ts';
import {
  detectFormat,
  type Format,
  type FormatOptions,
  parseDelimiter,
  rejectInapplicableOptions,
  requestedFormat,
} from '../../enrich/formats/format.ts';
import { type Input, noteWaiting, openInput, STANDARD_INPUT } from '../../enrich/input.ts';
import type { EnrichSources } from '../../enrich/insertion.ts';
import {
  type Enrichment,
  type EnrichPlan,
  enrichmentOf,
  fieldsOf,
  sectionValuesFor,
} from '../../enrich/plan.ts';
import {
  CSV_DEFAULT,
  CSV_FULL,
  type Field,
  isLocationField,
  JSON_DEFAULT,
  parseFields,
  parseFlag,
} from '../../fields/fields.ts';
import { type ExitCode, InputError, UsageError } from '../../terminal/exit.ts';
import { noteFlags } from '../../terminal/flag-note.ts';
import { type CommandStreams, dataSink } from '../../terminal/output.ts';
import { staged } from '../../terminal/staged-files.ts';
import type { DataSettings } from '../embedded-data.ts';
import { openOverridden } from '../local-dataset.ts';
import { type LocationSettings, openLocations, requireLocations } from '../local-locations.ts';
import { type RpkiConfig, requireVrps } from '../rpki-source.ts';

type EnrichOptions = FormatOptions & {
  readonly fields?: string;
  readonly full?: boolean;
  readonly only?: string;
  readonly not?: string;
  readonly output?: string;
  readonly json?: boolean;
};

const DEFAULT_MEMBER = 'whence';

export async function enrichCommand(
  config: RpkiConfig & DataSettings & LocationSettings,
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
  const dataset = await openOverridden(config);
  noteWaiting(file, streams, 'a log');
  let input: Input | undefined;
  try {
    input = await openInput(file, streams.stdin);
    const format = requested ?? detectFormat(input.head, options);
    rejectInapplicableOptions(options, format);
    const plan = {
      ...planOf(format, file, input.head, options, fields),
      ...(selection && { selection }),
    };
    const sources = await openSources(dataset, config, plan);
    const exitCode = await enrichInput(
      input,
      enrichmentOf(sources, plan, newCounts()),
      options,
      now,
      streams,
    );
    const isWhole = plan.format !== 'csv' && plan.fields === undefined;
    const selecting = [...(selection?.only ?? []), ...(selection?.not ?? [])];
    const shown = isWhole ? undefined : [...fieldsOf(plan), ...selecting];
    // With --json, standard error has the counts as JSON, for programs.
    if (exitCode === 0 && options.json !== true) noteFlags(streams, { dataset, fields: shown });
    return exitCode;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const consequence = options.output === undefined ? '' : `; ${options.output} was not written`;
    throw new InputError(error.message + consequence);
  } finally {
    input?.close();
  }
}

async function openSources(
  dataset: Dataset,
  config: RpkiConfig & LocationSettings,
  plan: EnrichPlan,
): Promise<EnrichSources> {
  const locations = fieldsOf(plan).some(isLocationField)
    ? requireLocations(await openLocations(config))
    : undefined;
  const vrps = fieldsOf(plan).includes('rpki') ? await requireVrps(config) : undefined;
  return { dataset, locations, sections: await sectionValuesFor(plan, { dataset, vrps }) };
}

async function enrichInput(
  input: Input,
  enrichment: Enrichment,
  { output, json }: EnrichOptions,
  now: () => Date,
  { stdout, stderr }: CommandStreams,
): Promise<ExitCode> {
  const { counts } = enrichment;
  const startedMs = now().getTime();
  const elapsedMs = () => now().getTime() - startedMs;
  const progress = new Progress(stderr, counts, elapsedMs);
  // No bar when the lines go to the same terminal.
  const isShown = stderr.isTTY === true && (stdout.isTTY !== true || output !== undefined);
  const show = () => {
    if (isShown) progress.show(input);
  };
  try {
    if (output === undefined) await enrich(input, enrichment, dataSink(stdout), show);
    else await staged((files) => enrich(input, enrichment, files.create(output), show));
  } finally {
    progress.finish();
  }
  stderr.write(formatSummary(counts, input.bytesRead(), elapsedMs(), json === true));
  return counts.addresses === 0 ? 1 : 0;
}

const CSV_SELECTIONS = { default: CSV_DEFAULT, full: CSV_FULL };
const JSON_SELECTIONS = { default: JSON_DEFAULT, full: undefined };

function selectedFields({ fields, full }: EnrichOptions): readonly Field[] | 'default' | 'full' {
  if (fields !== undefined && full === true)
    throw new UsageError('--fields and --full cannot be combined');
  if (fields !== undefined) return parseFields(fields);
  return full === true ? 'full' : 'default';
}

function selectionOf({ only, not }: EnrichOptions): FlagSelection | undefined {
  if (only === undefined && not === undefined) return undefined;
  const parse = (text: string) => text.split(',').map((flag) => parseFlag(flag.trim()));
  return {
    only: only === undefined ? undefined : parse(only),
    not: not === undefined ? [] : parse(not),
  };
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
      fields: typeof selected === 'string' ? CSV_SELECTIONS[selected] : selected,
      prefix: options.as,
    };
    return { format, csv };
  }
  const fields = typeof selected === 'string' ? JSON_SELECTIONS[selected] : selected;
  const allAddresses = options.all === true;
  if (format === 'lines') return { format, fields, allAddresses };
  const ndjson = {
    paths: options.address ?? ADDRESS_NAMES,
    memberName: options.as ?? DEFAULT_MEMBER,
    allAddresses,
  };
  return { format, fields, ndjson };
}
