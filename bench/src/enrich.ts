/**
 * `whence enrich` over a log on disk, each run a process of its own, next to a program that one would write for the job. Both read the same file
 * and write to /dev/null, one after the other within a round; both leave out their start and the opening of their data.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openCurrent } from '@whence/dataset/publish';
import { formatCount } from 'whence/dist/terminal.js';
import { median } from './contest.ts';
import { type Shape, writeLog } from './enrich/logs.ts';
import { seededRandom } from './random.ts';
import { formatRate, formatRows, load, type Row, say } from './report.ts';
import { makeMixes } from './routed-addresses.ts';

const SEED = 20260617;
const LINES = 500_000;
const ROUNDS = 3;
const GOAL_PER_SECOND = 300_000;
/** So many clients wrote the log in which addresses come again. */
const CLIENTS = 10_000;

type Case = {
  readonly name: string;
  readonly shape: Shape;
  readonly addresses: readonly string[];
  readonly options?: readonly string[];
};

export async function enrich(): Promise<void> {
  const dataDir = process.env['WHENCE_DATA_DIR'] ?? './whence-data';
  const folder = mkdtempSync(join(tmpdir(), 'whence-bench-'));
  try {
    say(`seed ${SEED}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${load()} at the start`);
    say(`${formatCount(LINES)} lines, medians of ${ROUNDS} rounds`);
    const rows = makeCases(dataDir).map((each) => measure(each, dataDir, folder));
    say(`${load()} at the end\n\n${formatRows(rows)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeCases(dataDir: string): Case[] {
  const dataset = openCurrent(dataDir);
  if (dataset === undefined) throw new Error('build a dataset first: npm run dataset');
  const random = seededRandom(SEED);
  const [byAddress = [], byRange = [], ipv6 = []] = makeMixes(dataset, random, LINES).map(({ texts }) => texts);
  const again = Array.from({ length: LINES }, () => byAddress[random() % CLIENTS] as string);
  return [
    { name: 'lines, IPv4 by address', shape: 'lines', addresses: byAddress },
    { name: 'lines, IPv4 by range', shape: 'lines', addresses: byRange },
    { name: 'lines, IPv6 by range', shape: 'lines', addresses: ipv6 },
    { name: `lines, ${formatCount(CLIENTS)} clients`, shape: 'lines', addresses: again },
    { name: 'lines, --full', shape: 'lines', addresses: byAddress, options: ['--full'] },
    { name: 'ndjson, IPv4 by address', shape: 'ndjson', addresses: byAddress },
    { name: 'ndjson, IPv4 by range', shape: 'ndjson', addresses: byRange },
    { name: 'csv, IPv4 by address', shape: 'csv', addresses: byAddress },
    { name: 'csv, IPv4 by range', shape: 'csv', addresses: byRange },
  ];
}

function measure({ name, shape, addresses, options = [] }: Case, dataDir: string, folder: string): Row {
  const file = join(folder, `log.${shape}`);
  writeLog(file, shape, addresses);
  const rounds = Array.from({ length: ROUNDS }, () => ({
    ours: runWhence(file, dataDir, ['--format', shape, ...options]),
    peer: runPeer(file, shape),
  }));
  const ours = median(rounds.map((round) => round.ours));
  const peer = median(rounds.map((round) => round.peer));
  const ratio = median(rounds.map((round) => round.ours / round.peer));
  say(`  ${name}: whence ${formatRate(ours)}, naive ${formatRate(peer)}`);
  return {
    measure: name,
    ours: formatRate(ours),
    peer: formatRate(peer),
    ratio: `${ratio.toFixed(2)} ×`,
    goal: `≥ ${formatRate(GOAL_PER_SECOND)}`,
    isReached: ours >= GOAL_PER_SECOND,
  };
}

/** The scripts are ours and print one line of JSON, hence the casts. */
function runWhence(file: string, dataDir: string, options: readonly string[]): number {
  const bin = fileURLToPath(import.meta.resolve('whence/dist/bin.js'));
  const { status, stderr } = spawnSync(process.execPath, [bin, 'enrich', file, '--json', ...options], {
    encoding: 'utf8',
    env: { ...process.env, WHENCE_DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`whence enrich ended with ${status}: ${stderr}`);
  const { found, seconds } = JSON.parse(stderr) as { found: number; seconds: number };
  if (found !== LINES) throw new Error(`${found} of ${LINES} addresses were found`);
  return LINES / seconds;
}

function runPeer(file: string, shape: Shape): number {
  const script = fileURLToPath(import.meta.resolve('./enrich/naive-peer.js'));
  const output = execFileSync(process.execPath, [script, file, shape], { encoding: 'utf8' });
  return LINES / (JSON.parse(output) as { seconds: number }).seconds;
}
