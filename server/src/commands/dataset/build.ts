/** `whence dataset build|update`: from sources to the next version. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compile } from '@whence/dataset/compile';
import { type CompileInput, repeatedSources, sourcesOf } from '@whence/dataset/compile-input';
import { DatasetError } from '@whence/dataset/dataset-error';
import { readEmbedded } from '@whence/dataset/embedded';
import { FeedCache } from '@whence/dataset/feed-cache';
import { ingestFeeds } from '@whence/dataset/ingest';
import { liveInput } from '@whence/dataset/live';
import { withLock } from '@whence/dataset/lock';
import { type Overrides, parseOverrides } from '@whence/dataset/overrides';
import { checkWritable, openCurrent, publish, type VersionEntry } from '@whence/dataset/publish';
import { measureQuality } from '@whence/dataset/quality';
import { Dataset } from '@whence/dataset/read';
import type { Refusal } from '@whence/dataset/record';
import { type Content, encodeContent, encodeDataset } from '@whence/dataset/write';
import { type ExitCode, UsageError } from '../../terminal/exit.ts';
import { formatFigures } from '../../terminal/figures.ts';
import type { Output } from '../../terminal/output.ts';
import { ProgressBar } from '../../terminal/progress-bar.ts';
import { formatQuality } from '../../terminal/quality.ts';
import { checkSettingFile, withDataDirErrors } from '../../terminal/setting-errors.ts';
import { formatCount, formatMegabytes, formatTable } from '../../terminal/table.ts';
import { feedProblem } from '../../versions/feed-problem.ts';
import { readUpdateReport, UpdateReporter } from '../../versions/update-report.ts';
import { findVersion } from '../local-dataset.ts';
import { type FeedSettings, readFeeds } from './feeds.ts';
import { checkFeedsFile } from './feeds-file.ts';
import { ImplausibleResultError, requirePlausible } from './implausible-result.ts';

type BuildSettings = {
  readonly dataDir: string;
  /** File of overrides; the default is `overrides.json` in the data directory, if it exists. */
  readonly overrides: string | undefined;
  readonly feeds: string | undefined;
};

type UpdateSettings = BuildSettings & FeedSettings;

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
          'note: this version does not contain the feeds; whence dataset update builds one that does\n',
        );
      return 0;
    } finally {
      bar.finish();
    }
  });
}

/** Fetches the feeds that are due, compiles and publishes. Fails only if no feed can be read; refused feeds are reported. */
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
      /** The failure in one sentence, where the message for the terminal lists the reason of every feed. */
      let summary: string | undefined;
      const show = (step: string, share: number) => {
        bar.show(step, share);
        reporter.step(step, share);
      };
      try {
        show('reading the catalogue', 0);
        const overrides = readOverrides(settings);
        const feeds = (await readFeeds(settings)).filter(({ isOn }) => isOn);
        const accepted = new Set(options.accept);
        for (const id of accepted)
          if (!feeds.some((feed) => feed.id === id))
            throw new UsageError(`--accept ${id}: no enabled feed has this id; list feeds with: whence dataset feeds`);
        const { ingested, refused, unreachable } = await ingestFeeds(
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
        const problem = feedProblem({ feeds: feeds.length, refused: refused.length, unreachable });
        reporter.feeds = { refused, ...(problem && { problem }) };
        if (ingested.length === 0) {
          summary = problem;
          throw new DatasetError(`none of the ${feeds.length} feeds could be read${reasons(refused)}`);
        }
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
        reporter.succeed(context.now(), built.version, built.isNew);
        return 0;
      } catch (error) {
        if (error instanceof ImplausibleResultError) for (const id of error.causes) cache.distrust(id);
        reporter.fail(context.now(), summary ?? (error as Error).message);
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
  const content = measured(dataDir, encodeContent(compiled, refused), input, now());
  progress('checking', 0.95);
  check(content);
  const { version, isNew } = publish(dataDir, content, now());
  return { version, isNew, entry: findVersion(dataDir, version) };
}

/** The content with its quality, which is measured on the dataset as it will be read. */
function measured(dataDir: string, content: Content, input: CompileInput, now: Date): Content {
  const dataset = new Dataset(encodeDataset(content, 1, now));
  const quality = measureQuality(content.meta.quality ?? [], dataset, currentIfWhole(dataDir), repeatedSources(input));
  return { ...content, meta: { ...content.meta, quality } };
}

function currentIfWhole(dataDir: string): Dataset | undefined {
  try {
    return openCurrent(dataDir);
  } catch {
    // A damaged version must not stop the build that replaces it.
    return undefined;
  }
}

/** Read first, so that a mistake in the file is reported immediately. */
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
  const { counts, bytes, figures, quality = [] } = entry;
  const seconds = (now().getTime() - started.getTime()) / 1000;
  if (json === true) {
    stdout.write(`${JSON.stringify({ version, is_new: isNew, seconds, bytes, counts, figures, quality, refused })}\n`);
    return;
  }
  stdout.write(
    `${isNew ? `version ${version}` : `no change: version ${version} has the same content`}: ` +
      `${formatCount(counts.ipv4_prefixes)} IPv4 and ${formatCount(counts.ipv6_prefixes)} IPv6 prefixes, ` +
      `${formatCount(counts.asns)} networks, ${formatMegabytes(bytes)}, ${seconds.toFixed(1)} s\n`,
  );
  if (figures !== undefined) stdout.write(formatFigures(figures));
  stdout.write(formatQuality(quality));
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
