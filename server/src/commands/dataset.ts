/** `whence dataset build|list|verify|use`: the versions in the data directory. */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { compile } from '@whence/dataset/compile/compile';
import { readEmbedded } from '@whence/dataset/compile/embedded';
import { DatasetError } from '@whence/dataset/format';
import {
  checkWritable,
  publish,
  readManifest,
  useVersion,
  type VersionEntry,
  verifyVersion,
} from '@whence/dataset/publish';
import { encodeContent } from '@whence/dataset/write';
import { ProgressBar } from '../progress-bar.ts';
import { type ExitCode, formatCount, formatMegabytes, formatTable, type Output } from '../terminal.ts';

type Options = { json?: boolean };

export function datasetBuild(
  dataDir: string,
  options: Options,
  now: () => Date,
  stdout: Output,
  stderr: Output,
): ExitCode {
  return withFileErrors(dataDir, () => {
    checkWritable(dataDir);
    const started = now().getTime();
    const bar = new ProgressBar(stderr);
    try {
      const input = readEmbedded(locatePackage, (step, share) => bar.show(step, share * 0.3));
      const compiled = compile(input, (step, share) => bar.show(step, 0.3 + share * 0.6));
      bar.show('writing', 0.9);
      const { version, isNew } = publish(dataDir, encodeContent(compiled), now());
      bar.finish();
      const entry = findVersion(dataDir, version);
      const seconds = (now().getTime() - started) / 1000;
      const { counts, bytes } = entry;
      if (options.json === true)
        stdout.write(`${JSON.stringify({ version, is_new: isNew, seconds, bytes, counts })}\n`);
      else {
        stdout.write(
          `${isNew ? `version ${version}` : `no change: version ${version} holds the same`}: ` +
            `${formatCount(counts.ipv4_prefixes)} IPv4 and ${formatCount(counts.ipv6_prefixes)} IPv6 prefixes, ` +
            `${formatCount(counts.asns)} networks, ${formatMegabytes(bytes)}, ${seconds.toFixed(1)} s\n`,
        );
      }
      return 0;
    } finally {
      bar.finish();
    }
  });
}

export function datasetList(dataDir: string, options: Options, stdout: Output): ExitCode {
  const { current, versions } = readManifest(dataDir) ?? { current: 0, versions: [] };
  if (options.json === true) {
    stdout.write(`${JSON.stringify({ current, versions })}\n`);
    return 0;
  }
  if (versions.length === 0) {
    stdout.write(`there is no dataset in ${dataDir}\n`);
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
  const sources = versions.find(({ version }) => version === current)?.sources ?? [];
  const sourceRows = sources.map(({ id, as_of, licence, credit }) => ['', id, as_of, licence, credit]);
  stdout.write(
    `\n${formatTable([['', `sources of version ${current}`, 'as of', 'licence', 'credit'], ...sourceRows])}`,
  );
  return 0;
}

export function datasetVerify(
  dataDir: string,
  version: number | undefined,
  options: Options,
  stdout: Output,
): ExitCode {
  const entries = version === undefined ? (readManifest(dataDir)?.versions ?? []) : [findVersion(dataDir, version)];
  if (entries.length === 0) throw new DatasetError(`there is no dataset in ${dataDir}`);
  const results = entries.map((entry) => ({
    version: entry.version,
    error: verificationError(dataDir, entry),
  }));
  for (const { version: number, error } of results) {
    const isWhole = error === undefined;
    if (options.json === true)
      stdout.write(`${JSON.stringify({ version: number, is_whole: isWhole, ...(isWhole ? {} : { error }) })}\n`);
    else stdout.write(`version ${number}: ${error ?? 'whole'}\n`);
  }
  return results.every(({ error }) => error === undefined) ? 0 : 1;
}

export function datasetUse(dataDir: string, version: number, options: Options, stdout: Output): ExitCode {
  return withFileErrors(dataDir, () => {
    useVersion(dataDir, version);
    stdout.write(
      options.json === true ? `${JSON.stringify({ current: version })}\n` : `version ${version} is current\n`,
    );
    return 0;
  });
}

function findVersion(dataDir: string, version: number): VersionEntry {
  const entry = readManifest(dataDir)?.versions.find((candidate) => candidate.version === version);
  if (entry === undefined) throw new DatasetError(`there is no version ${version}`);
  return entry;
}

function verificationError(dataDir: string, entry: VersionEntry): string | undefined {
  try {
    verifyVersion(dataDir, entry);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function locatePackage(name: string): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

const WRITE_ERRORS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space left for the dataset',
  EDQUOT: 'no space left for the dataset',
  EFBIG: 'no space left for the dataset',
  EACCES: 'the data directory is not writable',
  EPERM: 'the data directory is not writable',
  EROFS: 'the data directory is not writable',
  ENOTDIR: 'the data directory is not a directory',
  EEXIST: 'the data directory is not a directory',
};

/** Says in words what a file system refused. Versions already published are untouched by any of these. */
function withFileErrors<T>(dataDir: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const words = WRITE_ERRORS[(error as NodeJS.ErrnoException).code ?? ''];
    if (words === undefined) throw error;
    throw new DatasetError(`${words}: ${dataDir} (${(error as Error).message}). Published versions are unchanged.`);
  }
}
