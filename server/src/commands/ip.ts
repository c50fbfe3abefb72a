/** `wh ip A…`: records of addresses, from the local dataset, and what `--include` asks for. */
import { type Address, formatAddress } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/internal/file/read';
import type { Location } from '@whence/dataset/internal/supplement/supplement';
import type { Hostname } from '../address/hostname.ts';
import type { Registration } from '../address/registration/rdap-network.ts';
import type { AddressMembers } from '../address/sections.ts';
import { CSV_DEFAULT, parseFields, sectionOf } from '../enrich/fields.ts';
import { evidenceOf, specialPurposeOf } from '../lookup/lookup.ts';
import type { Environment } from '../settings/config.ts';
import { type ExitCode, UsageError } from '../terminal/exit.ts';
import { type Output, type Sink, StreamSink } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';
import { type Style, styleOf } from '../terminal/style.ts';
import { type Detail, formatDetails, formatTable } from '../terminal/table.ts';
import type { AddressSection } from '../vocabulary.ts';
import type { IpConfig } from './ip-sections.ts';
import { openLocalDataset } from './local-dataset.ts';
import { addressesOf, parseRangeWithin } from './lookup/address-range.ts';
import { EXPANSION_LIMIT } from './lookup/expansion-limit.ts';
import {
  csvHeader,
  flagsOf,
  formatLine,
  type IpAnswer,
  invalidAnswer,
  isFound,
  type LineFormat,
  type MissingAnswer,
  missingAnswer,
  threatPaint,
} from './lookup/ip-answer.ts';
import { describeInvalid, type Invalid, listedArguments, type StandardInput } from './lookup/listed-arguments.ts';
import type { LocalLines } from './lookup/local-lines.ts';
import { type RemoteOptions, remoteUrl } from './remote/remote-options.ts';

type IpOptions = RemoteOptions & {
  json?: boolean;
  csv?: boolean;
  field?: string;
  limit?: number;
  explain?: boolean;
  include?: ReadonlySet<AddressSection>;
};

type IpStreams = {
  readonly stdin: StandardInput;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Environment;
};

/** A record of several lines, or one line for each address. */
type IpFormat = { readonly kind: 'record'; readonly style: Style } | LineFormat;

/** Answers addresses, in order. */
export type IpSource = {
  find(addresses: readonly Address[]): Promise<IpAnswer[]>;
  close(): void;
};

/** Addresses that are answered at a time: the largest batch of a server. */
const GROUP = 1000;
/** Output is written when there is so much of it. */
const FLUSH_BYTES = 1 << 18;

export async function ipCommand(
  config: IpConfig,
  texts: readonly string[],
  options: IpOptions,
  streams: IpStreams,
): Promise<ExitCode> {
  const { stdin, stdout, stderr } = streams;
  checkOptions(options);
  const listed = listedArguments(
    texts,
    parseRangeWithin(options.limit ?? EXPANSION_LIMIT),
    stdin,
    'addresses, CIDRs, ranges',
  );
  const isSingle = listed.areTyped && listed.typed.every(({ start, end }) => start === end);
  const format = formatOf(options, isSingle, streams);
  const sink = new StreamSink(stdout);
  const writer = await openWriter(config, withSections(options, format), format, sink, streams.environment);
  let isEveryValid = true;
  const reject = async (invalid: Invalid) => {
    isEveryValid = false;
    if (format.kind === 'json' || format.kind === 'csv') await writer.writeAnswers([invalidAnswer(invalid)]);
    else stderr.write(`error: ${printable(describeInvalid(invalid))}\n`);
  };
  try {
    if (format.kind === 'csv') await sink.write(csvHeader(format.fields));
    for await (const entries of listed.entries()) {
      for (const entry of entries) {
        if (entry.kind === 'invalid') await reject(entry);
        else await writer.write(addressesOf(entry.item));
      }
      await writer.flush();
    }
  } finally {
    writer.close();
  }
  return isEveryValid && writer.isEveryFound() ? 0 : 1;
}

function checkOptions({ json, csv, field, explain, include }: IpOptions): void {
  if (json === true && csv === true) throw new UsageError('--json and --csv cannot be combined');
  const more = explain === true ? '--explain' : include === undefined ? undefined : '--include';
  const columns = csv === true ? '--csv' : field === undefined ? undefined : '--field';
  if (more !== undefined && columns !== undefined) throw new UsageError(`${more} and ${columns} cannot be combined`);
}

