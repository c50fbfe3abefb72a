/**
 * `whence email DOMAIN…`: the check as a report for a terminal, for many domains as a list, CSV or JSON, or compared with
 * saved reports. Exit code 0 if all have grade A or B, or are set up to send no mail; with `--diff`, if nothing has
 * changed.
 */
import { type ExitCode, UsageError } from '../../terminal/exit.ts';
import { StreamSink } from '../../terminal/output.ts';
import { ProgressBar } from '../../terminal/progress-bar.ts';
import { staged } from '../../terminal/staged-files.ts';
import { styleOf } from '../../terminal/style.ts';
import { formatCount } from '../../terminal/table.ts';
import { openLocalDataset } from '../local-dataset.ts';
import { type RemoteOptions, remoteUrl } from '../remote/remote-options.ts';
import { type CheckerOptions, checkListed, parseSelectors } from './checker.ts';
import { compareWithSaved } from './compare.ts';
import { domainsOfArguments, type ListedDomain, readDomains, STANDARD_INPUT } from './domain-list.ts';
import type { EmailRun, EmailStreams, Progress } from './email-run.ts';
import type { Outcome, SavedReport } from './outcome.ts';
import { DEFAULT_PARALLEL, MAX_PARALLEL } from './parallel.ts';
import { csvHeader, csvLine } from './report-csv.ts';
import { failureLine, reportLine, savedReport } from './report-json.ts';
import { formatChecked } from './report-text.ts';
import { ReportFile, readSavedReports } from './saved-reports.ts';
import { formatSummary, type SummaryRow, summaryRow } from './summary.ts';

export type EmailOptions = RemoteOptions & {
  readonly file?: string;
  /** To try beside the common ones. */
  readonly selectors?: string;
  /** To report instead of the common ones, found or not. */
  readonly onlySelectors?: string;
  readonly csv?: boolean;
  readonly json?: boolean;
  readonly diff?: string;
  readonly save?: string;
  readonly parallel?: number;
  readonly transport?: boolean;
  readonly networks?: boolean;
};

type EmailSettings = {
  readonly dnsServers: readonly string[];
  readonly dataDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
};

export async function emailCommand(
  texts: readonly string[],
  options: EmailOptions,
  { dnsServers, dataDir, environment }: EmailSettings,
  streams: EmailStreams,
): Promise<ExitCode> {
  rejectContradictions(texts, options);
  if (remoteUrl(options, environment) !== undefined) {
    const { rejectLocalOnly, remoteEmail } = await import('../remote/remote-email.ts');
    const { openRemote } = await import('../remote/remote-server.ts');
    rejectLocalOnly(options);
    const server = openRemote(options, environment);
    const listed = await listDomains(texts, options.file, undefined, streams.stdin);
    const selectors = parseSelectors(options.onlySelectors);
    return remoteEmail(server, listed, options, selectors, styleOf(streams.stdout, environment), streams);
  }
  const checker: CheckerOptions = {
    dnsServers,
    selectors: parseSelectors(options.onlySelectors),
    moreSelectors: parseSelectors(options.selectors),
    parallel: parallelOf(options),
    hasTransport: options.transport === true,
    networksFrom: options.networks === true ? openLocalDataset(dataDir) : undefined,
  };
  const saved = options.diff === undefined ? undefined : readSavedReports(options.diff);
  const listed = await listDomains(texts, options.file, saved, streams.stdin);
  const style = styleOf(streams.stdout, environment);
  const progress = progressOf(listed.length, options, streams);
  const run = { listed, checker, style, progress, streams };
  const work = (save: ReportFile | undefined) =>
    saved === undefined ? report({ ...run, save }, options) : compareWithSaved({ ...run, save }, saved, options);
  try {
    return await (options.save === undefined ? work(undefined) : saving(options.save, saved, work));
  } finally {
    progress.finish();
  }
}

/** The file appears when all domains are checked. */
function saving(
  path: string,
  saved: readonly SavedReport[] | undefined,
  work: (save: ReportFile) => Promise<ExitCode>,
): Promise<ExitCode> {
  return staged(async (files) => {
    const save = new ReportFile(files.create(path, '--save'), saved);
    const exitCode = await work(save);
    await save.addRemaining();
    return exitCode;
  });
}

async function report(run: EmailRun, options: EmailOptions): Promise<ExitCode> {
  return run.listed.length === 1 && options.file === undefined && options.csv !== true
    ? reportOne(run, options.json === true)
    : reportMany(run, options.csv === true ? 'csv' : options.json === true ? 'json' : 'text');
}

