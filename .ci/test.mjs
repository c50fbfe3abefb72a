// npm test and npm run test:full (--full). What a test needs decides about the name of its file,
// and the name about the tier:
//
//   NAME.test.ts        npm test. Needs Node and nothing else. A process runs files of a folder.
//   NAME.full.test.ts   npm run test:full. Needs other programs, PostgreSQL, a browser, the packages,
//                       several processes or a long search. Each file has a process of its own.
//
// Compiled test files as arguments: only these. --ci: a skipped test fails the run. Files of the
// full tier share the embedded dataset, which is built when something that it depends on has
// changed, one PostgreSQL, and the packages as they are packed and installed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(import.meta.dirname, '..');
/** Files of this run: an entry for each process, and what its tests reported. */
const folder = mkdtempSync(join(tmpdir(), 'whence-tests-'));
/**
 * A test that waits for ever is ended, and named. Three times what the longest process takes on two
 * slow cores.
 */
const TIMEOUT_MS = 900_000;
/** What a process may take to end after its last test. */
const ENDING_MS = 30_000;
const REPORTER = pathToFileURL(join(import.meta.dirname, 'test-events.mjs')).href;
/** Compiled tests in a process; to load the server takes a second in each. */
const PROCESS_BYTES = 130_000;
/**
 * Tests wait for timers, disks and other programs for a third of their time: with one process more
 * than cores, no core waits with them.
 */
const AT_ONCE = availableParallelism() + 1;
/** What --ci lets skip: where this is so, there is no other way to run the test. */
const ALLOWED_SKIPS = [
  { reason: /folder shared\/feeds/, isSo: !existsSync(join(root, '../shared/feeds')) },
];