function formatOf({ json, csv, field, explain, include }: IpOptions, isSingle: boolean, streams: IpStreams): IpFormat {
  const fields = field === undefined ? undefined : parseFields(field, '--field');
  if (json === true) return { kind: 'json', fields };
  if (csv === true) return { kind: 'csv', fields: fields ?? CSV_DEFAULT };
  if (fields !== undefined) return { kind: 'values', fields };
  const style = styleOf(streams.stdout, streams.environment);
  return { kind: isSingle || explain === true || include !== undefined ? 'record' : 'row', style };
}

/** Fields that are not in the record are known only to `include`. */
function withSections(options: IpOptions, format: IpFormat): IpOptions {
  const fields = 'fields' in format ? format.fields : undefined;
  const sections = fields?.map(sectionOf).filter((section) => section !== undefined) ?? [];
  return sections.length === 0 ? options : { ...options, include: new Set(sections) };
}

/** Answers are written in groups, in the order of the calls, and all of them when `flush` resolves. */
type Writer = {
  write(addresses: Iterable<Address>): Promise<void>;
  writeAnswers(answers: readonly IpAnswer[]): Promise<void>;
  flush(): Promise<void>;
  isEveryFound(): boolean;
  close(): void;
};

async function openWriter(
  config: IpConfig,
  options: IpOptions,
  format: IpFormat,
  sink: Sink,
  environment: Environment,
): Promise<Writer> {
  if (remoteUrl(options, environment) !== undefined) {
    const { openRemote } = await import('./remote/remote-server.ts');
    const { remoteIpSource } = await import('./remote/remote-lookups.ts');
    const { explain = false, include = new Set<never>() } = options;
    return answerWriter(remoteIpSource(openRemote(options, environment), { explain, include }), format, sink);
  }
  const dataset = openLocalDataset(config.dataDir);
  const isPlain = options.explain !== true && options.include === undefined;
  if (isPlain && (format.kind === 'json' || format.kind === 'csv')) {
    const { LocalLines } = await import('./lookup/local-lines.ts');
    return localWriter(new LocalLines(dataset, format), format, sink);
  }
  return answerWriter(await openLocalSource(dataset, config, options), format, sink);
}

function localWriter(lines: LocalLines, format: LineFormat, sink: Sink): Writer {
  let isEveryFound = true;
  const flush = async () => {
    if (lines.output.length > 0) await sink.write(lines.output.take());
  };
  return {
    async write(addresses) {
      for (const address of addresses) {
        if (!lines.append(address)) isEveryFound = false;
        if (lines.output.length > FLUSH_BYTES) await flush();
      }
    },
    async writeAnswers(answers) {
      for (const answer of answers) lines.output.append(Buffer.from(formatLine(answer, format)));
    },
    flush,
    isEveryFound: () => isEveryFound,
    close: () => {},
  };
}

function answerWriter(source: IpSource, format: IpFormat, sink: Sink): Writer {
  let isEveryFound = true;
  let waiting: Address[] = [];
  const print = (answer: IpAnswer) =>
    format.kind === 'record' ? formatAnswer(answer, format.style) : formatLine(answer, format);
  const flush = async () => {
    if (waiting.length === 0) return;
    const answers = await source.find(waiting);
    waiting = [];
    if (!answers.every(isFound)) isEveryFound = false;
    await sink.write(answers.map(print).join(''));
  };
  return {
    async write(addresses) {
      for (const address of addresses) if (waiting.push(address) === GROUP) await flush();
    },
    async writeAnswers(answers) {
      await flush();
      await sink.write(answers.map(print).join(''));
    },
    flush,
    isEveryFound: () => isEveryFound,
    close: () => source.close(),
  };
}

