/** The summary of a log, and its text. */
import type { IpRecord, ThreatGap } from '@whence/dataset/record';
import { gapText } from '../../terminal/flag-note.ts';
import { cutToWidth, type Style } from '../../terminal/style.ts';
import { countOf, formatCount } from '../../terminal/table.ts';

export type Share = { value: string; occurrences: number; addresses: number };
type KnownAddress = Pick<IpRecord, 'ip' | 'asn' | 'asn_name' | 'country' | 'connection_type'> & {
  occurrences: number;
  flags: string[];
  threat_score: number;
};
type TopAddress = KnownAddress | { ip: string; occurrences: number; reason: string };

export type LogSummary = {
  lines: number;
  lines_with_address: number;
  /** Found in the text; those below are of distinct addresses, except `dropped`. */
  occurrences: number;
  addresses: number;
  /** In special-purpose ranges such as private networks. */
  special: number;
  not_found: number;
  /** Occurrences of addresses beyond the limit of distinct ones, which are in no list. */
  dropped: number;
  country_count: number;
  network_count: number;
  countries: Share[];
  /** A row for addresses without a record has no number. */
  networks: (Share | (Share & { asn: number; asn_name: string }))[];
  connection_types: Share[];
  flags: Share[];
  threat_levels: Share[];
  /** What is missing for the first address whose level is not known. */
  threat_unknown_because?: ThreatGap;
  top_addresses: TopAddress[];
};

export const UNKNOWN_LEVEL = 'not known';

const NAME_COLUMNS = 36;

export function formatLogSummary(summary: LogSummary, style: Style): string {
  const { lines, lines_with_address, occurrences, addresses, special, not_found, dropped } =
    summary;
  const head = [
    `${countOf(lines, 'line')}, ${formatCount(lines_with_address)} with an address`,
    `${countOf(addresses, 'distinct address', 'es')}, ${countOf(occurrences, 'occurrence')}`,
    special === 0
      ? ''
      : `${countOf(special, 'address', 'es')} in private and special-purpose ranges`,
    not_found === 0 ? '' : `${countOf(not_found, 'address', 'es')} not announced`,
    summary.threat_unknown_because === undefined
      ? ''
      : `threat not known: ${gapText(summary.threat_unknown_because)}`,
    dropped === 0 ? '' : `${countOf(dropped, 'occurrence')} of further addresses: too many to list`,
  ].filter((line) => line !== '');
  const sections = [
    section(
      ofAll('countries', summary.country_count, summary.countries),
      summary.countries,
      ({ value }) => value,
    ),
    section(
      ofAll('networks', summary.network_count, summary.networks),
      summary.networks,
      (network) => ('asn' in network ? `AS${network.asn} ${network.asn_name}` : network.value),
    ),
    section('connection types', summary.connection_types, ({ value }) => value),
    section('flags', summary.flags, ({ value }) => value),
    section('threat levels', summary.threat_levels, ({ value }) => value),
  ];
  return `${head.map((line) => `${line}\n`).join('')}${sections.join('')}${topAddresses(summary, style)}`;

  function section<Row extends Share>(
    title: string,
    rows: readonly Row[],
    name: (row: Row) => string,
  ): string {
    if (rows.length === 0) return '';
    const columns = `${'occurrences'.padStart(13)}${'addresses'.padStart(12)}${'share'.padStart(10)}`;
    const line = (row: Row) =>
      `  ${cutToWidth(name(row), NAME_COLUMNS).padEnd(NAME_COLUMNS)}` +
      `${formatCount(row.occurrences).padStart(13)}${formatCount(row.addresses).padStart(12)}` +
      `${`${((100 * row.occurrences) / occurrences).toFixed(1)}%`.padStart(10)}\n`;
    const heading = `${style.bold(title)}${style.dim(`${' '.repeat(NAME_COLUMNS + 2 - title.length)}${columns}`)}`;
    return `\n${heading}\n${rows.map(line).join('')}`;
  }
}

function topAddresses({ top_addresses }: LogSummary, style: Style): string {
  if (top_addresses.length === 0) return '';
  const columns = Math.max(...top_addresses.map(({ ip }) => ip.length));
  const lines = top_addresses.map((address) => {
    const head = `  ${address.ip.padEnd(columns)}${formatCount(address.occurrences).padStart(9)}  `;
    if ('reason' in address)
      return `${head}${style.dim(cutToWidth(address.reason, style.width - head.length))}\n`;
    const { asn, asn_name, country, flags, threat_score } = address;
    const rest = [`AS${asn} ${asn_name}`, country, ...flags].join(', ');
    const text = cutToWidth(rest, style.width - head.length);
    if (threat_score >= 50) return `${head}${style.red(text)}\n`;
    return `${head}${threat_score >= 20 ? style.yellow(text) : text}\n`;
  });
  return `\n${style.bold('top addresses')}\n${lines.join('')}`;
}

const ofAll = (title: string, count: number, rows: readonly Share[]) =>
  rows.length <= count && rows.at(-1)?.value === 'others'
    ? `${title}, ${rows.length - 1} of ${formatCount(count)}`
    : title;
