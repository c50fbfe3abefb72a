/**
 * `wh enrich` over a log on disk, compared with a naive program. Each run is a fresh process; both
 * read the same file and write to /dev/null, in turn within a round. The rate is per second of CPU
 * time of all threads, including the start of the process and the time to open the data: it is the
 * rate on one core, and does not depend on other load on the machine.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openCurrent } from '@whence/dataset/versions';
import { formatCount, loadAverage, print } from '@whence/testing/console-report';
import { seededWords } from '@whence/testing/seeded-random';
import { median } from '@whence/testing/statistics';
import { WHENCE } from '@whence/testing/whence-program';
import { makeMixes } from './engine/announced-addresses.ts';
import { compareGo } from './enrich/compare-go.ts';
import { type ReplayedShape, type Shape, writeLog } from './enrich/logs.ts';
import { measureStages } from './enrich/stages.ts';
import { type MeasuredProcess, measureCommand, measureProcess } from './fresh-process.ts';
import { formatRate, formatRows, limitRow, type Row, ratioRow } from './report.ts';

const SEED = 20260617;
const LINES = 1_000_000;
const ROUNDS = 3;
/** Distinct addresses in the log with repeated addresses. */
const CLIENTS = 10_000;

/** For a log of a million lines. */
const REPLAY_LIMIT_SECONDS = 15;
const REPLAYED_RULES = `sets:
  default:
    default: allow
    rules:
      - { name: office, if: { prefixes: [192.0.2.0/24] }, then: allow }
      - { name: login, if: { paths: [/login, /admin], connection_types: datacenter }, then: deny }
      - { name: anonymous, if: { flags: [tor_exit, vpn] }, then: deny }
      - { name: hostile, if: { min_score: 50 }, then: deny }
`;

type Case = {
  readonly name: string;
  readonly shape: Shape;
  readonly addresses: readonly string[];
  readonly options?: readonly string[];
};

/**
 * Lines per second of processor time without the start of the process, for the logs whose stages
 * are measured.
 */
const STAGE_GOALS: Readonly<Record<string, number>> = {
  'lines, IPv4 by address': 1_000_000,
  [`lines, ${formatCount(CLIENTS)} clients`]: 1_200_000,
  'ndjson, IPv4 by address': 700_000,
  'csv, IPv4 by address': 900_000,
};

