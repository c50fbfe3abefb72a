/** `whence dataset diff A B`: what changed between two versions: counts, and the largest changes of each kind. */

import { DatasetError } from '@whence/dataset/dataset-error';
import { type Amount, type Changes, type DatasetDiff, diffDatasets } from '@whence/dataset/internal/diff/diff';
import { MAX_DIFF_LIMIT } from '@whence/dataset/internal/diff/limit';
import { type Dataset, openDataset } from '@whence/dataset/internal/file/read';
import { type Manifest, readManifest, versionPath } from '@whence/dataset/internal/versions/publish';
import { FLAGS } from '@whence/dataset/record';
import { type ExitCode, UsageError } from '../../terminal/exit.ts';
import { hanging, print, type Style, type Terminal } from '../../terminal/style.ts';
import { formatCount, formatTable } from '../../terminal/table.ts';
import { noDatasetError } from '../local-dataset.ts';
import { noVersionError } from './find-version.ts';

/** `from` and `to` are a number, `current`, or `previous`: the highest version below the current one. */
export function datasetDiff(
  dataDir: string,
  from: string,
  to: string,
  options: { json?: boolean; limit: number },
  terminal: Terminal,
): ExitCode {
  const [before, after] = openVersions(dataDir, from, to);
  const diff = diffDatasets(before, after, Math.min(options.limit, MAX_DIFF_LIMIT));
  return print(terminal, options, diff, (style) => formatDiff(diff, style));
}

function openVersions(dataDir: string, from: string, to: string): [Dataset, Dataset] {
  const manifest = readManifest(dataDir) ?? { current: 0, versions: [] };
  // Check both arguments before opening a file.
  const versions = [from, to].map((text) => versionNumber(dataDir, manifest, text));
  const paths = versions.map((number) => {
    const entry = manifest.versions.find(({ version }) => version === number);
    if (entry === undefined) throw noVersionError(dataDir, number);
    return versionPath(dataDir, entry);
  });
  return paths.map(openPublished) as [Dataset, Dataset];
}

function versionNumber(dataDir: string, { current, versions }: Manifest, text: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  if (text !== 'current' && text !== 'previous')
    throw new UsageError(`invalid version ${JSON.stringify(text)}: must be a number, current or previous`);
  if (current === 0) throw noDatasetError(dataDir);
  if (text === 'current') return current;
  const earlier = versions.map(({ version }) => version).filter((version) => version < current);
  if (earlier.length === 0) throw new DatasetError(`there is no version before the current version ${current}`);
  return Math.max(...earlier);
}

