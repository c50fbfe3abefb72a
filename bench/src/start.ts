/**
 * Time from the start of a process to its end or, for the server, to the first 200 from `/readyz`.
 * Every command is a new process; commands take turns, and results are medians. Processor time
 * counts all threads.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { loadAverage, print } from '@whence/testing/console-report';
import { ANY_CORE, cpuSeconds, PinnedProcesses } from '@whence/testing/pinned-processes';
import { untilInterrupted } from '@whence/testing/script';
import { median } from '@whence/testing/statistics';
import { buildDataset, startWhence, WHENCE } from '@whence/testing/whence-program';
import { formatRows, limitRow, type Row } from './report.ts';

const ROUNDS = 11;
const COMMANDS: readonly { name: string; args: readonly string[]; limitMs?: number }[] = [
  { name: 'node -e 0, for comparison', args: ['-e', '0'] },
  { name: 'whence --help', args: [WHENCE, '--help'], limitMs: 150 },
  { name: 'wh ip 8.8.8.8', args: [WHENCE, 'ip', '8.8.8.8'], limitMs: 150 },
  { name: 'wh key create', args: [WHENCE, 'key', 'create', '--new', '--name', 'bench'] },
];
const READY_LIMIT_MS = 700;

type Measure = { readonly wallMs: number; readonly cpuMs: number };

export async function start(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'whence-bench-'));
  const processes = new PinnedProcesses();
  try {
    print(
      `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${loadAverage()} at the start`,
    );
    print('building the dataset');
    const rows = await Promise.race([
      measureAll(processes, join(folder, 'data')),
      untilInterrupted(),
    ]);
    print(`${loadAverage()} at the end\n\n${formatRows(rows)}`);
  } finally {
    await processes.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureAll(processes: PinnedProcesses, dataDir: string): Promise<Row[]> {
  await buildDataset(processes, dataDir);
  const measures = [...COMMANDS, { name: 'start to ready' }].map((): Measure[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    COMMANDS.forEach(({ args }, i) => {
      measures[i]?.push(measureCommand(args, dataDir));
    });
    measures.at(-1)?.push(await measureServer(processes, dataDir));
  }
  const rowsOf = (name: string, limitMs: number | undefined, results: readonly Measure[] = []) => [
    limitRow(name, median(results.map(({ wallMs }) => wallMs)), limitMs, 'ms'),
    limitRow(`${name}, processor time`, median(results.map(({ cpuMs }) => cpuMs)), undefined, 'ms'),
  ];
  return [
    ...COMMANDS.flatMap(({ name, limitMs }, i) => rowsOf(name, limitMs, measures[i])),
    ...rowsOf('start to ready', READY_LIMIT_MS, measures.at(-1)),
  ];
}

function measureCommand(args: readonly string[], dataDir: string): Measure {
  const started = performance.now();
  // `times` of the shell is how a program learns the processor time of a child that has ended.
  const script = '"$@" >/dev/null 2>&1 && times';
  const { status, stdout } = spawnSync('sh', ['-c', script, 'sh', process.execPath, ...args], {
    env: { PATH: process.env['PATH'], WHENCE_DATA_DIR: dataDir },
    encoding: 'utf8',
  });
  const wallMs = performance.now() - started;
  if (status !== 0) throw new Error(`${args.join(' ')} exited with ${status}`);
  // POSIX: the second line has user and system time of the children, such as 0m0.100000s
  // 0m0.020000s.
  const times = [...(stdout.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  const seconds = times.reduce(
    (sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest),
    0,
  );
  return { wallMs, cpuMs: seconds * 1000 };
}

async function measureServer(processes: PinnedProcesses, dataDir: string): Promise<Measure> {
  const started = performance.now();
  const server = await startWhence(processes, dataDir, ANY_CORE);
  const { status } = await fetch(`${server.url}/readyz`);
  const wallMs = performance.now() - started;
  // The server opens the dataset before it listens, so it is ready at once.
  if (status !== 200) throw new Error(`the server listens, but /readyz returns ${status}`);
  const cpuMs = cpuSeconds(server.pid) * 1000;
  await server.stop();
  return { wallMs, cpuMs };
}
