/** `wh dataset build|update`: from sources to the next version. */

import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Build, build } from '@whence/dataset/build';
import { type ChangedShare, changedShares } from '@whence/dataset/check-result';
import type { Dataset } from '@whence/dataset/dataset';
import { DatasetError } from '@whence/dataset/dataset-error';
import { FeedCache } from '@whence/dataset/feeds/cache';
import { ingestFeeds, type UnreachableFeeds } from '@whence/dataset/feeds/ingest';
import { withLock } from '@whence/dataset/io/lock';
import { LOCATION_FEED, storeFetchedLocation } from '@whence/dataset/location';
import type { Refusal } from '@whence/dataset/record';
import { checkWritable, openCurrent, publish, type VersionEntry } from '@whence/dataset/versions';
import { dayOfMs } from '../../day.ts';
import { readIndex, type WrittenList } from '../../geoip-files/file-index.ts';
import { writeLists } from '../../geoip-files/write-lists.ts';
import type { Config } from '../../settings/config.ts';
import { describeFolder } from '../../settings/data-folder.ts';
import { type ExitCode, NegativeAnswer, UsageError } from '../../terminal/exit.ts';
import type { Output } from '../../terminal/output.ts';
import { jsonLine } from '../../terminal/printable.ts';
import { PROGRAM } from '../../terminal/program-name.ts';
import { ProgressBar } from '../../terminal/progress-bar.ts';
import { withDataDirErrors } from '../../terminal/setting-errors.ts';
import { fit, hanging, type Style, type Terminal } from '../../terminal/style.ts';
import { formatCount, formatMegabytes, formatShare, formatTable } from '../../terminal/table.ts';
import { announcingBuild } from '../../versions/running-build.ts';
import { readUpdateReport, UpdateReporter } from '../../versions/update-report.ts';
import { locatePackage, publishEmbedded } from '../embedded-data.ts';
import { type FeedSettings, readFeeds } from './feeds.ts';
import { checkFeedsFile } from './feeds-file.ts';
import { findVersion } from './find-version.ts';
import { ImplausibleResultError, requirePlausible } from './implausible-result.ts';
import { refusalRows } from './versions.ts';

type BuildSettings = Pick<Config, 'dataDir' | 'dataFolder' | 'feeds'>;

type ReportOptions = { json?: boolean };

type UpdateOptions = ReportOptions & {
  refetch?: boolean;
  /** True without a list of feeds. */
  acceptChanges?: true | readonly string[];
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

async function buildVersion(
  dataDir: string,
  { now }: CommandContext,
  bar: ProgressBar,
): Promise<Built> {
  const built = await build({ locate: locatePackage }, now(), (step, share) =>
    bar.show(step, share),
  );
  requirePlausible(dataDir, built);
  return publishBuild(dataDir, built, now());
}

/**
 * Fetches the feeds that are due, compiles and publishes. Fails only if no feed can be read;
 * refused feeds are reported.
 */
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
      const run = { settings, options, context, cache, bar, reporter };
      try {
        const { isNew, version } = await update(run, started);
        reporter.succeed(context.now(), version, isNew);
        return 0;
      } catch (error) {
        if (error instanceof UnknownFeed) throw error;
        if (error instanceof ImplausibleResultError)
          for (const id of error.causes) cache.distrust(id);
        const summary = error instanceof NoFeeds ? error.summary : (error as Error).message;
        const isOffline = error instanceof NoFeeds && error.isOffline;
        reporter.fail(context.now(), summary, isOffline ? { is_offline: true } : {});
        if (!(error instanceof ImplausibleResultError)) throw error;
        const { width } = fit({ stdout: context.stderr, environment: context.environment });
        throw new NegativeAnswer(error.messageIn(width));
      } finally {
        bar.finish();
      }
    });
  });
}

type UpdateRun = {
  readonly settings: UpdateSettings;
  readonly options: UpdateOptions;
  readonly context: CommandContext;
  readonly cache: FeedCache;
  readonly bar: ProgressBar;
  readonly reporter: UpdateReporter;
};

/** Fetching takes this share of the progress bar. */
const SHARE_OF_FETCHING = 0.4;

