/** `wh ip A…`: records of addresses, and what `--include` asks for. */
import type { Address } from '@whence/dataset/address';
import type { Range } from '@whence/dataset/prefix';
import type { Location } from '@whence/dataset/record';
import type { Hostname } from '../../address/hostname.ts';
import type { AddressMembers } from '../../address/sections.ts';
import { CSV_DEFAULT, flagsOf, parseFields, sectionOf } from '../../fields/fields.ts';
import { describeFolder } from '../../settings/data-folder.ts';
import { type ExitCode, UsageError } from '../../terminal/exit.ts';
import { gapText, noteFlags, type ShownGap, threatText } from '../../terminal/flag-note.ts';
import { type CommandStreams, dataSink, StreamSink } from '../../terminal/output.ts';
import { printable } from '../../terminal/printable.ts';
import { fit, type Style, styleOf } from '../../terminal/style.ts';
import { type Detail, detailOf, formatDetails, formatTable } from '../../terminal/table.ts';
import type { AddressSection } from '../../vocabulary.ts';
import type { IpConfig } from '../ip-sections.ts';
import { openSource, type RemoteOptions } from '../remote/open-source.ts';
import { addressesOf, parseRangeEntry } from './address-range.ts';
import {
  csvHeader,
  formatLine,
  type GapOf,
  type IpAnswer,
  type IpSource,
  invalidAnswer,
  isFound,
  type LineFormat,
  type MissingAnswer,
  NO_DATA,
  threatPaint,
  UNKNOWN_SCORE,
} from './ip-answer.ts';
import { type ListedArguments, listedArguments, printInvalid } from './listed-arguments.ts';
import { localIpSource } from './local-ips.ts';

type IpOptions = RemoteOptions & {
  json?: boolean;
  csv?: boolean;
  fields?: string;
  explain?: boolean;
  include?: ReadonlySet<AddressSection>;
};

type IpFormat =
  | { readonly kind: 'record'; readonly style: Style; readonly withEvidence: boolean }
  | LineFormat;

/** Addresses that are answered at a time: the largest batch of a server. */
const GROUP = 1000;
/** Output is written when there is this much of it. */
const FLUSH_BYTES = 1 << 18;

export async function ipCommand(
  config: IpConfig,
  texts: readonly string[],
  options: IpOptions,
  streams: CommandStreams,
): Promise<ExitCode> {
  checkOptions(options);
  const listed = listedArguments(texts, parseRangeEntry, streams.stdin, 'addresses, CIDRs, ranges');
  const isSingle = listed.areTyped && listed.typed.every(({ start, end }) => start === end);
  const format = formatOf(options, isSingle, streams);
  // The evidence of a record says which flags do not count, and whether the score is known.
  const isExplained = options.explain === true || format.kind === 'record';
  const question = { explain: isExplained, include: sectionsOf(options, format) };
  const source = await openSource(options, streams.environment, {
    local: () => {
      if (options.explain === true)
        streams.stderr.write(`dataset: ${describeFolder(config.dataFolder)}\n`);
      return localIpSource(config, question);
    },
    remote: async (server) =>
      (await import('./remote-lookups.ts')).remoteIpSource(server, question),
  });
  try {
    const fields = 'fields' in format ? format.fields : undefined;
    // The whole record is that of the API, which has a level in any case.
    const isWhole = format.kind === 'json' && fields === undefined;
    const gapOf = isWhole ? () => undefined : await source.threatGaps();
    const exitCode = await printAnswers(listed, source, { format, gapOf }, streams);
    // A server tells it in /readyz.
    if (source.dataset !== undefined) noteFlags(streams, { dataset: source.dataset, fields });
    return exitCode;
  } finally {
    source.close();
  }
}

function checkOptions({ json, csv, fields, explain, include }: IpOptions): void {
  if (json === true && csv === true) throw new UsageError('--json and --csv cannot be combined');
  const included = include === undefined ? undefined : '--include';
  const more = explain === true ? '--explain' : included;
  const selected = fields === undefined ? undefined : '--fields';
  const columns = csv === true ? '--csv' : selected;
  if (more !== undefined && columns !== undefined)
    throw new UsageError(`${more} and ${columns} cannot be combined`);
}

function formatOf(
  { json, csv, fields: list, explain, include }: IpOptions,
  isSingle: boolean,
  { stdout, environment }: CommandStreams,
): IpFormat {
  const fields = list === undefined ? undefined : parseFields(list);
  if (json === true) return { kind: 'json', fields };
  if (csv === true) return { kind: 'csv', fields: fields ?? CSV_DEFAULT };
  if (fields !== undefined) return { kind: 'values', fields };
  // The evidence is a table, whose cells are cut only to fit a terminal.
  const style = explain === true ? fit({ stdout, environment }) : styleOf(stdout, environment);
  if (!isSingle && explain !== true && include === undefined) return { kind: 'row', style };
  return { kind: 'record', style, withEvidence: explain === true };
}

/** Fields that are not in the record are known only to `include`. */
function sectionsOf(
  { include = new Set() }: IpOptions,
  format: IpFormat,
): ReadonlySet<AddressSection> {
  const fields = 'fields' in format ? format.fields : undefined;
  return new Set([...include, ...(fields?.flatMap((field) => sectionOf(field) ?? []) ?? [])]);
}

/**
 * Answers are written in groups, in the order of the list. Exit code 1 if an entry is invalid or
 * has no data.
 */
