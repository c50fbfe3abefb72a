/** `whence dataset list|verify|use`: the versions in the data directory. */
import { readManifest, type VersionEntry, verifyVersion } from '@whence/dataset/publish';
import type { Config } from '../../settings/config.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import { formatFigures } from '../../terminal/figures.ts';
import type { Output } from '../../terminal/output.ts';
import { printable } from '../../terminal/printable.ts';
import { formatQuality } from '../../terminal/quality.ts';
import { withDataDirErrors } from '../../terminal/setting-errors.ts';
import { formatCount, formatMegabytes, formatTable } from '../../terminal/table.ts';
import { switchVersion } from '../../versions/switch-version.ts';
import { findVersion, noDatasetError } from '../local-dataset.ts';
import { operator } from '../operator.ts';
import { commandAudit } from './version-audit.ts';

type Options = { json?: boolean };

export function datasetList(dataDir: string, options: Options, stdout: Output): ExitCode {
  const { current, versions } = readManifest(dataDir) ?? { current: 0, versions: [] };
  if (options.json === true) {
    stdout.write(`${JSON.stringify({ current, versions })}\n`);
    return 0;
  }
  if (versions.length === 0) {
    stdout.write(`${noDatasetError(dataDir).message}\n`);
    return 0;
  }
  const rows = versions.map(({ version, built_at, bytes, counts }) => [
    version === current ? '*' : '',
    String(version),
    built_at.slice(0, 16).replace('T', ' '),
    formatMegabytes(bytes),
    formatCount(counts.ipv4_prefixes + counts.ipv6_prefixes),
    formatCount(counts.asns),
  ]);
  stdout.write(formatTable([['', 'version', 'built (UTC)', 'size', 'prefixes', 'networks'], ...rows]));
  const entry = versions.find(({ version }) => version === current);
  if (entry !== undefined) stdout.write(`\n${formatAge(entry)}${formatSources(entry)}`);
  if (entry?.figures !== undefined) stdout.write(`\n${formatFigures(entry.figures)}`);
  if (entry !== undefined) stdout.write(formatQuality(entry.quality ?? []));
  return 0;
}

/** The age of the data, which the time of the build does not show. */
function formatAge({ data_sources = {} }: VersionEntry): string {
  const parts = Object.entries(data_sources).map(([field, { source, as_of }]) => `${field} ${as_of} (${source})`);
  return parts.length === 0 ? '' : `oldest deciding source: ${printable(parts.join(', '))}\n\n`;
}

function formatSources({ version, sources, refused = [] }: VersionEntry): string {
  const rows = sources.map(({ id, as_of, records, licence, credit }) => [
    '',
    id,
    as_of,
    formatCount(records),
    licence,
    credit,
  ]);
  const head = ['', `sources of version ${version}`, 'as of', 'records', 'licence', 'credit'];
  const refusals = refused.map(({ id, reason, used }) => [
    '',
    id,
    used === undefined ? 'not used' : `copy of ${used} used`,
    reason,
  ]);
  const refusedTable = refusals.length === 0 ? '' : `\n${formatTable([['', 'refused', '', 'reason'], ...refusals])}`;
  return formatTable([head, ...rows]) + refusedTable;
}

export function datasetVerify(
  dataDir: string,
  version: number | undefined,
  options: Options,
  stdout: Output,
): ExitCode {
  const entries = version === undefined ? (readManifest(dataDir)?.versions ?? []) : [findVersion(dataDir, version)];
  if (entries.length === 0) throw noDatasetError(dataDir);
  const results = entries.map((entry) => ({
    version: entry.version,
    error: verificationError(dataDir, entry),
  }));
  for (const { version: number, error } of results) {
    const isValid = error === undefined;
    if (options.json === true)
      stdout.write(`${JSON.stringify({ version: number, is_valid: isValid, ...(isValid ? {} : { error }) })}\n`);
    else stdout.write(`version ${number}: ${printable(error ?? 'valid')}\n`);
  }
  return results.every(({ error }) => error === undefined) ? 0 : 1;
}

export async function datasetUse(
  place: Pick<Config, 'dataDir' | 'storageLocation'>,
  version: number,
  options: Options,
  stdout: Output,
  stderr: Output,
): Promise<ExitCode> {
  const { dataDir } = place;
  return withDataDirErrors<Promise<ExitCode>>(dataDir, async () => {
    const entry = findVersion(dataDir, version);
    await switchVersion(dataDir, entry, commandAudit(place, stderr), operator(), new Date());
    stdout.write(
      options.json === true ? `${JSON.stringify({ current: version })}\n` : `version ${version} is current\n`,
    );
    return 0;
  });
}

function verificationError(dataDir: string, entry: VersionEntry): string | undefined {
  try {
    verifyVersion(dataDir, entry);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
