/**
 * Where the current version of a dataset could be corrected: `npm run coverage` and
 * `npm run disagreements`, or both with
 * `npm run review`. The data directory is WHENCE_DATA_DIR or ./whence-data; `-- --limit 100` lists
 * more.
 */
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { DatasetError } from '../../dataset-error.ts';
import type { Dataset } from '../../file/read.ts';
import { noDatasetError, openCurrent } from '../../versions/publish.ts';
import { DISPUTED_FIELDS, type Disagreement, findDisagreements } from './disagreements.ts';
import { DECIDERS, type Decider, tableCoverage } from './table-coverage.ts';

const DECIDER_NAMES: Readonly<Record<Decider, string>> = {
  table: 'row in the table of networks',
  name: 'word in the name',
  signals: 'sum of weak signals',
  list: 'list of a feed',
  default: 'assumed',
};

export function formatCoverage(dataset: Dataset, limit: number): string {
  const coverage = tableCoverage(dataset, limit);
  const decided = DECIDERS.map((decider) => {
    const { networks, ipv4_addresses } = coverage.decided_by[decider];
    return [
      DECIDER_NAMES[decider],
      count(networks),
      percent(ipv4_addresses, coverage.ipv4_addresses),
    ];
  });
  const unlisted = coverage.not_in_table.map(
    ({ asn, asn_name, country, connection_type, ipv4_addresses, after_line }) => [
      `AS${asn}`,
      country,
      count(ipv4_addresses),
      connection_type,
      String(after_line),
      asn_name,
    ],
  );
  const rows = Object.entries(coverage.table_rows).map(
    ([role, rowCount]) => `${count(rowCount)} ${role}`,
  );
  const { vpn_or_proxy } = coverage;
  return [
    `version ${coverage.version}: what decides the connection type`,
    table(['', 'networks', 'share of IPv4 space'], decided),
    `rows of the table: ${rows.join(', ')}`,
    ...coverage.largest.map(
      ({ networks, in_table }) =>
        `of the ${count(networks)} largest networks, ${count(in_table)} have a row`,
    ),
    `networks with addresses flagged as VPN or proxy: ${count(vpn_or_proxy.networks)}, ` +
      `${count(vpn_or_proxy.in_table_as_datacenter)} of them in the table as datacenter`,
    // Where a correction starts: the file, and in each row the line after which its own belongs.
    `\nthe largest networks without a row in ${coverage.not_in_table[0]?.file ?? 'the table'}`,
    table(['network', 'country', 'IPv4', 'type', 'after line', 'name'], unlisted),
  ].join('\n');
}

export function formatDisagreements(dataset: Dataset, limit: number): string {
  const { version, ipv4_addresses, fields } = findDisagreements(dataset, limit);
  const sections = DISPUTED_FIELDS.map((field) => {
    const found = fields[field];
    const share = percent(found.ipv4_addresses, ipv4_addresses);
    const title = `${field}: ${count(found.ipv4_addresses)} IPv4 addresses (${share}), ${count(found.ranges)} ranges`;
    if (found.ranges === 0) return title;
    return `${title}\n\nmost addresses\n${disputes(found.by_addresses)}\nmost ranges\n${disputes(found.by_ranges)}`;
  });
  return `version ${version}: where its sources contradict its answers\n\n${sections.join('\n')}`;
}

function disputes(rows: readonly Disagreement[]): string {
  const cells = rows.map(({ asn, asn_name, answer, other, ipv4_addresses, ranges, row }) => [
    count(ipv4_addresses),
    count(ranges),
    `AS${asn}`,
    `${answer.value} (${answer.source})`,
    `${other.value} (${other.source})`,
    row === undefined ? '' : `${row.exists ? '' : 'after '}${basename(row.file)}:${row.line}`,
    asn_name,
  ]);
  return table(['IPv4', 'ranges', 'network', 'answer', 'other source', 'row', 'name'], cells);
}

const count = (value: number): string => value.toLocaleString('en-US');
const percent = (part: number, whole: number): string =>
  `${(whole === 0 ? 0 : (100 * part) / whole).toFixed(2)}%`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) =>
    Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ');
  return [head, ...rows].map((row) => `${line(row).trimEnd()}\n`).join('');
}

const REPORTS = { coverage: formatCoverage, disagreements: formatDisagreements };

function main(): void {
  const { values, positionals } = parseArgs({
    options: { limit: { type: 'string', default: '25' } },
    allowPositionals: true,
  });
  const dataDir = process.env['WHENCE_DATA_DIR'] ?? 'whence-data';
  const dataset = openCurrent(dataDir);
  if (dataset === undefined) throw noDatasetError(dataDir);
  for (const [name, format] of Object.entries(REPORTS))
    if (positionals.length === 0 || positionals.includes(name))
      process.stdout.write(`${format(dataset, Number(values.limit))}\n`);
}

if (process.argv[1] === import.meta.filename) {
  try {
    main();
  } catch (error) {
    if (!(error instanceof DatasetError)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = 1;
  }
}
