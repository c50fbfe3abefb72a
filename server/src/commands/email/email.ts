// `wh email DOMAIN…`: a report, a list, CSV or JSON. Exit code 0 if all have grade A or B or send
// no mail.
import { isSelector, MAX_SELECTORS, tidySelectors } from '@whence/email/selectors';
import { type ExitCode, UsageError, worstOf } from '../../terminal/exit.ts';
import { type CommandStreams, StreamSink } from '../../terminal/output.ts';
import { printable } from '../../terminal/printable.ts';
import { ProgressBar } from '../../terminal/progress-bar.ts';
import { styleOf } from '../../terminal/style.ts';
import { formatCount } from '../../terminal/table.ts';
import type { IncludableSection } from '../../vocabulary.ts';
import { openSource, type RemoteOptions } from '../remote/open-source.ts';
import { checkListed, type EmailRun } from './check-listed.ts';
import { listDomains } from './domain-list.ts';
import { type EmailSettings, localSource } from './local-source.ts';
import { exitCodeOf, type Outcome, outcomeLine } from './outcome.ts';
import { csvHeader, csvLine } from './report-csv.ts';
import { formatChecked } from './report-text.ts';
import { formatSummary, type SummaryRow, summaryRow } from './summary.ts';

/** With DNS answers after 20 ms, 16 checks keep a core busy (63 domains a second; 8 check 50). */
const PARALLEL = 16;

export type EmailOptions = RemoteOptions & {
  /** To try beside the common ones. */
  readonly selectors?: string;
  /** To report instead of the common ones, found or not. */
  readonly onlySelectors?: string;
  readonly csv?: boolean;
  readonly json?: boolean;
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
  const request = {
    selectors: parseSelectors(options.onlySelectors),
    moreSelectors: parseSelectors(options.selectors),
    include: options.include ?? new Set<IncludableSection>(),
  };
  const listed = await listDomains(texts, stdin);
  if (options.try !== undefined && listed.length !== 1)
    throw new UsageError('--try takes one domain');
  const source = await openSource(options, environment, {
    local: () => localSource(settings, request, PARALLEL),
    remote: async (server) =>
      (await import('./remote-source.ts')).remoteEmailSource(server, request, PARALLEL),
  });
  if (options.try !== undefined) {
    const { tryRecords } = await import('./try-records.ts');
    const [{ domain = '' } = {}] = listed;
    const format = { isJson: options.json === true, style: styleOf(stdout, environment) };
    return tryRecords(source, domain, options.try, format, streams).finally(() => source.close());
  }
  const progress = progressOf(listed.length, options, streams);
  const run = { listed, source, style: styleOf(stdout, environment), progress, stdout, stderr };
  try {
    return await report(run, options);
  } finally {
    progress.finish();
    await source.close();
  }
}

async function report(run: EmailRun, options: EmailOptions): Promise<ExitCode> {
  const isJson = options.json === true;
  if (options.csv === true) return reportMany(run, 'csv');
  if (run.listed.length === 1) return reportOne(run, isJson);
  return reportMany(run, isJson ? 'json' : 'text');
}

async function reportOne(run: EmailRun, isJson: boolean): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  for await (const outcome of checkListed(run, (domain) => domain)) {
    exitCode = exitCodeOf(outcome);
    if (outcome.kind === 'failed')
      run.stderr.write(`error: ${printable(outcome.domain)}: ${outcome.reason}\n`);
    else run.stdout.write(isJson ? outcomeLine(outcome) : formatChecked(outcome, run.style));
  }
  return exitCode;
}

/** How many of the worst domains are listed beside rows of CSV or JSON. */
const MAX_WORST = 10;

async function reportMany(run: EmailRun, format: 'csv' | 'json' | 'text'): Promise<ExitCode> {
  const { style, progress, stdout, stderr } = run;
  const sink = new StreamSink(stdout);
  const rows: SummaryRow[] = [];
  const lines = { text: () => '', csv: csvLine, json: outcomeLine };
  const keep = (outcome: Outcome) => ({
    row: summaryRow(outcome),
    line: lines[format](outcome),
  });
  if (format === 'csv') await sink.write(csvHeader());
  for await (const { row, line } of checkListed(run, keep)) {
    rows.push(row);
    if (line !== '') await sink.write(line);
  }
  progress.finish();
  if (format === 'text') await sink.write(formatSummary(rows, style));
  else stderr.write(formatSummary(rows, styleOf(stderr, { NO_COLOR: '1' }), MAX_WORST));
  return worstOf(rows.map((row) => row.exitCode));
}

function rejectContradictions(texts: readonly string[], options: EmailOptions): void {
  const { csv, json, selectors, onlySelectors, include } = options;
  if (csv === true && json === true) throw new UsageError('--csv and --json cannot be combined');
  const others = [csv, selectors, include].some((option) => option !== undefined);
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
  { csv, json }: EmailOptions,
  { stdout, stderr }: CommandStreams,
): EmailRun['progress'] {
  const isPrinting = stdout.isTTY === true && (csv === true || json === true);
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
