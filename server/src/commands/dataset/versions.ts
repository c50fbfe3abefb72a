/** `wh dataset list|verify|use`: the versions in the data directory. */
import { resolve } from 'node:path';
import type { Refusal } from '@whence/dataset/record';
import { readManifest, type VersionEntry, verifyVersion } from '@whence/dataset/versions';
import type { Config } from '../../settings/config.ts';
import { type DataFolder, describeFolder } from '../../settings/data-folder.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import { formatFigures } from '../../terminal/figures.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { jsonLine } from '../../terminal/printable.ts';
import { withDataDirErrors } from '../../terminal/setting-errors.ts';
import { fit, hanging, print, type Style, type Terminal, unpainted } from '../../terminal/style.ts';
import { type Cell, formatCount, formatMegabytes, formatTable } from '../../terminal/table.ts';
import { switchVersion } from '../../versions/switch-version.ts';
import { noDatasetError } from '../local-dataset.ts';
import { operator } from '../operator.ts';
import { findVersion } from './find-version.ts';
import { commandAudit } from './version-audit.ts';

type Options = { json?: boolean };

export function datasetList(folder: DataFolder, options: Options, terminal: Terminal): ExitCode {
  const { stdout } = terminal;
  const dataDir = folder.path;
  const { current, versions } = readManifest(dataDir) ?? { current: 0, versions: [] };
  if (options.json === true) {
    stdout.write(jsonLine({ data_dir: resolve(dataDir), found: folder.origin, current, versions }));
    return 0;
  }
  if (versions.length === 0) {
    stdout.write(`${noDatasetError(dataDir).message}\n`);
    return 0;
  }
  const style = fit(terminal);
  stdout.write(hanging('', 2, `data directory: ${describeFolder(folder)}`, style));
  const rows = versions.map(({ version, built_at, bytes, counts }): Cell[] => [
    [version === current ? '*' : '', style.green],
    [String(version), version === current ? style.green : unpainted],
    built_at.slice(0, 16).replace('T', ' '),
    formatMegabytes(bytes),
    formatCount(counts.ipv4_prefixes + counts.ipv6_prefixes),
    formatCount(counts.asns),
  ]);
  const head = ['', 'version', 'built (UTC)', 'size', 'prefixes', 'networks'];
  stdout.write(formatTable(rows, style, { head }));
  const entry = versions.find(({ version }) => version === current);
  if (entry !== undefined)
    stdout.write(
      `\n${formatAge(entry, style)}${formatSources(entry, style)}\n${formatFigures(entry.figures, style)}`,
    );
  return 0;
}

/** The age of the data, which the time of the build does not show. */
function formatAge({ data_sources = {} }: VersionEntry, style: Style): string {
  const parts = Object.entries(data_sources).map(
    ([field, { source, as_of }]) => `${field} ${as_of} (${source})`,
  );
  return parts.length === 0
    ? ''
    : `${hanging('', 2, `oldest deciding source: ${parts.join(', ')}`, style)}\n`;
}

function formatSources({ version, sources, refused = [] }: VersionEntry, style: Style): string {
  const rows = sources.map(({ id, as_of, records, licence, credit }) => [
    '',
    id,
    as_of,
    formatCount(records),
    licence,
    credit,
  ]);
  const head = ['', `sources of version ${version}`, 'as of', 'records', 'licence', 'credit'];
  const refusedTable =
    refused.length === 0
      ? ''
      : `\n${formatTable(refusalRows(refused, style), style, { head: ['', 'refused', '', 'reason'] })}`;
  return `${formatTable(rows, style, { head })}${refusedTable}`;
}

export function refusalRows(refused: readonly Refusal[], { red, yellow }: Style): Cell[][] {
  return refused.map(({ id, reason, used }) => [
    '',
    id,
    used === undefined ? ['not used', red] : [`copy of ${used} used`, yellow],
    reason,
  ]);
}

export function datasetVerify(
  dataDir: string,
  version: number | undefined,
  options: Options,
  terminal: Terminal,
): ExitCode {
  const { stdout } = terminal;
  const style = fit(terminal);
  const entries =
    version === undefined
      ? (readManifest(dataDir)?.versions ?? [])
      : [findVersion(dataDir, version)];
  if (entries.length === 0) throw noDatasetError(dataDir);
  const results = entries.map((entry) => ({
    version: entry.version,
    error: verificationError(dataDir, entry),
  }));
  for (const { version: number, error } of results) {
    const isValid = error === undefined;
    if (options.json === true)
      stdout.write(jsonLine({ version: number, is_valid: isValid, ...(isValid ? {} : { error }) }));
    else
      stdout.write(
        hanging(
          `version ${number}: `,
          2,
          error ?? 'valid',
          style,
          isValid ? style.green : style.red,
        ),
      );
  }
  return results.every(({ error }) => error === undefined) ? 0 : 1;
}

export async function datasetUse(
  place: Pick<Config, 'dataDir' | 'storageLocation'>,
  version: number,
  options: Options,
  streams: CommandStreams,
): Promise<ExitCode> {
  const { dataDir } = place;
  return withDataDirErrors<Promise<ExitCode>>(dataDir, async () => {
    const entry = findVersion(dataDir, version);
    await switchVersion(
      dataDir,
      entry,
      commandAudit(place, streams.stderr),
      operator(),
      new Date(),
    );
    return print(streams, options, { current: version }, () => `version ${version} is current\n`);
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