async function printAnswers(
  { entries }: ListedArguments<Range>,
  source: IpSource,
  { format, gapOf }: { readonly format: IpFormat; readonly gapOf: GapOf },
  { stdout, stderr }: CommandStreams,
): Promise<ExitCode> {
  const isData = format.kind === 'json' || format.kind === 'csv';
  const sink = isData ? dataSink(stdout) : new StreamSink(stdout);
  const lines = isData ? await source.openLines?.(format) : undefined;
  const print = (answer: IpAnswer) =>
    format.kind === 'record'
      ? formatAnswer(answer, format.style, format.withEvidence, gapOf)
      : formatLine(answer, format, gapOf);
  let exitCode: ExitCode = 0;
  let unknownBecause: ShownGap | undefined;
  const waiting: Address[] = [];
  const flush = async () => {
    if (lines !== undefined && lines.output.length > 0) await sink.write(lines.output.take());
    if (waiting.length === 0) return;
    const answers = await source.find(waiting.splice(0));
    if (!answers.every(isFound)) exitCode = 1;
    if (format.kind === 'row')
      for (const answer of answers)
        if (isFound(answer) && answer.threat.score === 0) unknownBecause ??= gapOf(answer);
    await sink.write(answers.map(print).join(''));
  };
  if (format.kind === 'csv') await sink.write(csvHeader(format.fields));
  for await (const group of entries()) {
    for (const entry of group) {
      if (entry.kind === 'invalid') {
        exitCode = 1;
        if (!isData) printInvalid(stderr)(entry);
        else if (lines !== undefined) lines.output.append(Buffer.from(print(invalidAnswer(entry))));
        else {
          await flush();
          await sink.write(print(invalidAnswer(entry)));
        }
      } else if (lines === undefined) {
        for (const address of addressesOf(entry.item))
          if (waiting.push(address) === GROUP) await flush();
      } else
        for (const address of addressesOf(entry.item)) {
          if (!lines.append(address)) exitCode = 1;
          if (lines.output.length > FLUSH_BYTES) await flush();
        }
    }
    await flush();
  }
  if (unknownBecause !== undefined)
    stderr.write(`${UNKNOWN_SCORE}: threat not known: ${gapText(unknownBecause)}\n`);
  return exitCode;
}

export function formatAnswer(
  answer: IpAnswer,
  style: Style,
  withEvidence: boolean,
  gapOf: GapOf,
): string {
  if (!isFound(answer)) return formatMissing(answer, style);
  const {
    ip,
    prefix,
    asn,
    asn_name,
    country,
    rir,
    connection_type,
    detection,
    threat,
    evidence = [],
  } = answer;
  const flags = flagsOf(detection).map((flag) => {
    const { note } =
      evidence.find(({ field, value }) => field === `is_${flag}` && value === true) ?? {};
    return note === undefined ? flag : `${flag} (${note})`;
  });
  const rows: Detail[] = [
    ['prefix', prefix],
    ['network', `AS${asn} ${asn_name}`, style.bold],
    ['country', country],
    ...detailOf('registry', rir),
    ['connection', connection_type],
    ['flags', flags.join(', ') || 'none'],
    ...detailOf('cloud', detection.cloud_provider),
    ...detailOf('AI company', detection.ai_company),
    ['threat', threatText(threat, gapOf(answer)), threatPaint(style, threat.level)],
    ...(threat.explanation ?? []).map((reason): Detail => ['', reason]),
    ...memberRows(answer),
  ];
  const evidenceRows = (withEvidence ? evidence : []).map(
    ({ field, value, source, prefix: stated, as_of, note }) => [
      field,
      String(value),
      source,
      stated,
      as_of,
      note ?? '',
    ],
  );
  const head = ['field', 'value', 'source', 'prefix', 'as of', ''];
  const table = formatTable(evidenceRows, style, { head, indent: 2, shrink: true });
  return `${style.bold(printable(ip))}\n${formatDetails(rows, style)}${evidenceRows.length === 0 ? '' : `\n${table}`}\n`;
}

function memberRows({
  routing,
  privacy,
  scanner,
  location,
  labels,
  hostname,
}: AddressMembers): Detail[] {
  return [
    ...(routing?.origins ?? []).map(
      ({ asn, asn_name, rpki }, i): Detail => [
        i === 0 ? 'origins' : '',
        [`AS${asn}`, asn_name, rpki && `(RPKI: ${rpki.replace('_', ' ')})`]
          .filter(Boolean)
          .join(' '),
      ],
    ),
    ...detailOf('location', location && locationText(location)),
    ...detailOf('privacy', privacy && [privacy.kind, privacy.service].filter(Boolean).join(', ')),
    ...detailOf('scanner', scanner?.operator),
    ...detailOf('labels', labels?.join('; ')),
    ...detailOf('hostname', hostname && hostnameText(hostname)),
  ];
}

function locationText({ city, region, latitude, longitude, source, as_of }: Location): string {
  const position = latitude === undefined ? undefined : `${latitude}, ${longitude}`;
  const parts = [city, region, position].filter((part) => part !== undefined);
  return `${parts.join('; ')} (${source}, ${as_of})`;
}

function hostnameText({ name, is_confirmed, crawler, error }: Hostname): string {
  if (name === undefined) return error === undefined ? 'none' : 'unknown: DNS did not answer';
  if (error !== undefined) return `${name}, not confirmed: DNS did not answer`;
  const forged =
    crawler === undefined ? 'does not lead back to the address' : `forged, not ${crawler.name}`;
  return [name, is_confirmed === true ? crawler && `verified ${crawler.name}` : forged]
    .filter(Boolean)
    .join(', ');
}

function formatMissing({ ip, details }: MissingAnswer, style: Style): string {
  const head = style.bold(printable(ip));
  const why =
    details === undefined
      ? 'not announced'
      : `${details.prefix} is ${details.name} (${details.rfc})`;
  return `${head}\n  ${NO_DATA}: ${why}\n\n`;
}