async function reportOne({ listed, checker, style, save, streams }: EmailRun, isJson: boolean): Promise<ExitCode> {
  let exitCode: ExitCode = 1;
  for await (const outcome of checkListed(listed, checker, (checked) => checked)) {
    if (outcome.kind === 'failed') {
      streams.stderr.write(`error: ${outcome.reason}\n`);
      continue;
    }
    const { examination } = outcome;
    await save?.add(outcome.domain, reportLine(savedReport(examination)));
    streams.stdout.write(isJson ? reportLine(examination.answer) : formatChecked(examination, style));
    if (!summaryRow(outcome).isAlarming) exitCode = 0;
  }
  return exitCode;
}

/** Of the worst domains, beside rows of CSV or JSON. */
const MAX_WORST = 10;

async function reportMany(
  { listed, checker, style, save, progress, streams }: EmailRun,
  format: 'csv' | 'json' | 'text',
): Promise<ExitCode> {
  const sink = new StreamSink(streams.stdout);
  const rows: SummaryRow[] = [];
  const keep = (outcome: Outcome) => ({
    row: summaryRow(outcome),
    line: format === 'text' ? '' : lineOf(outcome, format),
    saved: save !== undefined && outcome.kind === 'checked' ? reportLine(savedReport(outcome.examination)) : undefined,
  });
  if (format === 'csv') await sink.write(csvHeader());
  for await (const { row, line, saved } of checkListed(listed, checker, keep)) {
    rows.push(row);
    progress.step();
    if (saved !== undefined) await save?.add(row.domain, saved);
    if (line !== '') await sink.write(line);
  }
  progress.finish();
  if (format === 'text') await sink.write(formatSummary(rows, style));
  else streams.stderr.write(formatSummary(rows, styleOf(streams.stderr, { NO_COLOR: '1' }), MAX_WORST));
  return rows.some(({ isAlarming }) => isAlarming) ? 1 : 0;
}

function lineOf(outcome: Outcome, format: 'csv' | 'json'): string {
  if (format === 'csv') return csvLine(outcome);
  return outcome.kind === 'failed' ? failureLine(outcome) : reportLine(outcome.examination.answer);
}

async function listDomains(
  texts: readonly string[],
  file: string | undefined,
  saved: readonly { readonly domain: string }[] | undefined,
  stdin: EmailStreams['stdin'],
): Promise<ListedDomain[]> {
  if (file !== undefined) return readDomains(file, stdin);
  if (texts.length === 1 && texts[0] === STANDARD_INPUT) return readDomains(STANDARD_INPUT, stdin);
  if (texts.length > 0) return domainsOfArguments(texts);
  if (saved !== undefined) return domainsOfArguments(saved.map(({ domain }) => domain));
  if (stdin().isTTY !== true) return readDomains(STANDARD_INPUT, stdin);
  throw new UsageError('name a domain, a file with --file, or pipe a list in');
}

function rejectContradictions(texts: readonly string[], options: EmailOptions): void {
  const { file, csv, json, diff, selectors, onlySelectors } = options;
  if (file !== undefined && texts.length > 0) throw new UsageError('name domains or --file, not both');
  if (csv === true && json === true) throw new UsageError('--csv and --json cannot be combined');
  if (csv === true && diff !== undefined) throw new UsageError('--diff prints text or --json, not --csv');
  if (selectors !== undefined && onlySelectors !== undefined)
    throw new UsageError('--selectors and --only-selectors cannot be combined');
}

function parallelOf({ parallel = DEFAULT_PARALLEL }: EmailOptions): number {
  if (parallel > MAX_PARALLEL) throw new UsageError(`--parallel is at most ${MAX_PARALLEL}`);
  return parallel;
}

/** No bar when lines go to the same terminal meanwhile. */
function progressOf(total: number, { csv, json, diff }: EmailOptions, { stdout, stderr }: EmailStreams): Progress {
  const isPrinting = stdout.isTTY === true && (csv === true || json === true || diff !== undefined);
  const bar = new ProgressBar(stderr);
  const isShown = total > 1 && stderr.isTTY === true && !isPrinting;
  let done = 0;
  return {
    step() {
      done++;
      if (isShown) bar.show(`${formatCount(done)} of ${formatCount(total)} domains`, done / total);
    },
    finish: () => bar.finish(),
  };
}