async function update(run: UpdateRun, started: Date): Promise<Built> {
  const { settings, options, context, bar, reporter } = run;
  const { dataDir } = settings;
  const show = (step: string, share: number) => {
    bar.show(step, share);
    reporter.step(step, share);
  };
  bar.show('reading the catalogue', 0);
  const feeds = (await readFeeds(settings)).filter(({ isOn }) => isOn);
  const isEveryChangeAccepted = options.acceptChanges === true;
  const accepted = acceptedFeeds(options, feeds);
  const { ingested, refused } = await fetchFeeds(run, feeds, accepted);
  const newest = await build(
    { locate: locatePackage, feeds: ingested, refused },
    context.now(),
    (step, share) => show(step, SHARE_OF_FETCHING + share * (1 - SHARE_OF_FETCHING)),
  );
  if (!isEveryChangeAccepted) requirePlausible(dataDir, newest, accepted);
  const built = publishBuild(dataDir, newest, context.now());
  const day = dayOfMs(context.now().getTime());
  const held = await writeHeldLists(dataDir, day, isEveryChangeAccepted);
  bar.finish();
  report(settings, built, refused, held, started, options, context);
  return built;
}

/** Throws if no feed can be read. */
async function fetchFeeds(
  { settings, options, context, cache, bar, reporter }: UpdateRun,
  feeds: Awaited<ReturnType<typeof readFeeds>>,
  accepted: ReturnType<typeof acceptedFeeds>,
) {
  const isTerminal = context.stderr.isTTY === true;
  const { ingested, refused, unreachable, paused } = await ingestFeeds(
    feeds,
    cache,
    {
      now: context.now,
      sleep,
      isForced: options.refetch === true,
      accepted,
      // A person at a terminal wants the result now, not at the next scheduled time.
      isRetrying: isTerminal,
      network: { proxies: settings.proxies },
      contact: settings.contact,
    },
    ({ id }, outcome, share, isUsed) => {
      const done = Math.round(share * feeds.length);
      const step = `feed ${done} of ${feeds.length}, ${id}: ${outcome}`;
      reporter.step(step, share * SHARE_OF_FETCHING);
      // In a log, the reasons follow at the end: without a network there would be one line for each
      // feed.
      if (isUsed || isTerminal) bar.show(`${id}: ${outcome}`, share * SHARE_OF_FETCHING);
    },
  );
  const hasLocations = feeds.some(({ id }) => id === LOCATION_FEED);
  storeFetchedLocation(
    settings.dataDir,
    hasLocations ? cache.contentPath(LOCATION_FEED) : undefined,
  );
  const problem = feedProblem({ feeds: feeds.length, refused: refused.length, unreachable });
  reporter.feeds = {
    refused,
    ...(problem && { problem }),
    ...(paused.length > 0 && { paused }),
  };
  if (ingested.length > 0) return { ingested, refused };
  // Without a network every feed fails for the same reason, which is printed once.
  const isOffline = unreachable.dns + unreachable.connection === feeds.length;
  throw new NoFeeds(
    isOffline
      ? `none of the ${feeds.length} feeds can be reached: ${noNetwork(unreachable, refused)}. Check the ` +
          'internet connection, or set HTTPS_PROXY. The current version is unchanged.'
      : `none of the ${feeds.length} feeds could be read${reasons(refused)}`,
    { summary: problem, isOffline },
  );
}

/** `summary` is the failure in one sentence; the message lists the reason of every feed. */
class NoFeeds extends DatasetError {
  readonly summary: string;
  readonly isOffline: boolean;

  constructor(
    message: string,
    { summary = message, isOffline }: { summary: string | undefined; isOffline: boolean },
  ) {
    super(message);
    this.summary = summary;
    this.isOffline = isOffline;
  }
}

/**
 * Lists for firewalls that keep their prefixes: the server that serves them writes them in the same
 * way.
 */
async function writeHeldLists(
  dataDir: string,
  day: string,
  isAccepted: boolean,
): Promise<readonly WrittenList[]> {
  if (readIndex(dataDir).lists === undefined) return [];
  await writeLists(dataDir, day, undefined, isAccepted);
  return readIndex(dataDir).lists?.lists.filter(({ heldFrom }) => heldFrom !== undefined) ?? [];
}

