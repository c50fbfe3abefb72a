/** `wh dataset build|update`: from sources to the next version. */
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatasetError } from '@whence/dataset/dataset-error';
import { compile } from '@whence/dataset/internal/compile/compile';
import { readEmbedded } from '@whence/dataset/internal/compile/embedded';
import { type CompileInput, repeatedSources, sourcesOf } from '@whence/dataset/internal/compile/input/compile-input';
import { liveInput } from '@whence/dataset/internal/compile/live';
import { dayOfMs } from '@whence/dataset/internal/data-age';
import { FeedCache } from '@whence/dataset/internal/feeds/feed-cache';
import { type IngestOptions, ingestFeeds, type UnreachableFeeds } from '@whence/dataset/internal/feeds/ingest';
import { Dataset } from '@whence/dataset/internal/file/read';
import { type Content, encodeContent, encodeDataset } from '@whence/dataset/internal/file/write';
import { withLock } from '@whence/dataset/internal/io/lock';
import { measureQuality } from '@whence/dataset/internal/quality/measure';
import { compileSupplement } from '@whence/dataset/internal/supplement/compile-supplement';
import { checkWritable, openCurrent, publish, type VersionEntry } from '@whence/dataset/internal/versions/publish';
import type { Refusal } from '@whence/dataset/record';
import { readIndex, type WrittenList } from '../../geoip-files/file-index.ts';
import { writeLists } from '../../geoip-files/write-lists.ts';
import type { Config } from '../../settings/config.ts';
import { describeFolder } from '../../settings/data-folder.ts';
import { type ExitCode, UsageError } from '../../terminal/exit.ts';
import { formatFigures } from '../../terminal/figures.ts';
import type { Output } from '../../terminal/output.ts';
import { jsonLine } from '../../terminal/printable.ts';
import { PROGRAM } from '../../terminal/program-name.ts';
import { ProgressBar } from '../../terminal/progress-bar.ts';
import { formatQuality } from '../../terminal/quality.ts';
import { withDataDirErrors } from '../../terminal/setting-errors.ts';
import { fit, hanging, type Terminal } from '../../terminal/style.ts';
import { formatCount, formatMegabytes, formatTable } from '../../terminal/table.ts';
import { announcingBuild } from '../../versions/running-build.ts';
import { readUpdateReport, UpdateReporter } from '../../versions/update-report.ts';
import { locatePackage, publishEmbedded } from '../embedded-data.ts';
import { type FeedSettings, readFeeds } from './feeds.ts';
import { checkFeedsFile } from './feeds-file.ts';
import { findVersion } from './find-version.ts';
import { ImplausibleResultError, requirePlausible } from './implausible-result.ts';
import { refusalRows } from './versions.ts';

type BuildSettings = Pick<Config, 'dataDir' | 'dataFolder' | 'feeds'>;

type ReportOptions = { json?: boolean; quality?: boolean };

type UpdateOptions = ReportOptions & {
  force?: boolean;
  retry?: boolean;
  retryNow?: boolean;
  accept?: readonly string[];
  acceptChanges?: boolean;
};

type UpdateSettings = BuildSettings & FeedSettings & Pick<Config, 'mask'>;

type CommandContext = Terminal & { readonly now: () => Date; readonly stderr: Output };

export async function datasetBuild(
  settings: BuildSettings,
  options: ReportOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { dataDir } = settings;
  return withDataDirErrors(dataDir, async (): Promise<ExitCode> => {
    checkFeedsFile(settings);
    checkWritable(dataDir);
    const started = context.now();
    const bar = new ProgressBar(context.stderr);
    try {
      const built = publishEmbedded(dataDir)
        ? { version: 1, isNew: true, entry: findVersion(dataDir, 1) }
        : await announcingBuild(dataDir, started, () => buildVersion(dataDir, context, bar));
      bar.finish();
      report(settings, built, [], [], started, options, context);
      if (readUpdateReport(dataDir)?.succeeded_at !== undefined)
        context.stderr.write(
          `note: this version does not contain the feeds; ${PROGRAM} dataset update builds one that does\n`,
        );
      return 0;
    } finally {
      bar.finish();
    }
  });
}

function buildVersion(dataDir: string, context: CommandContext, bar: ProgressBar): Built {
  const input = readEmbedded(locatePackage, (step, share) => bar.show(step, share * 0.3));
  return compileVersion(dataDir, { ...input, day: dayOfMs(context.now().getTime()) }, [], context, {
    progress: (step, share) => bar.show(step, 0.3 + share * 0.7),
    check: (content) => requirePlausible(dataDir, content, new Set(sourcesOf(input).map(({ id }) => id))),
  });
}

