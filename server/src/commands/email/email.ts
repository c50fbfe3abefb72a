// `wh email DOMAIN…`: a report, a list, CSV, JSON, or a comparison with saved reports. Exit code 0 if all have grade A
// or B or send no mail; with `--diff`, if nothing has changed.
import { isSelector, MAX_SELECTORS, tidySelectors } from '@whence/email/internal/dkim/selectors';
import { STANDARD_INPUT } from '../../enrich/input.ts';
import { type ExitCode, UsageError } from '../../terminal/exit.ts';
import { type CommandStreams, StreamSink } from '../../terminal/output.ts';
import { jsonLine } from '../../terminal/printable.ts';
import { ProgressBar } from '../../terminal/progress-bar.ts';
import { staged } from '../../terminal/staged-files.ts';
import { styleOf } from '../../terminal/style.ts';
import { formatCount } from '../../terminal/table.ts';
import type { IncludableSection } from '../../vocabulary.ts';
import { openSource, type RemoteOptions } from '../remote/open-source.ts';
import { checkListed, type EmailRun } from './check-listed.ts';
import { compareWithSaved } from './compare.ts';
import { domainsOfArguments, type ListedDomain, readDomains } from './domain-list.ts';
import { type EmailSettings, localSource } from './local-source.ts';
import { isAlarming, type Outcome, outcomeLine, type SavedReport, savedReport } from './outcome.ts';
import { csvHeader, csvLine } from './report-csv.ts';
import { formatChecked } from './report-text.ts';
import { ReportFile, readSavedReports } from './saved-reports.ts';
import { formatSummary, type SummaryRow, summaryRow } from './summary.ts';

/** With DNS answers after 20 ms, 16 checks keep a core busy (63 domains a second; 8 check 50). */
const PARALLEL = 16;

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
  readonly include?: ReadonlySet<IncludableSection>;
  readonly try?: string;
};

export async function emailCommand(
  texts: readonly string[],
  options: EmailOptions,
  settings: EmailSettings,
  streams: CommandStreams,
): Promise<ExitCode> {
  const { stdin, stdout, stderr, environment } = streams;
  rejectContradictions(texts, options);
  const asked = {
    selectors: parseSelectors(options.onlySelectors),
    moreSelectors: parseSelectors(options.selectors),
    include: options.include ?? new Set<IncludableSection>(),
  };
  const saved = options.diff === undefined ? undefined : readSavedReports(options.diff);
  const listed = await listDomains(texts, options.file, saved, stdin);
  const source = await openSource(options, environment, {
    local: () => localSource(settings, asked, PARALLEL),
    remote: async (server) => (await import('./remote-source.ts')).remoteEmailSource(server, asked, PARALLEL),
  });
  if (options.try !== undefined) {
    const { tryRecords } = await import('./try-records.ts');
    const [{ domain = '' } = {}] = listed;
    const format = { isJson: options.json === true, style: styleOf(stdout, environment) };
    return tryRecords(source, domain, options.try, format, streams).finally(() => source.close());
  }
  const progress = progressOf(listed.length, options, streams);
  const run = { listed, source, style: styleOf(stdout, environment), progress, stdout, stderr };
  const work = (save: ReportFile | undefined) =>
    saved === undefined ? report({ ...run, save }, options) : compareWithSaved({ ...run, save }, saved, options);
  try {
    return await (options.save === undefined ? work(undefined) : saving(options.save, saved, work));
  } finally {
    progress.finish();
    await source.close();
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

async function reportOne(run: EmailRun, isJson: boolean): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  for await (const outcome of checkListed(run, (one) => one)) {
    if (isAlarming(outcome)) exitCode = 1;
    if (outcome.kind === 'failed') run.stderr.write(`error: ${outcome.reason}\n`);
    else {
      await run.save?.add(outcome.domain, jsonLine(savedReport(outcome)));
      run.stdout.write(isJson ? outcomeLine(outcome) : formatChecked(outcome, run.style));
    }
  }
  return exitCode;
}

/** How many of the worst domains are listed beside rows of CSV or JSON. */
const MAX_WORST = 10;

async function reportMany(run: EmailRun, format: 'csv' | 'json' | 'text'): Promise<ExitCode> {
  const { style, save, progress, stdout, stderr } = run;
  const sink = new StreamSink(stdout);
  const rows: SummaryRow[] = [];
  const keep = (outcome: Outcome) => ({
    row: summaryRow(outcome),
    line: format === 'text' ? '' : format === 'csv' ? csvLine(outcome) : outcomeLine(outcome),
    saved: save !== undefined && outcome.kind === 'checked' ? jsonLine(savedReport(outcome)) : undefined,
  });
  if (format === 'csv') await sink.write(csvHeader());
  for await (const { row, line, saved } of checkListed(run, keep)) {
    rows.push(row);
    if (saved !== undefined) await save?.add(row.domain, saved);
    if (line !== '') await sink.write(line);
  }
  progress.finish();
  if (format === 'text') await sink.write(formatSummary(rows, style));
  else stderr.write(formatSummary(rows, styleOf(stderr, { NO_COLOR: '1' }), MAX_WORST));
  return rows.some((row) => row.isAlarming) ? 1 : 0;
}

async function listDomains(
  texts: readonly string[],
  file: string | undefined,
  saved: readonly { readonly domain: string }[] | undefined,
  stdin: CommandStreams['stdin'],
): Promise<ListedDomain[]> {
  if (file !== undefined) return readDomains(file, stdin);
  if (texts.length === 1 && texts[0] === STANDARD_INPUT) return readDomains(STANDARD_INPUT, stdin);
  if (texts.length > 0) return domainsOfArguments(texts);
  if (saved !== undefined) return domainsOfArguments(saved.map(({ domain }) => domain));
  if (stdin().isTTY !== true) return readDomains(STANDARD_INPUT, stdin);
  throw new UsageError('name a domain, a file with --file, or pipe a list in');
}

function rejectContradictions(texts: readonly string[], options: EmailOptions): void {
  const { file, csv, json, diff, selectors, onlySelectors, save, include } = options;
  if (file !== undefined && texts.length > 0) throw new UsageError('name domains or --file, not both');
  if (csv === true && json === true) throw new UsageError('--csv and --json cannot be combined');
  if (csv === true && diff !== undefined) throw new UsageError('--diff prints text or --json, not --csv');
  const others = [file, csv, diff, save, selectors, include].some((option) => option !== undefined);
  if (options.try !== undefined && (texts.length !== 1 || others))
    throw new UsageError('--try takes one domain, and only --only-selectors and --json beside it');
  if (selectors !== undefined && onlySelectors !== undefined)
    throw new UsageError('--selectors and --only-selectors cannot be combined');
}

function parseSelectors(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const selectors = tidySelectors(text.split(','));
  if (selectors.length === 0 || !selectors.every(isSelector) || selectors.length > MAX_SELECTORS)
    throw new UsageError(`selectors are 1 to ${MAX_SELECTORS} DNS names, separated by commas`);
  return selectors;
}

/** No bar when lines go to the same terminal meanwhile. */
function progressOf(
  total: number,
  { csv, json, diff }: EmailOptions,
  { stdout, stderr }: CommandStreams,
): EmailRun['progress'] {
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
