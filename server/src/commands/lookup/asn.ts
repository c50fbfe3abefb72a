/** `wh asn N…` and `wh asn search Q`: networks by number and by name. */
import { parsePrefixedAsn } from '@whence/dataset/as-number';
import { AsnSearch } from '@whence/dataset/asn-search';
import { csvCell } from '../../csv-cell.ts';
import { type ExitCode, UsageError } from '../../terminal/exit.ts';
import { type CommandStreams, dataSink, StreamSink } from '../../terminal/output.ts';
import { jsonLine, printable } from '../../terminal/printable.ts';
import { PROGRAM } from '../../terminal/program-name.ts';
import { cutToWidth, type Style, styleOf } from '../../terminal/style.ts';
import {
  type Detail,
  detailOf,
  formatCount,
  formatDetails,
  formatTable,
} from '../../terminal/table.ts';
import type { DataSettings } from '../embedded-data.ts';
import { openOverridden } from '../local-dataset.ts';
import { openSource, type RemoteOptions } from '../remote/open-source.ts';
import {
  ASN_FIELDS,
  type AsnAnswer,
  type AsnField,
  type AsnSource,
  asnFieldValue,
  missingAsn,
  parseAsnFields,
  type SearchSource,
} from './asn-answer.ts';
import {
  type Entry,
  eachEntry,
  type Invalid,
  listedArguments,
  MAX_RANGE,
  printInvalid,
  TOO_LARGE,
} from './listed-arguments.ts';

type AsnOptions = RemoteOptions & {
  json?: boolean;
  csv?: boolean;
  fields?: string;
  prefixes?: boolean;
};

export async function asnCommand(
  settings: DataSettings,
  texts: readonly string[],
  options: AsnOptions,
  { stdin, stdout, stderr, environment }: CommandStreams,
): Promise<ExitCode> {
  const print = printerOf(options, styleOf(stdout, environment));
  const listed = listedArguments(texts, parseNumbers, stdin, 'AS numbers, ranges of them');
  const withPrefixes = options.prefixes === true;
  const source = await openSource(options, environment, {
    local: () => localAsnSource(settings, withPrefixes),
    remote: async (server) =>
      (await import('./remote-lookups.ts')).remoteAsnSource(server, withPrefixes),
  });
  const isSingle = listed.areTyped && listed.typed.every(({ first, last }) => first === last);
  const sink = options.csv === true ? dataSink(stdout) : new StreamSink(stdout);
  if (options.csv === true) await sink.write(`${[...print.fields, 'error'].join(',')}\n`);
  const use = async ({ first, last }: Numbers) => {
    let isFound = false;
    for (let asn = first; asn <= last; asn++) {
      const answer = await source(asn);
      isFound ||= !('error' in answer);
      // In a range, most numbers belong to no network.
      if (!('error' in answer) || first === last) await sink.write(print.answer(answer, isSingle));
    }
    return isFound;
  };
  const reject = ({ text, error, code }: Invalid) =>
    sink.write(
      options.json === true
        ? jsonLine({ asn: text, error, code })
        : csvLine(print.fields, text, () => '', error),
    );
  return eachEntry(
    listed,
    use,
    options.json === true || options.csv === true ? reject : printInvalid(stderr),
  );
}

type Numbers = { readonly first: number; readonly last: number };

function parseNumbers(text: string): Entry<Numbers> {
  const [first, last = first, ...rest] = text
    .split('-')
    .map((part) => parsePrefixedAsn(part.trim()));
  if (first === undefined || last === undefined || last < first || rest.length > 0)
    return {
      kind: 'invalid',
      text,
      error: 'invalid AS number',
      code: 'INVALID_ASN',
      hint:
        /^as?[\d-]/i.test(text) || !/[a-z]/i.test(text)
          ? 'write 15169 or AS15169'
          : `to find a network by its name: ${PROGRAM} asn search ${text}`,
    };
  const count = last - first + 1;
  if (count <= MAX_RANGE) return { kind: 'item', item: { first, last } };
  const error = `${text} has ${formatCount(count)} numbers, more than ${formatCount(MAX_RANGE)}`;
  return { kind: 'invalid', text, error, code: TOO_LARGE };
}

async function localAsnSource(settings: DataSettings, withPrefixes: boolean): Promise<AsnSource> {
  const dataset = await openOverridden(settings);
  return async (asn) => {
    const record = dataset.asn(asn);
    if (record === undefined) return missingAsn(asn);
    return withPrefixes ? { ...record, prefixes: dataset.prefixesOf(asn) } : record;
  };
}

type Printer = {
  readonly fields: readonly AsnField[];
  answer(answer: AsnAnswer, isSingle: boolean): string;
};

