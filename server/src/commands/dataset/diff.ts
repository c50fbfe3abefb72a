/** `wh dataset diff A B`: what changed between two versions: counts, and the largest changes of each kind. */
import { DatasetError } from '@whence/dataset/dataset-error';
import {
  type AttributeChange,
  type DatasetDiff,
  diffDatasets,
  type SourceChange,
} from '@whence/dataset/internal/diff/diff';
import { MAX_DIFF_LIMIT } from '@whence/dataset/internal/diff/limit';
import { type Dataset, openDataset } from '@whence/dataset/internal/file/read';
import { type Manifest, readManifest, versionPath } from '@whence/dataset/internal/versions/publish';
import { type ExitCode, UsageError } from '../../terminal/exit.ts';
import { hanging, print, type Style, type Terminal } from '../../terminal/style.ts';
import { countOf, formatCount, formatTable } from '../../terminal/table.ts';
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

function formatDiff({ from, to, is_same, changes, sources }: DatasetDiff, style: Style): string {
  const time = (builtAt: string) => `${builtAt.slice(0, 16).replace('T', ' ')} UTC`;
  const versions = `version ${from.version} (${time(from.built_at)}) to version ${to.version} (${time(to.built_at)})`;
  const title = hanging('', 2, versions, style, style.bold);
  if (is_same) return `${title}no difference\n`;
  return [
    title,
    formatTotals(changes, style),
    ...changes.map((change) => formatLargest(change, style)),
    formatSources(sources, style),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

const FAMILIES = { ipv4: 'IPv4', ipv6: 'IPv6' } as const;
const UNITS = { ipv4: { noun: 'address', plural: 'es' }, ipv6: { noun: '/48', plural: 's' } } as const;

const nameOf = ({ attribute, change }: AttributeChange) => `${attribute.replace(/^is_/, '')} ${change}`;

function formatTotals(changes: readonly AttributeChange[], style: Style): string {
  const rows = changes.map((change) => [
    nameOf(change),
    FAMILIES[change.family],
    formatCount(change.count),
    countOf(change.size, UNITS[change.family].noun, UNITS[change.family].plural),
  ]);
  return formatTable(rows, style, { head: ['', '', 'networks', 'size'] });
}

function formatLargest(change: AttributeChange, style: Style): string {
  const { family, count, largest } = change;
  const cut = largest.length < count ? `, the largest ${formatCount(largest.length)} of ${formatCount(count)}` : '';
  const rows = largest.map(({ network, asn, asn_name, from, to, size }) => [
    `  ${network}`,
    formatCount(size),
    from === undefined && to === undefined ? '' : `${from ?? 'none'} → ${to ?? 'none'}`,
    `AS${asn} ${asn_name}`,
  ]);
  return `${style.bold(`${nameOf(change)}, ${FAMILIES[family]}${cut}`)}\n${formatTable(rows, style)}`;
}

function formatSources(sources: readonly SourceChange[], style: Style): string {
  const records = (state: SourceChange['from']) => (state === undefined ? '' : formatCount(state.records));
  const rows = sources
    .filter(({ from, to }) => from?.as_of !== to?.as_of || from?.records !== to?.records)
    .map(({ id, from, to }) => [
      ...[`  ${id}`, from?.as_of ?? 'absent', to?.as_of ?? 'absent', records(from), records(to)],
    ]);
  return rows.length === 0 ? '' : formatTable(rows, style, { head: ['sources', 'as of', '', 'records', ''] });
}
