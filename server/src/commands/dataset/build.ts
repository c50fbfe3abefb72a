/** `whence dataset build|update`: from sources to the next version. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compile } from '@whence/dataset/compile';
import { type CompileInput, sourcesOf } from '@whence/dataset/compile-input';
import { readEmbedded } from '@whence/dataset/embedded';
import { FeedCache } from '@whence/dataset/feed-cache';
import { DatasetError } from '@whence/dataset/format';
import { ingestFeeds } from '@whence/dataset/ingest';
import { liveInput } from '@whence/dataset/live';
import { withLock } from '@whence/dataset/lock';
import { type Overrides, parseOverrides } from '@whence/dataset/overrides';
import { checkWritable, publish, type VersionEntry } from '@whence/dataset/publish';
import type { Refusal } from '@whence/dataset/record';
import { type Content, encodeContent } from '@whence/dataset/write';
import { withDataDirErrors } from '../../terminal/data-dir-errors.ts';
import { type ExitCode, UsageError } from '../../terminal/exit.ts';
import { formatFigures } from '../../terminal/figures.ts';
import type { Output } from '../../terminal/output.ts';
import { ProgressBar } from '../../terminal/progress-bar.ts';
import { formatCount, formatMegabytes, formatTable } from '../../terminal/table.ts';
import { readUpdateReport, UpdateReporter } from '../../updates/update-report.ts';
import { findVersion } from '../local-dataset.ts';
import { checkSettingFile } from '../setting-file.ts';
import { type FeedSettings, readFeeds } from './feeds.ts';
import { checkFeedsFile } from './feeds-file.ts';
import { ImplausibleResultError, requirePlausible } from './implausible-result.ts';

export type BuildSettings = {
  readonly dataDir: string;
  /** A file of overrides; without it `overrides.json` in the data directory, if it is there. */
  readonly overrides: string | undefined;
  readonly feeds: string | undefined;
};

export type UpdateSettings = BuildSettings & FeedSettings;

type CommandContext = { readonly now: () => Date; readonly stdout: Output; readonly stderr: Output };

export function datasetBuild(settings: BuildSettings, options: { json?: boolean }, context: CommandContext): ExitCode {
  const { dataDir } = settings;
  return withDataDirErrors(dataDir, () => {
    checkFeedsFile(settings);
    const overrides = readOverrides(settings);
    checkWritable(dataDir);
    const started = context.now();
    const bar = new ProgressBar(context.stderr);
    try {
      const input = readEmbedded(locatePackage, (step, share) => bar.show(step, share * 0.3));
      const built = compileVersion(dataDir, { ...input, ...overrides }, [], context, (step, share) =>
        bar.show(step, 0.3 + share * 0.7),
      );
      bar.finish();
      report(built, [], started, options, context);
      if (readUpdateReport(dataDir)?.succeeded_at !== undefined)
        context.stderr.write(
          'note: this version is made without the feeds; whence dataset update makes one with them\n',
        );
      return 0;
    } finally {
      bar.finish();
    }
  });
}

/** Fetches what is due, compiles, publishes. Refused feeds are reported; only if no feed can be read does it fail. */
export async function datasetUpdate(
  settings: UpdateSettings,
  options: { json?: boolean; force?: boolean; accept?: readonly string[]; acceptChanges?: boolean },
  context: CommandContext,
): Promise<ExitCode> {
  const { dataDir } = settings;
  const started = context.now();
  return withDataDirErrors(dataDir, async (): Promise<ExitCode> => {
    checkWritable(dataDir);
    const cache = new FeedCache(dataDir);
    return withLock(join(dataDir, 'feeds'), 'updating the dataset', async (): Promise<ExitCode> => {
      const bar = new ProgressBar(context.stderr);
      const reporter = new UpdateReporter(dataDir, started);
      const show = (step: string, share: number) => {
        bar.show(step, share);
        reporter.step(step);
      };
      try {
        show('reading the catalogue', 0);
        const overrides = readOverrides(settings);
        const feeds = (await readFeeds(settings)).filter(({ isOn }) => isOn);
        const accepted = new Set(options.accept);
        for (const id of accepted)
          if (!feeds.some((feed) => feed.id === id))
            throw new UsageError(`--accept ${id}: there is no such feed in use`);
        const { ingested, refused } = await ingestFeeds(
          feeds,
          cache,
          {
            now: context.now,
            sleep,
            isForced: options.force === true,
            accepted,
            network: { proxies: settings.proxies },
            ...(settings.contact === undefined ? {} : { contact: settings.contact }),
          },
          ({ id }, outcome, share) => show(`${id}: ${outcome}`, share * 0.4),
        );
        if (ingested.length === 0)
          throw new DatasetError(`none of the ${feeds.length} feeds could be read${reasons(refused)}`);
        const embedded = readEmbedded(locatePackage, (step, share) => show(step, 0.4 + share * 0.1));
        const input = { ...liveInput(embedded, ingested), ...overrides };
        const known = new Set(sourcesOf({ ...embedded, ...overrides }).map(({ id }) => id));
        const built = compileVersion(
          dataDir,
          input,
          refused,
          context,
          (step, share) => show(step, 0.5 + share * 0.5),
          (content) => {
            if (options.acceptChanges !== true) requirePlausible(dataDir, content, known);
          },
        );
        bar.finish();
        report(built, refused, started, options, context);
        reporter.succeed(context.now(), built.version, built.isNew, refused);
        return 0;
      } catch (error) {
        if (error instanceof ImplausibleResultError) for (const id of error.causes) cache.distrust(id);
        reporter.fail(context.now(), (error as Error).message);
        throw error;
      } finally {
        bar.finish();
      }
    });
  });
}

type Built = { readonly version: number; readonly isNew: boolean; readonly entry: VersionEntry };

function compileVersion(
  dataDir: string,
  input: CompileInput,
  refused: readonly Refusal[],
  { now }: CommandContext,
  progress: (step: string, share: number) => void,
  check: (content: Content) => void = () => {},
): Built {
  const compiled = compile(input, (step, share) => progress(step, share * 0.85));
  progress('writing', 0.85);
  const content = encodeContent(compiled, refused);
  check(content);
  const { version, isNew } = publish(dataDir, content, now());
  return { version, isNew, entry: findVersion(dataDir, version) };
}

/** Read before the work begins, so that a mistake in the file is reported at once. */
function readOverrides({ overrides: path, dataDir }: BuildSettings): { overrides?: Overrides } {
  const file = path ?? join(dataDir, 'overrides.json');
  if (path !== undefined) checkSettingFile('WHENCE_OVERRIDES', path);
  else if (!existsSync(file)) return {};
  try {
    const day = statSync(file).mtime.toISOString().slice(0, 10);
    return { overrides: parseOverrides(readFileSync(file, 'utf8'), day) };
  } catch (error) {
    throw new DatasetError(`${file}: ${(error as Error).message}`);
  }
}

function report(
  { version, isNew, entry }: Built,
  refused: readonly Refusal[],
  started: Date,
  { json }: { json?: boolean },
  { now, stdout }: CommandContext,
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
