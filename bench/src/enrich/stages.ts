/**
 * Processor time of the stages of `wh enrich`, each measured with those before it, in fresh
 * processes. Start and opening of the data are apart: the same run over the first lines of the log
 * is subtracted. What `find` and `lookup` cost in lines is measured on the parts themselves; NDJSON
 * and CSV are read without finding an address, by naming a field without one.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { print } from '@whence/testing/console-report';
import { WHENCE } from '@whence/testing/whence-program';
import { measureProcess } from '../fresh-process.ts';
import { formatRate, limitRow, type Row } from '../report.ts';
import { type Shape, writeLog } from './logs.ts';

export type StagedLog = {
  readonly name: string;
  readonly shape: Shape;
  readonly addresses: readonly string[];
  /** Lines per second of processor time without the start. */
  readonly goal: number;
};

const ROUNDS = 3;
const START_LIMIT_SECONDS = 0.15;
/** One line after the header of CSV, which is the shortest log that is enriched. */
const FIRST_LINES = 2;

type Stage = {
  readonly name: string;
  readonly args: (file: string) => readonly string[];
  readonly exitCodes?: number[];
};

function stagesOf(shape: Shape, dataDir: string): readonly Stage[] {
  const script = fileURLToPath(import.meta.resolve('./stage-process.js'));
  const part = (stage: string) => (file: string) => [script, file, stage, dataDir];
  const command = (...options: string[]) => {
    return (file: string) => [WHENCE, 'enrich', file, '--json', '--format', shape, ...options];
  };
  const copy: Stage = { name: 'read and write', args: part('copy') };
  const whole: Stage = { name: 'enrich', args: command() };
  if (shape === 'lines')
    return [
      copy,
      { name: '+ find', args: part('find') },
      { name: '+ lookup', args: part('lookup') },
      { ...whole, name: '+ format: enrich' },
    ];
  // 1 is the exit code of a log without an address.
  const options = shape === 'csv' ? ['--address', 'status'] : ['--address', 'absent'];
  const scan: Stage = { name: '+ scan', args: command(...options), exitCodes: [0, 1] };
  return [copy, scan, { ...whole, name: '+ find, lookup, format: enrich' }];
}

export function measureStages(logs: readonly StagedLog[], dataDir: string, folder: string): Row[] {
  const rows: Row[] = [];
  let startSeconds = Number.POSITIVE_INFINITY;
  for (const { name, shape, addresses, goal } of logs) {
    const file = join(folder, `stages.${shape}`);
    const short = join(folder, `stages-start.${shape}`);
    writeLog(file, shape, addresses);
    writeFileSync(short, `${readFileSync(file, 'latin1').split('\n', FIRST_LINES).join('\n')}\n`);
    for (const stage of stagesOf(shape, dataDir)) {
      const seconds = (log: string) => minimum(() => run(stage, log, dataDir));
      const start = seconds(short);
      const net = seconds(file) - start;
      const rate = addresses.length / net;
      const isWhole = stage.name.endsWith('enrich');
      if (isWhole) startSeconds = Math.min(startSeconds, start);
      const measure = `${name}: ${stage.name}, ${(1e6 / rate).toFixed(2)} s of CPU per million lines without the start`;
      print(`  ${measure}`);
      const reached = isWhole && { goal: `≥ ${formatRate(goal)}`, isReached: rate >= goal };
      rows.push({ measure, ours: formatRate(rate), ...reached });
    }
  }
  return [
    limitRow('start and opening of the data, CPU time', startSeconds, START_LIMIT_SECONDS, 's'),
    ...rows,
  ];
}

function run({ args, exitCodes = [0] }: Stage, file: string, dataDir: string): number {
  const settings = { WHENCE_DATA_DIR: dataDir };
  return measureProcess(args(file), { settings, stdout: 'ignore', exitCodes }).cpuSeconds;
}

/** Other work on the machine only adds to the processor time of a run. */
const minimum = (measured: () => number) => Math.min(...Array.from({ length: ROUNDS }, measured));