/** `stages`: only the stages, without the peers; `go`: only the comparison with Go. */
export async function enrich(args: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'whence-bench-'));
  const dataDir = join(folder, 'data');
  try {
    print(
      `seed ${SEED}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${loadAverage()} at the start`,
    );
    print(
      `${formatCount(LINES)} lines, medians of ${ROUNDS} rounds; addresses per second of CPU time`,
    );
    measureCommand(['dataset', 'build'], { WHENCE_DATA_DIR: dataDir });
    const cases = makeCases(dataDir);
    const staged = cases.flatMap((log) => {
      const goal = STAGE_GOALS[log.name];
      return goal === undefined ? [] : [{ ...log, goal }];
    });
    const compared = cases.filter(({ name }) => /^lines, (IPv4 by address|.* clients)$/.test(name));
    if (args.includes('go')) {
      print(`\n${formatRows(compareGo(compared, dataDir, folder))}\n${loadAverage()} at the end`);
      return;
    }
    const stages = measureStages(staged, dataDir, folder);
    if (args.includes('stages')) {
      print(`${loadAverage()} at the end\n\n${formatRows(stages)}`);
      return;
    }
    const rows = compareGo(compared, dataDir, folder);
    rows.push(...cases.map((testCase) => measure(testCase, dataDir, folder)));
    for (const { addresses } of cases.filter(({ name }) => name.endsWith('clients')))
      for (const shape of ['lines', 'caddy'] as const)
        rows.push(measureReplay(shape, addresses, dataDir, folder));
    print(`${loadAverage()} at the end\n\n${formatRows([...stages, ...rows])}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeCases(dataDir: string): Case[] {
  const dataset = openCurrent(dataDir);
  if (dataset === undefined) throw new Error(`no dataset was published in ${dataDir}`);
  const random = seededWords(SEED);
  const [byAddress = [], byRange = [], ipv6 = []] = makeMixes(dataset, random, LINES).map(
    ({ texts }) => texts,
  );
  const repeated = Array.from({ length: LINES }, () => byAddress[random() % CLIENTS] as string);
  return [
    { name: 'lines, IPv4 by address', shape: 'lines', addresses: byAddress },
    { name: 'lines, IPv4 by range', shape: 'lines', addresses: byRange },
    { name: 'lines, IPv6 by range', shape: 'lines', addresses: ipv6 },
    { name: `lines, ${formatCount(CLIENTS)} clients`, shape: 'lines', addresses: repeated },
    { name: 'lines, --full', shape: 'lines', addresses: byAddress, options: ['--full'] },
    { name: 'ndjson, IPv4 by address', shape: 'ndjson', addresses: byAddress },
    { name: 'ndjson, IPv4 by range', shape: 'ndjson', addresses: byRange },
    { name: 'csv, IPv4 by address', shape: 'csv', addresses: byAddress },
    { name: 'csv, IPv4 by range', shape: 'csv', addresses: byRange },
  ];
}

function measure(testCase: Case, dataDir: string, folder: string): Row {
  const { name, shape, addresses, options = [] } = testCase;
  const file = join(folder, `log.${shape}`);
  writeLog(file, shape, addresses);
  const rounds = Array.from({ length: ROUNDS }, () => ({
    ours: LINES / runWhence([file, '--format', shape, ...options], dataDir).cpuSeconds,
    peer: LINES / runPeer([file, shape], dataDir).cpuSeconds,
  }));
  const ours = median(rounds.map((round) => round.ours));
  const peer = median(rounds.map((round) => round.peer));
  const ratio = median(rounds.map((round) => round.ours / round.peer));
  print(`  ${name}: whence ${formatRate(ours)}, naive ${formatRate(peer)}`);
  return ratioRow(name, ours, peer, undefined, ratio);
}

/** `decide replay` over the same lines, which parses each request and compares it with rules. */
function measureReplay(
  shape: ReplayedShape,
  addresses: readonly string[],
  dataDir: string,
  folder: string,
): Row {
  const file = join(folder, `log.${shape}`);
  writeLog(file, shape, addresses);
  const rules = join(folder, 'rules.yaml');
  writeFileSync(rules, REPLAYED_RULES);
  const seconds = Array.from({ length: ROUNDS }, () => {
    const args = [WHENCE, 'decide', 'replay', rules, file, '--json'];
    const measured = measureProcess(args, {
      settings: { WHENCE_DATA_DIR: dataDir },
      stdout: 'ignore',
    });
    return measured.cpuSeconds;
  });
  return limitRow(
    `decide replay, ${shape}, ${formatCount(CLIENTS)} clients, CPU time`,
    median(seconds),
    REPLAY_LIMIT_SECONDS,
    's',
  );
}

function runWhence(args: readonly string[], dataDir: string, lines = LINES): MeasuredProcess {
  return runOn(['enrich', '--json', ...args], [WHENCE], dataDir, lines);
}

function runPeer(args: readonly string[], dataDir: string): MeasuredProcess {
  return runOn(
    args,
    [fileURLToPath(import.meta.resolve('./enrich/naive-peer.js'))],
    dataDir,
    LINES,
  );
}

/** Both say on standard error how many addresses they found. */
function runOn(
  args: readonly string[],
  program: readonly string[],
  dataDir: string,
  lines: number,
): MeasuredProcess {
  const measured = measureProcess([...program, ...args], {
    settings: { WHENCE_DATA_DIR: dataDir },
    stdout: 'ignore',
  });
  const { found } = JSON.parse(measured.stderr) as { found: number };
  if (found !== lines) throw new Error(`${program.join(' ')} found ${found} of ${lines} addresses`);
  return measured;
}
