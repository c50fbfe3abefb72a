/**
 * `wh enrich` beside a program in Go that does the same over the same lines, and whose output has
 * the same bytes. Processor time without the start: Go loads its table from CSV, which takes
 * seconds, and Node compiles its code.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatCount, print } from '@whence/testing/console-report';
import { median } from '@whence/testing/statistics';
import { WHENCE } from '@whence/testing/whence-program';
import { measureCommand, measureProcess } from '../fresh-process.ts';
import { buildGoProgram, isGoInstalled } from '../go-program.ts';
import { type Row, ratioRow } from '../report.ts';
import { writeLog } from './logs.ts';

export type ComparedLog = { readonly name: string; readonly addresses: readonly string[] };

const LINES = 600_000;
const ROUNDS = 5;
const GOAL = 1;

export function compareGo(logs: readonly ComparedLog[], dataDir: string, folder: string): Row[] {
  if (!isGoInstalled()) {
    print('Go is skipped: apt-get install -y golang-go');
    return [];
  }
  const program = buildGoProgram('enrich/peers/go-enrich.go', folder);
  const table = join(folder, 'table.csv');
  const settings = { WHENCE_DATA_DIR: dataDir };
  measureCommand(['dataset', 'export', '--format', 'csv', '--output', table], settings);
  const whence = (log: string) => [WHENCE, 'enrich', log, '--format', 'lines'];
  const cpuSeconds = (log: string) =>
    measureProcess(whence(log), { settings, stdout: 'ignore' }).cpuSeconds;
  const short = join(folder, 'go-start.log');
  return logs.map(({ name, addresses }) => {
    const log = join(folder, 'go.log');
    writeLog(log, 'lines', addresses.slice(0, LINES));
    const bytes = readFileSync(log);
    writeFileSync(short, bytes.subarray(0, bytes.indexOf('\n') + 1));
    requireSameBytes(
      outputOf(process.execPath, whence(log), join(folder, 'ours'), settings),
      outputOf(program, [table, log], join(folder, 'theirs')),
    );
    const rounds = Array.from({ length: ROUNDS }, () => ({
      start: cpuSeconds(short),
      ours: cpuSeconds(log),
      go: runGo(program, [table, log]),
    }));
    const of = (which: 'start' | 'ours' | 'go') => median(rounds.map((round) => round[which]));
    const start = of('start');
    const ours = of('ours') - of('start');
    const go = of('go');
    const measure = `${name}, ${formatCount(LINES)} lines, beside Go on ${process.arch}, without the start`;
    print(
      `  ${measure}: CPU time ${ours.toFixed(2)} s and a start of ${start.toFixed(2)} s, Go ${go.toFixed(2)} s`,
    );
    return ratioRow(measure, LINES / ours, LINES / go, GOAL);
  });
}

/** After the table is loaded. */
function runGo(program: string, args: readonly string[]): number {
  const { status, stderr } = spawnSync(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${program} exited with ${status}: ${stderr}`);
  const { found, cpuSeconds } = JSON.parse(stderr) as { found: number; cpuSeconds: number };
  if (found !== LINES) throw new Error(`${program} found ${found} of ${LINES} addresses`);
  return cpuSeconds;
}

function outputOf(
  program: string,
  args: readonly string[],
  path: string,
  settings: NodeJS.ProcessEnv = {},
): Buffer {
  const file = openSync(path, 'w');
  const env = { PATH: process.env['PATH'], ...settings };
  const { status, stderr } = spawnSync(program, args, {
    env,
    stdio: ['ignore', file, 'pipe'],
    encoding: 'utf8',
  });
  closeSync(file);
  if (status !== 0) throw new Error(`${program} exited with ${status}: ${stderr}`);
  return readFileSync(path);
}

function requireSameBytes(ours: Buffer, theirs: Buffer): void {
  if (ours.equals(theirs)) return;
  const at = ours.findIndex((byte, i) => byte !== theirs[i]);
  const line = (bytes: Buffer) =>
    bytes.subarray(bytes.lastIndexOf(10, at) + 1).toString('utf8', 0, 400);
  throw new Error(`the output of the two programs differs:\n${line(ours)}\n${line(theirs)}`);
}