/** Fetches the feeds that are due, compiles and publishes. Fails only if no feed can be read; refused feeds are reported. */
export async function datasetUpdate(
  settings: UpdateSettings,
  options: UpdateOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { dataDir } = settings;
  const started = context.now();
  return withDataDirErrors(dataDir, async (): Promise<ExitCode> => {
    checkWritable(dataDir);
    const cache = new FeedCache(dataDir);
    return withLock(join(dataDir, 'feeds'), 'updating the dataset', async (): Promise<ExitCode> => {
      const bar = new ProgressBar(context.stderr);
      const reporter = new UpdateReporter(dataDir, started, settings.mask);
      /** The failure in one sentence, where the message for the terminal lists the reason of every feed. */
      let summary: string | undefined;
      const show = (step: string, share: number) => {
        bar.show(step, share);
        reporter.step(step, share);
      };
      try {
        show('reading the catalogue', 0);
        const feeds = (await readFeeds(settings)).filter(({ isOn }) => isOn);
        const accepted = new Set(options.accept);
        for (const id of accepted)
          if (!feeds.some((feed) => feed.id === id))
            throw new UsageError(
              `--accept ${id}: no enabled feed has this id; list feeds with: ${PROGRAM} dataset feeds`,
            );
        const { ingested, refused, unreachable, paused } = await ingestFeeds(
          feeds,
          cache,
          {
            now: context.now,
            sleep,
            isForced: options.force === true,
            accepted,
            ...retryOf(options, context.stderr.isTTY === true),
            network: { proxies: settings.proxies },
            contact: settings.contact,
          },
          ({ id }, outcome, share, isUsed) => {
            const done = Math.round(share * feeds.length);
            reporter.step(`feed ${done} of ${feeds.length}, ${id}: ${outcome}`, share * 0.4);
            // In a log, the reasons follow at the end: without a network there would be one line for each feed.
            if (isUsed || context.stderr.isTTY === true) bar.show(`${id}: ${outcome}`, share * 0.4);
          },
        );
        const problem = feedProblem({ feeds: feeds.length, refused: refused.length, unreachable });
        reporter.feeds = { refused, ...(problem && { problem }), ...(paused.length > 0 && { paused }) };
        if (ingested.length === 0) {
          summary = problem;
          const silent = unreachable.dns + unreachable.connection;
          // Without a network every feed has the same reason, which is said once.
          if (silent === feeds.length)
            throw new DatasetError(
              `none of the ${feeds.length} feeds can be reached: ${noNetwork(unreachable, refused)}. Check the ` +
                'internet connection, or set HTTPS_PROXY. The current version is unchanged.',
            );
          throw new DatasetError(`none of the ${feeds.length} feeds could be read${reasons(refused)}`);
        }
        const embedded = readEmbedded(locatePackage, (step, share) => show(step, 0.4 + share * 0.1));
        const input = liveInput(embedded, ingested, dayOfMs(context.now().getTime()));
        const known = new Set(sourcesOf(embedded).map(({ id }) => id));
        const built = compileVersion(dataDir, input, refused, context, {
          progress: (step, share) => show(step, 0.5 + share * 0.5),
          check: (content) => {
            if (options.acceptChanges !== true) requirePlausible(dataDir, content, known);
          },
          supplement: (dataset) => compileSupplement(ingested, cache, dataset),
        });
        const held = await writeHeldLists(dataDir, dayOfMs(context.now().getTime()), options.acceptChanges === true);
        bar.finish();
        report(settings, built, refused, held, started, options, context);
        reporter.succeed(context.now(), built.version, built.isNew);
        return 0;
      } catch (error) {
        if (error instanceof ImplausibleResultError) for (const id of error.causes) cache.distrust(id);
        reporter.fail(context.now(), summary ?? (error as Error).message);
        if (!(error instanceof ImplausibleResultError)) throw error;
        const { width } = fit({ stdout: context.stderr, environment: context.environment });
        throw new DatasetError(error.messageIn(width));
      } finally {
        bar.finish();
      }
    });
  });
}

/** Lists for firewalls that keep their prefixes: the server that serves them writes them in the same way. */
async function writeHeldLists(dataDir: string, day: string, isAccepted: boolean): Promise<readonly WrittenList[]> {
  if (readIndex(dataDir).lists === undefined) return [];
  await writeLists(dataDir, day, undefined, isAccepted);
  return readIndex(dataDir).lists?.lists.filter(({ heldFrom }) => heldFrom !== undefined) ?? [];
}

/** A person at a terminal asks for an answer now, not a schedule. */
function retryOf({ retry, retryNow }: UpdateOptions, isPerson: boolean): Pick<IngestOptions, 'retry'> {
  if (retryNow === true) return { retry: 'paused' };
  return retry === true || isPerson ? { retry: 'failed' } : {};
}