function printerOf({ json, csv, fields: list, prefixes }: AsnOptions, style: Style): Printer {
  if (json === true && csv === true) throw new UsageError('--json and --csv cannot be combined');
  if (prefixes === true && (csv === true || list !== undefined))
    throw new UsageError(
      `--prefixes and ${csv === true ? '--csv' : '--fields'} cannot be combined`,
    );
  const fields = list === undefined ? ASN_FIELDS : parseAsnFields(list);
  const fieldValue = (answer: AsnAnswer, name: AsnField) => {
    if (!('error' in answer)) return asnFieldValue(answer, name);
    return name === 'asn' ? answer.asn : undefined;
  };
  const answer = (answer: AsnAnswer, isSingle: boolean): string => {
    if (json === true) {
      const values = () =>
        Object.fromEntries(
          ['asn', ...fields].map((name) => [name, fieldValue(answer, name as AsnField)]),
        );
      return jsonLine(list === undefined || 'error' in answer ? answer : values());
    }
    const text = (name: AsnField) => String(fieldValue(answer, name) ?? '');
    if (csv === true)
      return csvLine(fields, text('asn'), text, 'error' in answer ? answer.error : '');
    if (list !== undefined) return `${fields.map((name) => printable(text(name))).join('\t')}\n`;
    return isSingle || prefixes === true
      ? formatNetwork(answer, style)
      : formatNetworkRow(answer, style);
  };
  return {
    fields: csv === true ? ['asn', ...fields.filter((name) => name !== 'asn')] : fields,
    answer,
  };
}

/** The number is in the first column. */
function csvLine(
  fields: readonly AsnField[],
  asn: string,
  text: (field: AsnField) => string,
  error: string,
): string {
  const cells = fields.filter((field) => field !== 'asn').map(text);
  return `${[asn, ...cells, error].map((cell) => csvCell(cell)).join(',')}\n`;
}

function formatNetwork(answer: AsnAnswer, style: Style): string {
  const head = `${style.bold(`AS${answer.asn}`)}\n`;
  if ('error' in answer) return `${head}  ${answer.error}\n`;
  const {
    asn_name,
    country,
    rir,
    connection_type,
    prefix_count,
    address_count,
    handle,
    registered,
    cloud_provider,
  } = answer;
  const rows: Detail[] = [
    ['name', asn_name, style.bold],
    ...detailOf('handle', handle),
    ['country', country],
    ...detailOf('registry', rir),
    ...detailOf('registered', registered),
    ['connection', connection_type],
    ...detailOf('cloud', cloud_provider),
    ['prefixes', `${formatCount(prefix_count.ipv4)} IPv4, ${formatCount(prefix_count.ipv6)} IPv6`],
    ['addresses', `${formatCount(address_count.ipv4)} IPv4`],
  ];
  const list = [...(answer.prefixes?.ipv4 ?? []), ...(answer.prefixes?.ipv6 ?? [])];
  return `${head}${formatDetails(rows, style)}${list.map((prefix) => `  ${printable(prefix)}\n`).join('')}`;
}

/** Rows are printed as they are found, so their columns have a fixed width. */
function formatNetworkRow(answer: AsnAnswer, style: Style): string {
  const number = `AS${answer.asn}`.padEnd(12);
  if ('error' in answer) return `${number}  ${style.dim(answer.error)}\n`;
  const { country, connection_type, prefix_count, asn_name } = answer;
  const prefixes = `${formatCount(prefix_count.ipv4)} + ${formatCount(prefix_count.ipv6)}`;
  const head = [
    number,
    printable(country),
    printable(connection_type).padEnd(11),
    prefixes.padStart(15),
  ].join('  ');
  return `${head}  ${cutToWidth(asn_name, style.width - head.length - 2)}\n`;
}

export async function asnSearchCommand(
  settings: DataSettings,
  query: string,
  options: RemoteOptions & { json?: boolean; limit: number },
  { stdout, environment }: Pick<CommandStreams, 'stdout' | 'environment'>,
): Promise<ExitCode> {
  if (query.trim() === '') throw new UsageError('missing search text');
  if ([...query].length > 100)
    throw new UsageError('the search text is longer than 100 characters');
  const limit = Math.min(options.limit, 100);
  const search = await openSource(options, environment, {
    local: () => localSearch(settings),
    remote: async (server) => (await import('./remote-lookups.ts')).remoteSearch(server),
  });
  const answer = await search(query, limit);
  if (options.json === true) stdout.write(jsonLine(answer));
  else {
    const rows = answer.results.map(({ asn, asn_name, country, connection_type, prefix_count }) => [
      `AS${asn}`,
      country,
      connection_type,
      `${formatCount(prefix_count.ipv4)} + ${formatCount(prefix_count.ipv6)}`.padStart(13),
      asn_name,
    ]);
    stdout.write(formatTable(rows, styleOf(stdout, environment), { shrink: true }));
    stdout.write(`${formatCount(answer.count)} of ${formatCount(answer.total)} networks\n`);
  }
  return answer.total === 0 ? 1 : 0;
}

async function localSearch(settings: DataSettings): Promise<SearchSource> {
  const search = new AsnSearch(await openOverridden(settings));
  return async (query, limit) => search.search(query, { limit });
}