async function openLocalSource(dataset: Dataset, config: IpConfig, options: IpOptions): Promise<IpSource> {
  const { include = new Set<never>() } = options;
  // Loaded if it is asked for: DNS and the HTTP client are half of what this command would load.
  const sections =
    include.size === 0 ? undefined : await (await import('./ip-sections.ts')).openSections(config, include);
  const answerOf = async (address: Address): Promise<IpAnswer> => {
    const match = dataset.find(address);
    if (match === 0) return missingAnswer(formatAddress(address), specialPurposeOf({ address }));
    const found = { kind: 'found', dataset, address, match } as const;
    const record = dataset.record(address, match);
    const evidence = options.explain === true ? { evidence: evidenceOf(dataset, found) } : {};
    return { ...record, ...evidence, ...(await sections?.describe(found)) };
  };
  return {
    async find(addresses) {
      const answers: IpAnswer[] = [];
      for (const address of addresses) answers.push(await answerOf(address));
      return answers;
    },
    close: () => sections?.close(),
  };
}

export function formatAnswer(answer: IpAnswer, style: Style): string {
  if (!isFound(answer)) return formatMissing(answer, style);
  const { ip, prefix, asn, asn_name, country, rir, connection_type, detection, threat, evidence } = answer;
  const flags = flagsOf(answer);
  const rows: Detail[] = [
    ['prefix', prefix],
    ['network', `AS${asn} ${asn_name}`, style.bold],
    ['country', country],
    ['registry', rir],
    ['connection', connection_type],
    ['flags', flags.join(', ') || 'none'],
    ...detailOf('cloud', detection.cloud_provider),
    ...detailOf('AI company', detection.ai_company),
    ['threat', `${threat.score} of 100, ${threat.level}`, threatPaint(style, threat.level)],
    ...(threat.explanation ?? []).map((reason): Detail => ['', reason]),
    ...memberRows(answer),
  ];
  const evidenceRows = (evidence ?? []).map(({ field, value, source, prefix: stated, as_of }) => [
    field,
    String(value),
    source,
    stated,
    as_of,
  ]);
  const head = ['field', 'value', 'source', 'prefix', 'as of'];
  const table = formatTable(evidenceRows, style, { head, indent: 2, shrink: true });
  return `${style.bold(ip)}\n${formatDetails(rows, style)}${evidenceRows.length === 0 ? '' : `\n${table}`}\n`;
}

const detailOf = (label: string, value: string | undefined): Detail[] => (value === undefined ? [] : [[label, value]]);

function memberRows({ routing, privacy, location, hostname, registration }: AddressMembers): Detail[] {
  return [
    ...(routing?.origins ?? []).map(
      ({ asn, asn_name, rpki }, i): Detail => [
        i === 0 ? 'origins' : '',
        [`AS${asn}`, asn_name, rpki && `(RPKI: ${rpki.replace('_', ' ')})`].filter(Boolean).join(' '),
      ],
    ),
    ...(routing?.is_anycast === true ? [['', 'anycast'] satisfies Detail] : []),
    ...detailOf('exchange', routing?.exchange),
    ...detailOf('location', location && locationText(location)),
    ...detailOf('privacy', privacy && [privacy.kind, privacy.service].filter(Boolean).join(', ')),
    ...detailOf('hostname', hostname && hostnameText(hostname)),
    ...(registration === undefined ? [] : registrationRows(registration)),
  ];
}

function locationText({ city, region, latitude, longitude, source, as_of }: Location): string {
  const position = latitude === undefined ? undefined : `${latitude}, ${longitude}`;
  const parts = [city, region, position].filter((part) => part !== undefined);
  return `${parts.join('; ')} (${source}, ${as_of})`;
}

function registrationRows({ error, ...fields }: Registration): Detail[] {
  if (error !== undefined) return [['registration', 'unknown: the registry did not answer']];
  const rows = Object.entries(fields).map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`);
  return rows.map((text, i): Detail => [i === 0 ? 'registration' : '', text]);
}

function hostnameText({ name, is_confirmed, crawler, error }: Hostname): string {
  if (name === undefined) return error === undefined ? 'none' : 'unknown: DNS did not answer';
  if (error !== undefined) return `${name}, not confirmed: DNS did not answer`;
  const forged = crawler === undefined ? 'does not lead back to the address' : `forged, not ${crawler.name}`;
  return [name, is_confirmed === true ? crawler && `verified ${crawler.name}` : forged].filter(Boolean).join(', ');
}

function formatMissing({ ip, details }: MissingAnswer, style: Style): string {
  const why = details === undefined ? 'not announced' : `${details.prefix} is ${details.name} (${details.rfc})`;
  return `${style.bold(ip)}\n  no data found for IP: ${why}\n\n`;
}