type Built = { readonly version: number; readonly isNew: boolean; readonly entry: VersionEntry };

type CompileSteps = {
  readonly progress: (step: string, share: number) => void;
  /** Throws if the content must not be published. */
  readonly check?: (content: Content) => void;
  readonly supplement?: (dataset: Dataset) => Buffer | undefined;
};

function compileVersion(
  dataDir: string,
  input: CompileInput,
  refused: readonly Refusal[],
  { now }: CommandContext,
  { progress, check, supplement }: CompileSteps,
): Built {
  const compiled = compile(input, (step, share) => progress(step, share * 0.85));
  progress('writing', 0.85);
  const encoded = encodeContent(compiled, refused);
  const dataset = new Dataset(encodeDataset(encoded, 1, now()));
  const content = measured(dataDir, encoded, dataset, input);
  progress('checking', 0.95);
  check?.(content);
  const { version, isNew } = publish(dataDir, content, now(), supplement?.(dataset));
  return { version, isNew, entry: findVersion(dataDir, version) };
}

/** The content with its quality, which is measured on the dataset as it will be read. */
function measured(dataDir: string, content: Content, dataset: Dataset, input: CompileInput): Content {
  const quality = measureQuality(content.meta.quality, dataset, currentIfWhole(dataDir), repeatedSources(input));
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

function report(
  { dataDir, dataFolder }: BuildSettings,
  { version, isNew, entry }: Built,
  refused: readonly Refusal[],
  held: readonly WrittenList[],
  started: Date,
  { json, quality: withQuality }: ReportOptions,
  { now, ...terminal }: CommandContext,
): void {
  const { stdout } = terminal;
  const style = fit(terminal);
  const { counts, bytes, figures, quality } = entry;
  const seconds = (now().getTime() - started.getTime()) / 1000;
  if (json === true) {
    stdout.write(
      jsonLine({
        version,
        is_new: isNew,
        data_dir: resolve(dataDir),
        seconds,
        bytes,
        counts,
        figures,
        quality,
        refused,
        ...(held.length > 0 && { held_lists: held.map(({ name }) => name) }),
      }),
    );
    return;
  }
  const outcome =
    `${isNew ? `version ${version}` : `no change: version ${version} has the same content`}: ` +
    `${formatCount(counts.ipv4_prefixes)} IPv4 and ${formatCount(counts.ipv6_prefixes)} IPv6 prefixes, ` +
    `${formatCount(counts.asns)} networks, ${formatMegabytes(bytes)}, ${seconds.toFixed(1)} s`;
  stdout.write(hanging('', 2, outcome, style));
  stdout.write(hanging('', 2, `data directory: ${describeFolder(dataFolder)}`, style));
  if (withQuality === true) stdout.write(formatFigures(figures, style) + formatQuality(quality, style));
  for (const { name, version: from } of held)
    stdout.write(
      hanging(
        '',
        2,
        `list ${name} keeps the prefixes of version ${from}: this one has too few. If that is right, run ${PROGRAM} dataset update --accept-changes`,
        style,
      ),
    );
  if (refused.length > 0) stdout.write(`${style.bold('refused:')}\n${formatTable(refusalRows(refused, style), style)}`);
}

function noNetwork({ dns, connection }: UnreachableFeeds, [first]: readonly Refusal[]): string {
  const what = connection === 0 ? 'DNS does not answer' : dns === 0 ? 'no connection' : 'no DNS or no connection';
  return `${what}${first === undefined ? '' : ` (${first.id}: ${first.reason})`}`;
}

function reasons(refused: readonly Refusal[]): string {
  return refused.map(({ id, reason }) => `\n  ${id}: ${reason}`).join('');
}

/** What went wrong with the feeds of an update, in one sentence. The refusals have the reason of each feed. */
type FeedOutcome = { readonly feeds: number; readonly refused: number; readonly unreachable: UnreachableFeeds };

export function feedProblem({ feeds, refused, unreachable: { dns, connection } }: FeedOutcome): string | undefined {
  if (refused === 0) return undefined;
  const silent = dns + connection;
  const of = (amount: number) => `${amount} of ${feeds} ${feeds === 1 ? 'feed' : 'feeds'}`;
  if (silent === 0) return `${of(refused)} refused`;
  const cause = dns === silent ? 'no DNS' : connection === silent ? 'no connection' : 'no DNS or no connection';
  const others = refused - silent;
  return `${of(silent)} unreachable: ${cause}${others === 0 ? '' : `; ${others} refused`}`;
}
