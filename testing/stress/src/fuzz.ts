/**
 * `npm run fuzz [-- options]`: generated input for everything that reads what others wrote: HTTP
 * requests, addresses, DNS answers, email records, feed files, dataset files. Checks that nothing
 * crashes, stalls or grows, and that every refusal is one of ours. Exits with 1 if a promise is
 * broken; every failure is printed with what repeats it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { formatCount, loadAverage, print } from '@whence/testing/console-report';
import { PinnedProcesses } from '@whence/testing/pinned-processes';
import {
  MAX_SEED,
  newSeed,
  OptionError,
  readOptions,
  runScript,
  untilInterrupted,
  wholeNumber,
} from '@whence/testing/script';
import { type FuzzFailure, formatFailure } from './fuzz/fuzz-failure.ts';
import { HTTP_DOMAIN } from './fuzz/http/cases.ts';
import { type HttpResult, runHttpDomain } from './fuzz/http/run.ts';
import { prepareHttpSubject } from './fuzz/http/subject.ts';
import { LIBRARY_DOMAINS } from './fuzz/libraries/domains.ts';
import { type LibraryResult, runLibraryDomain } from './fuzz/libraries/runs.ts';
import { checkFuzzPromises } from './fuzz/promises.ts';
import { exitCodeOf, formatPromises } from './promise-table.ts';

const DEFAULT_COUNT = 1_000_000;
const MAX_COUNT = 100_000_000;
/** The rest are for the libraries. */
const HTTP_SHARE = 0.14;
const SHOWN_FAILURES = 20;
const SHOWN_LOG_LINES = 3;

const DOMAINS = [...LIBRARY_DOMAINS.map(({ name }) => name), HTTP_DOMAIN];

type FuzzOptions = {
  readonly seed: number;
  readonly first: number;
  readonly counts: ReadonlyMap<string, number>;
};

async function fuzz(args: readonly string[]): Promise<void> {
  const options = readFuzzOptions(args);
  const folder = mkdtempSync(join(tmpdir(), 'whence-fuzz-'));
  const processes = new PinnedProcesses();
  const stopping = new AbortController();
  let running: Promise<unknown> | undefined;
  try {
    print(
      `seed ${options.seed}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${loadAverage()} at the start`,
    );
    const fuzzing = runAll(processes, folder, options, stopping.signal);
    running = fuzzing.catch(() => {});
    const { http, libraries } = await Promise.race([fuzzing, untilInterrupted()]);
    const failures = [
      ...(http?.failures ?? []),
      ...[...libraries.values()].flatMap((result) => result.failures),
    ];
    const rows = checkFuzzPromises(http, libraries);
    const log = (http?.logLines ?? [])
      .slice(0, SHOWN_LOG_LINES)
      .map((line) => `  ${line.slice(0, 800)}\n`);
    if (log.length > 0) print(`the first errors in the log of the server:\n${log.join('')}`);
    print(
      `${loadAverage()} at the end\n\n${formatFailures(failures, options.seed)}${formatPromises(rows)}`,
    );
    process.exitCode = exitCodeOf(rows);
  } finally {
    stopping.abort();
    await processes.close();
    await running;
    rmSync(folder, { recursive: true, force: true });
  }
}

function readFuzzOptions(args: readonly string[]): FuzzOptions {
  const {
    count: countText,
    seed: seedText,
    first: firstText,
    domain,
  } = readOptions(args, ['count', 'seed', 'first', 'domain']);
  const count = wholeNumber('count', countText, DEFAULT_COUNT, 1, MAX_COUNT);
  const seed = wholeNumber('seed', seedText, newSeed(), 0, MAX_SEED);
  const first = wholeNumber('first', firstText, 0, 0, MAX_COUNT);
  if (domain !== undefined && !DOMAINS.includes(domain))
    throw new OptionError(`--domain is one of ${DOMAINS.join(', ')}`);
  const shares = [
    ...LIBRARY_DOMAINS.map(({ name, share }) => [name, share] as const),
    [HTTP_DOMAIN, HTTP_SHARE] as const,
  ];
  const counts =
    domain === undefined
      ? shares.map(([name, share]) => [name, Math.ceil(share * count)] as const)
      : ([[domain, count]] as const);
  return { seed, first, counts: new Map(counts) };
}

/** The server and what is sent to it keep one core busy, the libraries another. */
async function runAll(
  processes: PinnedProcesses,
  folder: string,
  { seed, first, counts }: FuzzOptions,
  signal: AbortSignal,
) {
  const startedMs = performance.now();
  const elapsed = () => `${((performance.now() - startedMs) / 1000).toFixed(0)} s`;
  const httpCount = counts.get(HTTP_DOMAIN);
  const runHttp = async (): Promise<HttpResult | undefined> => {
    if (httpCount === undefined) return undefined;
    const subject = await prepareHttpSubject(processes, join(folder, 'data'), signal);
    const result = await runHttpDomain(subject, { seed, first, count: httpCount }, signal);
    print(
      `  ${HTTP_DOMAIN}: ${formatCount(result.cases)} cases, ${formatCount(result.answers)} answers, ${elapsed()}`,
    );
    return result;
  };
  const runLibraries = async (): Promise<Map<string, LibraryResult>> => {
    const results = new Map<string, LibraryResult>();
    for (const [domain, count] of counts) {
      if (domain === HTTP_DOMAIN || signal.aborted) continue;
      const result = await runLibraryDomain({ seed, domain, first, count }, signal);
      results.set(domain, result);
      print(
        `  ${domain}: ${formatCount(result.cases)} cases, slowest ${result.slowestMs.toFixed(0)} ms, ${elapsed()}`,
      );
    }
    return results;
  };
  const [http, libraries] = await Promise.all([runHttp(), runLibraries()]);
  return { http, libraries };
}

function formatFailures(failures: readonly FuzzFailure[], seed: number): string {
  if (failures.length === 0) return '';
  const shown = failures
    .slice(0, SHOWN_FAILURES)
    .map((failure) => `  ${formatFailure(failure, seed)}\n`);
  const rest = failures.length - shown.length;
  return `failures, by kind (npm run fuzz -- and these options repeat each):\n${shown.join('')}${rest > 0 ? `  and ${rest} more kinds\n` : ''}\n`;
}

await runScript(() => fuzz(process.argv.slice(2)));