const { values: options, positionals } = parseArgs({
  options: { full: { type: 'boolean', default: false }, ci: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const startedMs = performance.now();
useOrdinaryClass();
const given = positionals.map((file) => resolve(file));
const files = given.length > 0 ? given : testFiles();
const stopPostgres = await prepare();
let usedCpuMs = cpuMsOfEndedChildren();
let outcomes = [];
try {
  outcomes = await runAll(processesFor(files));
} finally {
  await stopPostgres();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = report() ? 0 : 1;

/**
 * A server builds and writes files in Linux's idle class, which gets no time while tests use all
 * cores: for them chrt leaves a command in the ordinary class, at the lowest priority.
 */
function useOrdinaryClass() {
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  writeFileSync(join(programs, 'chrt'), '#!/bin/sh\nshift 2\nexec "$@"\n', { mode: 0o755 });
  process.env.PATH = `${programs}:${process.env.PATH}`;
}

function testFiles() {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return workspaces
    .filter((workspace) => existsSync(join(root, workspace, 'src')))
    .flatMap((workspace) =>
      readdirSync(join(root, workspace, 'src'), { recursive: true })
        .filter(
          (name) => name.endsWith('.test.ts') && name.endsWith('.full.test.ts') === options.full,
        )
        .map((name) => join(root, workspace, outputOf(workspace), name.replace(/ts$/, 'js'))),
    )
    .sort();
}

function outputOf(workspace) {
  return workspace === 'dashboard' ? 'dist/modules' : 'dist';
}

/** What files of the full tier share; one that is run by itself has its own. */
async function prepare() {
  if (!options.full) return async () => {};
  const { prepareEmbeddedDataset } = await import('../testing/dist/embedded-dataset.js');
  const { NO_OWN_POSTGRES, PostgresServer } = await import(
    '../testing/dist/servers/postgres-server.js'
  );
  await prepareEmbeddedDataset();
  if (
    files.filter((path) => /\/test\/packages\/(packages|pages|package-managers)\.full/.test(path))
      .length > 1
  ) {
    const { PackedPackages } = await import('../server/dist/test/packages/packed.js');
    const packed = new PackedPackages(join(folder, 'packages'));
    await packed.prepare();
    process.env.WHENCE_TEST_PACKAGES = packed.folder;
  }
  if (NO_OWN_POSTGRES || process.env.WHENCE_TEST_DATABASE_URL !== undefined) return async () => {};
  const postgres = await PostgresServer.startOwn(['max_connections=300']);
  process.env.WHENCE_TEST_DATABASE_URL = postgres.url;
  return () => postgres.stop();
}

/**
 * Those with most to do first, by the size of their tests: one that starts last would keep a core
 * waiting for it.
 */
function processesFor(paths) {
  const groups = new Map();
  for (const path of paths) {
    const name = path.endsWith('.full.test.js') ? relative(root, path) : groupOf(path);
    groups.set(name, [...(groups.get(name) ?? []), path]);
  }
  return [...groups]
    .flatMap(([name, files]) => divide(name, files))
    .sort((a, b) => b.bytes - a.bytes);
}

/** Into processes of similar size. */
function divide(name, files) {
  const counted = new Set();
  const sizes = files.map((path) => ({ path, bytes: sizeOf(path, counted) }));
  const count = Math.max(1, Math.min(files.length, Math.ceil(sum(sizes) / PROCESS_BYTES)));
  const processes = Array.from({ length: count }, (_, i) => ({
    name: count === 1 ? name : `${name} ${i + 1}/${count}`,
    files: [],
    bytes: 0,
  }));
  for (const { path, bytes } of sizes.sort((a, b) => b.bytes - a.bytes)) {
    const smallest = processes.reduce((least, next) => (next.bytes < least.bytes ? next : least));
    smallest.files.push(path);
    smallest.bytes += bytes;
  }
  return processes;
}

/** In bytes, with the modules of tests that it imports: some files have all their tests there. */
function sizeOf(path, counted) {
  if (counted.has(path) || !existsSync(path)) return 0;
  counted.add(path);
  const code = readFileSync(path, 'utf8');
  const imported = [...code.matchAll(/(?:from|import) ?\(?["'](\.[^"']+)["']/g)]
    .map(([, name]) => join(dirname(path), name))
    .filter((name) => name.includes('/test/') || name.endsWith('.test.js'));
  return imported.reduce((bytes, name) => bytes + sizeOf(name, counted), code.length);
}

function sum(sizes) {
  return sizes.reduce((total, { bytes }) => total + bytes, 0);
}

/** `email`, `server/commands`, `server/test/http`. */
function groupOf(path) {
  const [folder, rest] = relative(root, path).split('/dist/');
  if (folder !== 'server' && folder !== 'dataset') return folder;
  const depth = rest.startsWith('test/') ? 2 : 1;
  return [folder, ...rest.split('/').slice(0, -1).slice(0, depth)].join('/');
}

async function runAll(processes) {
  const waiting = [...processes];
  const ended = [];
  const runNext = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      ended.push(await runProcess(next));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runNext));
  return ended;
}

async function runProcess({ name, files }) {
  const path = join(folder, name.replaceAll(/[/ ]/g, '-'));
  const entry = `${path}.mjs`;
  const events = `${path}.jsonl`;
  writeFileSync(entry, entryOf(files, events));
  const began = performance.now();
  const args = [`--test-reporter=${REPORTER}`, `--test-reporter-destination=${events}`, entry];
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  const [code, signal] = await once(child, 'exit');
  const cpuMs = cpuMsOfEndedChildren() - usedCpuMs;
  usedCpuMs += cpuMs;
  const outcome = {
    name,
    ...outcomeOf(files, events),
    ms: performance.now() - began,
    cpuMs,
    output,
  };
  if (signal !== null || (code !== 0 && outcome.failures.length === 0))
    outcome.failures.unshift({
      ...outcome.lastBegun,
      failure:
        signal === null
          ? `ended with ${code}`
          : `ended with ${signal} after ${seconds(outcome.ms).trim()}`,
    });
  print(outcome);
  return outcome;
}

/**
 * Each file is a suite, so that its hooks are its own, and is loaded after the files before it have
 * ended.
 */
function entryOf(files, events) {
  const suites = files.map((path) => {
    const [name, url] = [relative(root, path), pathToFileURL(path).href].map((text) =>
      JSON.stringify(text),
    );
    return `await describe(${name}, async () => void (await import(${url})));\n`;
  });
  const names = [relative(root, files.at(-1)), 'after the last test of this process'];
  return [
    `import { describe } from 'node:test';\nimport { endAfter } from '${REPORTER}';\n`,
    ...suites,
    `endAfter(${ENDING_MS}, ${JSON.stringify(names)}, ${JSON.stringify(events)});\n`,
  ].join('');
}

function outcomeOf(files, events) {
  const lines = existsSync(events) ? readFileSync(events, 'utf8').split('\n').filter(Boolean) : [];
  const reported = lines.map((line) => JSON.parse(line));
  const ended = reported.filter(({ begun }) => begun === undefined);
  const describeTest = ({ names: [file, ...names], ...rest }) => ({
    file,
    test: names.join(' > '),
    ...rest,
  });
  const tests = ended.filter(({ isSuite }) => !isSuite);
  const failures = ended.filter(({ failure }) => failure !== undefined).map(describeTest);
  for (const path of files.map((file) => relative(root, file)))
    if (
      !tests.some(({ names }) => names[0] === path) &&
      !failures.some(({ file }) => file === path)
    )
      failures.push({ file: path, test: '', failure: 'it has no test, or ended before its first' });
  return {
    tests: tests.length,
    passed: tests.filter(({ isPassed, skipped }) => isPassed && skipped === undefined).length,
    lastBegun: {
      file: reported.findLast(({ nesting }) => nesting === 0)?.begun ?? relative(root, files[0]),
      test: reported.findLast(({ nesting }) => nesting > 0)?.begun ?? '',
    },
    failures,
    skips: ended.filter(({ skipped }) => skipped !== undefined).map(describeTest),
  };
}

function print({ name, tests, failures, ms, cpuMs, output }) {
  process.stdout.write(
    `${failures.length === 0 ? 'ok    ' : 'FAILED'} ${seconds(ms)} ${seconds(cpuMs)} cpu  ${name}, ${tests} tests\n`,
  );
  for (const { file, test, location, failure } of failures)
    process.stdout.write(
      `\n${file}: ${test}\n  ${location ?? ''}\n${failure.replaceAll(/^/gm, '  ')}\n\n`,
    );
  if (failures.length > 0 && output !== '')
    process.stdout.write(`output:\n${output.replaceAll(/^/gm, '  ')}\n`);
}

function report() {
  const passed = outcomes.reduce((total, outcome) => total + outcome.passed, 0);
  const failures = outcomes.flatMap(({ failures }) => failures);
  const skips = outcomes.flatMap(({ skips }) => skips);
  const refused = options.ci ? skips.filter(({ skipped }) => !mayBeSkipped(skipped)) : [];
  for (const [reason, count] of countBy(skips, ({ skipped }) => skipped))
    process.stdout.write(`skipped: ${count} × ${reason}\n`);
  for (const { file, test } of failures) process.stdout.write(`FAILED: ${file}: ${test}\n`);
  for (const { file, test } of refused)
    process.stdout.write(`skipped, which --ci refuses: ${file}: ${test}\n`);
  process.stdout.write(
    `${seconds(performance.now() - startedMs).trim()} by the clock, ${seconds(usedCpuMs).trim()} of processor time\n`,
  );
  process.stdout.write(`${passed} passed, ${failures.length} failed, ${skips.length} skipped\n`);
  return failures.length === 0 && refused.length === 0;
}

function mayBeSkipped(skipped) {
  return ALLOWED_SKIPS.some(({ reason, isSo }) => isSo && reason.test(skipped));
}

function countBy(items, keyOf) {
  const counts = new Map();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}

/**
 * User and system time of all processes that this one and its children have waited for, on Linux.
 */
function cpuMsOfEndedChildren() {
  if (process.platform !== 'linux') return 0;
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  // Fields 16 and 17 of proc(5), without the two before; in hundredths of a second.
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`.padStart(8);
}