function openPublished(path: string): Dataset {
  try {
    return openDataset(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new DatasetError(`${path} is missing; choose another version`);
  }
}

function formatDiff(diff: DatasetDiff, style: Style): string {
  const { from, to, is_same, networks } = diff;
  const time = (builtAt: string) => `${builtAt.slice(0, 16).replace('T', ' ')} UTC`;
  const versions = `version ${from.version} (${time(from.built_at)}) to version ${to.version} (${time(to.built_at)})`;
  const title = hanging('', 2, versions, style, style.bold);
  if (is_same) return `${title}no difference\n`;
  const { appeared, vanished, renamed } = networks;
  const counts = [appeared, vanished, renamed].map(({ count }) => formatCount(count));
  return [
    title,
    formatTotals(diff, style),
    `networks: ${counts[0]} appeared, ${counts[1]} vanished, ${counts[2]} renamed\n`,
    ...listsOf(diff).flatMap(([what, changes]) => formatChanges(what, changes, style)),
    ...formatNetworks(diff, style),
    formatSources(diff, style),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** Kinds of change that have a list of entries, in the order of output. */
function listsOf(diff: DatasetDiff): [what: string, changes: Changes<Shown>][] {
  const { prefixes, origins, countries, flags, ai_company, cloud_provider } = diff;
  const name = ({ asn, asn_name }: { asn: number; asn_name: string }) => `AS${asn} ${asn_name}`;
  return [
    ['prefixes gained', shown(prefixes.gained, (entry) => [entry.prefix, name(entry)])],
    ['prefixes lost', shown(prefixes.lost, (entry) => [entry.prefix, name(entry)])],
    ['origin changed', shown(origins, ({ prefix, from, to }) => [prefix, `${name(from)} → ${name(to)}`])],
    ['country changed', shown(countries, ({ network, from, to }) => [network, `${from} → ${to}`])],
    ...FLAGS.flatMap((flag): [string, Changes<Shown>][] => [
      [`${flag} gained`, shown(flags[flag].gained, (entry) => [entry.network, name(entry)])],
      [`${flag} lost`, shown(flags[flag].lost, (entry) => [entry.network, name(entry)])],
    ]),
    ...Object.entries({ ai_company, cloud_provider }).map(([field, changes]): [string, Changes<Shown>] => [
      `${field} changed`,
      shown(changes, ({ network, from = 'none', to = 'none' }) => [network, `${from} → ${to}`]),
    ]),
  ];
}

type Shown = { network: string; text: string };

function shown<Entry>({ ipv4, ipv6 }: Changes<Entry>, describe: (entry: Entry) => [string, string]): Changes<Shown> {
  const show = (entry: Entry) => {
    const [network, text] = describe(entry);
    return { network, text };
  };
  return {
    ipv4: { ...ipv4, largest: ipv4.largest.map((entry) => ({ ...show(entry), addresses: entry.addresses })) },
    ipv6: { ...ipv6, largest: ipv6.largest.map((entry) => ({ ...show(entry), slash48s: entry.slash48s })) },
  };
}

/** One line per kind of change; kinds without changes are omitted. */
function formatTotals(diff: DatasetDiff, style: Style): string {
  const amounts: [string, Amount][] = [
    ['addresses gained', diff.addresses.gained],
    ['addresses lost', diff.addresses.lost],
    ...listsOf(diff),
    ...diff.levels.map(({ from, to, ...amount }): [string, Amount] => [`threat ${from} → ${to}`, amount]),
  ];
  const rows = amounts
    .filter(([, { ipv4, ipv6 }]) => ipv4.count + ipv6.count > 0)
    .map(([what, { ipv4, ipv6 }]) => [
      what,
      ...[ipv4.count, ipv4.addresses, ipv6.count, ipv6.slash48s].map((count) => formatCount(count)),
    ]);
  const [head, ...counts] = alignRight([['', 'IPv4', 'addresses', 'IPv6', '/48s'], ...rows], [1, 2, 3, 4]);
  return formatTable(counts, style, { head: head ?? [] });
}

function formatChanges(what: string, { ipv4, ipv6 }: Changes<Shown>, style: Style): string[] {
  const list = (family: string, listed: Listed, rows: (Shown & { size: number })[]) => {
    if (listed.count === 0) return '';
    const cells = rows.map(({ network, size, text }) => [`  ${network}`, formatCount(size), text]);
    return heading(`${what}, ${family}`, listed, style) + formatTable(alignRight(cells, [1]), style);
  };
  return [
    list(
      'IPv4',
      ipv4,
      ipv4.largest.map((entry) => ({ ...entry, size: entry.addresses })),
    ),
    list(
      'IPv6',
      ipv6,
      ipv6.largest.map((entry) => ({ ...entry, size: entry.slash48s })),
    ),
  ];
}

function formatNetworks({ networks: { appeared, vanished, renamed } }: DatasetDiff, style: Style): string[] {
  const text = (entry: { asn_name: string } | { from: string; to: string }) =>
    'asn_name' in entry ? entry.asn_name : `${entry.from} → ${entry.to}`;
  return Object.entries({ appeared, vanished, renamed }).map(([what, { count, largest }]) => {
    if (count === 0) return '';
    const rows = largest.map((entry) => [`  AS${entry.asn}`, formatCount(entry.ipv4_addresses), text(entry)]);
    return heading(`networks ${what}`, { count, largest }, style) + formatTable(alignRight(rows, [1]), style);
  });
}

type Listed = { count: number; largest: readonly unknown[] };

function heading(what: string, { count, largest }: Listed, { bold }: Style): string {
  const cut = largest.length < count ? `, the largest ${formatCount(largest.length)} of ${formatCount(count)}` : '';
  return `${bold(`${what}${cut}`)}\n`;
}

function formatSources({ sources }: DatasetDiff, style: Style): string {
  const rows = sources
    .filter(({ from, to }) => from?.as_of !== to?.as_of || from?.records !== to?.records)
    .map(({ id, from, to }) => [
      `  ${id}`,
      from?.as_of ?? 'absent',
      to?.as_of ?? 'absent',
      from === undefined ? '' : formatCount(from.records),
      to === undefined ? '' : formatCount(to.records),
    ]);
  if (rows.length === 0) return '';
  const [head, ...cells] = alignRight([['sources', 'as of', '', 'records', ''], ...rows], [3, 4]);
  return formatTable(cells, style, { head: head ?? [] });
}

function alignRight(rows: readonly (readonly string[])[], columns: readonly number[]): string[][] {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const widths = new Map(columns.map((column) => [column, width(column)]));
  return rows.map((row) => row.map((cell, i) => cell.padStart(widths.get(i) ?? 0)));
}