/** A mistyped option: nothing was tried, so the last update stays the last. */
class UnknownFeed extends UsageError {}

function acceptedFeeds(
  { acceptChanges = [] }: UpdateOptions,
  feeds: readonly { readonly id: string }[],
): ReadonlySet<string> {
  const ids = feeds.map(({ id }) => id);
  const accepted = new Set(acceptChanges === true ? ids : acceptChanges);
  for (const id of accepted)
    if (!ids.includes(id))
      throw new UnknownFeed(
        `--accept-changes ${id}: no enabled feed has this id; list feeds with: ${PROGRAM} dataset feeds`,
      );
  return accepted;
}

type Built = {
  readonly version: number;
  readonly isNew: boolean;
  readonly entry: VersionEntry;
  /** Absent where there was no version before, or the content is the same. */
  readonly changed?: Changed;
};

type Changed = { readonly since: number; readonly shares: readonly ChangedShare[] };

function publishBuild(dataDir: string, { content, dataset }: Build, now: Date): Built {
  const previous = currentIfWhole(dataDir);
  const { version, isNew } = publish(dataDir, content, now);
  const entry = findVersion(dataDir, version);
  if (!isNew || previous === undefined) return { version, isNew, entry };
  const changed = { since: previous.meta.version, shares: changedShares(previous, dataset) };
  return { version, isNew, entry, changed };
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
  { version, isNew, entry, changed }: Built,
  refused: readonly Refusal[],
  held: readonly WrittenList[],
  started: Date,
  { json }: ReportOptions,
  { now, ...terminal }: CommandContext,
): void {
  const { stdout } = terminal;
  const style = fit(terminal);
  const { counts, bytes, figures } = entry;
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
        ...(changed && { changed }),
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
  if (changed !== undefined) stdout.write(formatChanged(changed, style));
  for (const { name, version: from } of held)
    stdout.write(
      hanging(
        '',
        2,
        `list ${name} keeps the prefixes of version ${from}: this one has too few. If that is right, run ${PROGRAM} dataset update --accept-changes`,
        style,
      ),
    );
  if (refused.length > 0)
    stdout.write(`${style.bold('refused:')}\n${formatTable(refusalRows(refused, style), style)}`);
}

/** How much of the space that both versions answer has another value. */
function formatChanged({ since, shares }: Changed, style: Style): string {
  const cell = (share: number | undefined) => (share === undefined ? '' : formatShare(share));
  const rows = shares
    .filter(({ ipv4 = 0, ipv6 = 0 }) => ipv4 > 0 || ipv6 > 0)
    .map(({ field, ipv4, ipv6 }) => ['', field, cell(ipv4), cell(ipv6)]);
  if (rows.length === 0) return '';
  const head = ['', `changed since version ${since}`, 'IPv4', 'IPv6'];
  return formatTable(rows, style, { head });
}

function noNetwork({ dns, connection }: UnreachableFeeds, [first]: readonly Refusal[]): string {
  let what = 'no DNS or no connection';
  if (connection === 0) what = 'DNS does not answer';
  else if (dns === 0) what = 'no connection';
  return `${what}${first === undefined ? '' : ` (${first.id}: ${first.reason})`}`;
}

function reasons(refused: readonly Refusal[]): string {
  return refused.map(({ id, reason }) => `\n  ${id}: ${reason}`).join('');
}

/**
 * What went wrong with the feeds of an update, in one sentence. The refusals have the reason of
 * each feed.
 */
type FeedOutcome = {
  readonly feeds: number;
  readonly refused: number;
  readonly unreachable: UnreachableFeeds;
};

export function feedProblem({
  feeds,
  refused,
  unreachable: { dns, connection },
}: FeedOutcome): string | undefined {
  if (refused === 0) return undefined;
  const silent = dns + connection;
  const of = (amount: number) => `${amount} of ${feeds} ${feeds === 1 ? 'feed' : 'feeds'}`;
  if (silent === 0) return `${of(refused)} refused`;
  let cause = 'no DNS or no connection';
  if (dns === silent) cause = 'no DNS';
  else if (connection === silent) cause = 'no connection';
  const others = refused - silent;
  return `${of(silent)} unreachable: ${cause}${others === 0 ? '' : `; ${others} refused`}`;
}
