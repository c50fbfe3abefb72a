/**
 * The first minute of a contributor: a clone of the last commit, `npm ci`, `npm start` until a
 * lookup is answered, and `npm test`. The goals are for two idle slow
 * cores. `npm ci` uses what the cache of npm has.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAverage, print } from '@whence/testing/console-report';
import { freePort } from '@whence/testing/programs';
import { untilInterrupted } from '@whence/testing/script';
import { until } from '@whence/testing/until';
import { formatRows, limitRow, type Row } from './report.ts';

const ROOT = join(import.meta.dirname, '../..');
const FIRST_KEY = /whence_\w{36}/;
const GOALS = { install: 25, packages: 220, listening: 5, dataset: 12, answer: 45, test: 180 };

export async function firstMinute(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'whence-first-minute-'));
  const running = new Set<ChildProcess>();
  try {
    print(
      `Node ${process.version}, ${availableParallelism()} cores, ${loadAverage()} at the start`,
    );
    const rows = await Promise.race([measure(join(folder, 'clone'), running), untilInterrupted()]);
    print(`${loadAverage()} at the end\n\n${formatRows(rows)}`);
  } finally {
    await Promise.all([...running].map(stop));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(clone: string, running: Set<ChildProcess>): Promise<Row[]> {
  const run = async (cwd: string, command: string, ...args: string[]): Promise<number> => {
    print(`${command} ${args.join(' ')}`);
    const startedMs = performance.now();
    const child = start(cwd, command, args, running);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    const [code] = await once(child, 'close');
    running.delete(child);
    if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output}`);
    return secondsSince(startedMs);
  };
  const cloning = await run(ROOT, 'git', 'clone', '--quiet', '--no-hardlinks', ROOT, clone);
  const installing = await run(clone, 'npm', 'ci');
  const started = await measureStart(clone, running);
  const testing = await run(clone, 'npm', 'test');
  return [
    limitRow('git clone', cloning, undefined, 's'),
    limitRow('npm ci', installing, GOALS.install, 's'),
    limitRow('packages', countPackages(join(clone, 'node_modules')), GOALS.packages, ''),
    limitRow('npm start, until it listens', started.listening, GOALS.listening, 's'),
    limitRow('until the first dataset is ready', started.dataset, GOALS.dataset, 's'),
    limitRow('npm ci and npm start, first answer', installing + started.answer, GOALS.answer, 's'),
    limitRow('npm test', testing, GOALS.test, 's'),
  ];
}

/** Seconds from the start; those of the dataset from when the server listens. */
async function measureStart(clone: string, running: Set<ChildProcess>) {
  print('npm start');
  const startedMs = performance.now();
  const port = await freePort();
  const environment = { WHENCE_PORT: `${port}`, WHENCE_LOG_LEVEL: 'fatal' };
  const child = start(clone, 'npm', ['start'], running, environment);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  const waitFor = async (what: string, isTrue: () => boolean | Promise<boolean>) => {
    await until(
      what,
      () => {
        if (child.exitCode !== null) throw new Error(`npm start ended: ${output}`);
        return isTrue();
      },
      { state: () => output },
    );
    return secondsSince(startedMs);
  };
  const listening = await waitFor('the server listens', () => output.includes('listens on'));
  await waitFor('the first key', () => FIRST_KEY.test(output));
  const [key = ''] = FIRST_KEY.exec(output) ?? [];
  const answer = await waitFor('a lookup is answered', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/ip/8.8.8.8`, {
      headers: { 'X-API-Key': key },
    });
    await response.arrayBuffer();
    return response.status === 200;
  });
  await stop(child);
  running.delete(child);
  return { listening, answer, dataset: answer - listening };
}

function start(
  cwd: string,
  command: string,
  args: readonly string[],
  running: Set<ChildProcess>,
  environment: Record<string, string> = {},
): ChildProcess {
  const { npm_config_cache: cache, HOME, PATH } = process.env;
  // Nothing that npm run sets for this process, except where its cache is.
  const env = { HOME, PATH, ...(cache !== undefined && { npm_config_cache: cache }) };
  const child = spawn(command, args, {
    cwd,
    env: { ...env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  running.add(child);
  return child;
}

/** npm starts a shell, which starts the server: all of them are in one process group. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  process.kill(-child.pid, 'SIGTERM');
  await ended;
}

function countPackages(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) =>
      entry.name === 'package.json' &&
      /node_modules\/(?:@[^/]+\/)?[^/]+$/.test(entry.parentPath.replaceAll('\\', '/')),
  ).length;
}

function secondsSince(startedMs: number): number {
  return (performance.now() - startedMs) / 1000;
}
