/** `whence dataset build|update`: from sources to the next version. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CompileInput, compile } from '@whence/dataset/compile/compile';
import { readEmbedded } from '@whence/dataset/compile/embedded';
import { FeedCache } from '@whence/dataset/compile/feed-cache';
import { takeIn } from '@whence/dataset/compile/intake';
import { liveInput } from '@whence/dataset/compile/live';
import { type Overrides, parseOverrides } from '@whence/dataset/compile/overrides';
import { DatasetError } from '@whence/dataset/format';
import { withLock } from '@whence/dataset/lock';
import { checkWritable, publish, type VersionEntry } from '@whence/dataset/publish';
import type { Refusal } from '@whence/dataset/record';
import { encodeContent } from '@whence/dataset/write';
import { formatFigures } from '../figures-text.ts';
import { ProgressBar } from '../progress-bar.ts';
import { type ExitCode, formatCount, formatMegabytes, formatTable, type Output, UsageError } from '../terminal.ts';
import { readUpdateReport, UpdateReporter } from '../update-report.ts';
import { withDataDirErrors } from './data-dir-errors.ts';
import { readFeeds } from './feeds.ts';
import { findVersion } from './local-dataset.ts';

export type BuildSettings = {
  readonly dataDir: string;
  /** A file of overrides; without it `overrides.json` in the data directory, if it is there. */
  readonly overrides: string | undefined;
};

export type UpdateSettings = BuildSettings & {
  /** A catalogue: a path or a URL. Without it the built-in one. */
  readonly feeds: string | undefined;
  readonly contact: string | undefined;
};

type World = { readonly now: () => Date; readonly stdout: Output; readonly stderr: Output };

export function datasetBuild(settings: BuildSettings, options: { json?: boolean }, world: World): ExitCode {
  const { dataDir } = settings;
  return withDataDirErrors(dataDir, () => {
    checkWritable(dataDir);
    const started = world.now();
    const bar = new ProgressBar(world.stderr);
    try {
      const input = readEmbedded(locatePackage, (step, share) => bar.show(step, share * 0.3));
      const built = compileVersion(settings, input, [], world, (step, share) => bar.show(step, 0.3 + share * 0.7));
      bar.finish();
      report(built, [], started, options, world);
      if (readUpdateReport(dataDir)?.succeeded_at !== undefined)
        world.stderr.write('note: this version is made without the feeds; whence dataset update makes one with them\n');
      return 0;
    } finally {
      bar.finish();
    }
  });
}

/** Fetches what is due, compiles, publishes. Fails only when there is nothing to compile: feeds that were refused are named. */
export async function datasetUpdate(
  settings: UpdateSettings,
  options: { json?: boolean; force?: boolean; accept?: readonly string[] },
  world: World,
): Promise<ExitCode> {
  const { dataDir } = settings;
  const started = world.now();
  return withDataDirErrors(dataDir, async (): Promise<ExitCode> => {
    checkWritable(dataDir);
    const cache = new FeedCache(dataDir);
    return withLock(join(dataDir, 'feeds'), 'updating the dataset', async (): Promise<ExitCode> => {
      const bar = new ProgressBar(world.stderr);
      const reporter = new UpdateReporter(dataDir, started);
      const show = (step: string, share: number) => {
        bar.show(step, share);
        reporter.step(step);
      };
      try {
        show('reading the catalogue', 0);
        const feeds = (await readFeeds(settings.feeds)).filter(({ isOn }) => isOn);
        const accepted = new Set(options.accept);
        for (const id of accepted)
          if (!feeds.some((feed) => feed.id === id))
            throw new UsageError(`--accept ${id}: there is no such feed in use`);
        const { readings, refused } = await takeIn(
          feeds,
          cache,
          {
            now: world.now,
            sleep,
            isForced: options.force === true,
            accepted,
            ...(settings.contact === undefined ? {} : { contact: settings.contact }),
          },
          ({ id }, outcome, share) => show(`${id}: ${outcome}`, share * 0.4),
        );
        if (readings.length === 0)
          throw new DatasetError(`none of the ${feeds.length} feeds could be read${reasons(refused)}`);
        const embedded = readEmbedded(locatePackage, (step, share) => show(step, 0.4 + share * 0.1));
        const input = liveInput(embedded, readings);
        const built = compileVersion(settings, input, refused, world, (step, share) => show(step, 0.5 + share * 0.5));
        bar.finish();
        report(built, refused, started, options, world);
        reporter.succeed(world.now(), built.version, built.isNew, refused);
        return 0;
      } catch (error) {
        reporter.fail(world.now(), (error as Error).message);
        throw error;
      } finally {
        bar.finish();
      }
    });
  });
}

type Built = { readonly version: number; readonly isNew: boolean; readonly entry: VersionEntry };

function compileVersion(
  { dataDir, overrides: path }: BuildSettings,
  input: CompileInput,
  refused: readonly Refusal[],
  { now }: World,
  progress: (step: string, share: number) => void,
): Built {
  const overrides = readOverrides(path, dataDir);
  const compiled = compile({ ...input, ...(overrides && { overrides }) }, (step, share) =>
    progress(step, share * 0.85),
  );
  progress('writing', 0.85);
  const { version, isNew } = publish(dataDir, encodeContent(compiled, refused), now());
  return { version, isNew, entry: findVersion(dataDir, version) };
}

function readOverrides(path: string | undefined, dataDir: string): Overrides | undefined {
  const file = path ?? join(dataDir, 'overrides.json');
  if (path === undefined && !existsSync(file)) return undefined;
  try {
    return parseOverrides(readFileSync(file, 'utf8'), statSync(file).mtime.toISOString().slice(0, 10));
  } catch (error) {
    throw new DatasetError(`${file}: ${(error as Error).message}`);
  }
}

function report(
  { version, isNew, entry }: Built,
  refused: readonly Refusal[],
  started: Date,
  { json }: { json?: boolean },
  { now, stdout }: World,
): void {
  const { counts, bytes, figures } = entry;
  const seconds = (now().getTime() - started.getTime()) / 1000;
  if (json === true) {
    stdout.write(`${JSON.stringify({ version, is_new: isNew, seconds, bytes, counts, figures, refused })}\n`);
    return;
  }
  stdout.write(
    `${isNew ? `version ${version}` : `no change: version ${version} holds the same`}: ` +
      `${formatCount(counts.ipv4_prefixes)} IPv4 and ${formatCount(counts.ipv6_prefixes)} IPv6 prefixes, ` +
      `${formatCount(counts.asns)} networks, ${formatMegabytes(bytes)}, ${seconds.toFixed(1)} s\n`,
  );
  if (figures !== undefined) stdout.write(formatFigures(figures));
  if (refused.length > 0) {
    const rows = refused.map(({ id, reason, used }) => [
      '',
      id,
      used === undefined ? 'not used' : `copy of ${used} used`,
      reason,
    ]);
    stdout.write(`refused:\n${formatTable(rows)}`);
  }
}

function reasons(refused: readonly Refusal[]): string {
  return refused.map(({ id, reason }) => `\n  ${id}: ${reason}`).join('');
}

function locatePackage(name: string): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}
