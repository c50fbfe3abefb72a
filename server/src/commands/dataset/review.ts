/** `whence dataset coverage` and `whence dataset disagreements`: where the current version could be corrected. */
import { basename } from 'node:path';
import {
  DISPUTED_FIELDS,
  type Disagreement,
  type Disagreements,
  findDisagreements,
} from '@whence/dataset/internal/review/disagreements';
import {
  DECIDERS,
  type Decider,
  type TableCoverage,
  tableCoverage,
} from '@whence/dataset/internal/review/table-coverage';
import type { ExitCode } from '../../terminal/exit.ts';
import { hanging, print, type Style, type Terminal } from '../../terminal/style.ts';
import { countIn, countOf, formatCount, formatTable } from '../../terminal/table.ts';
import { openLocalDataset } from '../local-dataset.ts';

type ReviewOptions = { json?: boolean; limit: number };

export function datasetCoverage(dataDir: string, options: ReviewOptions, terminal: Terminal): ExitCode {
  const coverage = tableCoverage(openLocalDataset(dataDir), options.limit);
  return print(terminal, options, coverage, (style) => formatCoverage(coverage, style));
}

export function datasetDisagreements(dataDir: string, options: ReviewOptions, terminal: Terminal): ExitCode {
  const disagreements = findDisagreements(openLocalDataset(dataDir), options.limit);
  return print(terminal, options, disagreements, (style) => formatDisagreements(disagreements, style));
}

const DECIDER_NAMES: Readonly<Record<Decider, string>> = {
  table: 'row in the table of networks',
  name: 'word in the name',
  signals: 'sum of weak signals',
  list: 'list of a feed',
  default: 'assumed',
};

function formatCoverage(coverage: TableCoverage, style: Style): string {
  const { version, decided_by, largest, table_rows, vpn_or_proxy, not_in_table } = coverage;
  const decided = DECIDERS.map((decider) => {
    const { networks, ipv4_addresses } = decided_by[decider];
    const share = percent(ipv4_addresses, coverage.ipv4_addresses, 1);
    return [DECIDER_NAMES[decider], formatCount(networks).padStart(8), share.padStart(18)];
  });
  const rows = Object.entries(table_rows).map(([role, count]) => `${formatCount(count)} ${role}`);
  const lines = [
    `rows of the table: ${rows.join(', ')}`,
    ...largest.map(
      ({ networks, in_table }) =>
        `of the ${formatCount(networks)} largest networks, ${formatCount(in_table)} have a row in the table`,
    ),
    `networks with addresses flagged as VPN or proxy: ${formatCount(vpn_or_proxy.networks)}, ` +
      `${formatCount(vpn_or_proxy.in_table_as_datacenter)} of them in the table as datacenter`,
  ];
  const unlisted = not_in_table.map(({ asn, asn_name, country, connection_type, ipv4_addresses, after_line }) => [
    `AS${asn}`,
    country,
    formatCount(ipv4_addresses).padStart(11),
    connection_type,
    String(after_line).padStart(5),
    asn_name,
  ]);
  // Where a correction starts: the file, and in each row the line after which its own belongs.
  const file = not_in_table[0] === undefined ? '' : `, ${not_in_table[0].file}`;
  return (
    `${style.bold(`version ${version}: what decides the connection type`)}\n\n` +
    `${formatTable(decided, style, { head: ['', 'networks', 'share of IPv4 space'] })}\n` +
    `${lines.map((line) => hanging('', 2, line, style)).join('')}\n` +
    `${style.bold(`the largest networks without a row in the table${file}`)}\n` +
    formatTable(unlisted, style, { head: ['network', 'country', '       IPv4', 'type', 'after line', 'name'] })
  );
}

function formatDisagreements({ version, ipv4_addresses, fields }: Disagreements, style: Style): string {
  const sections = DISPUTED_FIELDS.map((field) => {
    const found = fields[field];
    const share = percent(found.ipv4_addresses, ipv4_addresses, 2);
    const title = `${field}: ${countIn(style, found.ipv4_addresses, 'IPv4 address', 'es')} (${share}), ${countOf(found.ranges, 'range')}`;
    const heading = `${style.bold(title)}\n`;
    if (found.ranges === 0) return heading;
    return `${heading}\nmost addresses\n${formatRows(found.by_addresses, style)}\nmost ranges\n${formatRows(found.by_ranges, style)}`;
  });
  return `${style.bold(`version ${version}: where its sources contradict its answers`)}\n\n${sections.join('\n')}`;
}

function formatRows(rows: readonly Disagreement[], style: Style): string {
  const cells = rows.map(({ asn, asn_name, answer, other, ipv4_addresses, ranges, row }) => [
    formatCount(ipv4_addresses).padStart(11),
    formatCount(ranges).padStart(7),
    `AS${asn}`,
    `${answer.value} (${answer.source})`,
    `${other.value} (${other.source})`,
    ...(row === undefined ? [] : [`${row.exists ? '' : 'after '}${basename(row.file)}:${row.line}`]),
    asn_name,
  ]);
  const place = rows.some(({ row }) => row !== undefined) ? ['row'] : [];
  const head = ['       IPv4', ' ranges', 'network', 'answer', 'other source', ...place, 'name'];
  return formatTable(cells, style, { head });
}

function percent(part: number, whole: number, digits: number): string {
  return `${(whole === 0 ? 0 : (100 * part) / whole).toFixed(digits)} %`;
}
