// npm test and npm run test:thorough (--thorough), after npm run build. The name of a test file says how it is run:
//
//   NAME.test.ts            npm test, in one process with the other test files of its folder
//   NAME.alone.test.ts      npm test, in a process of its own
//   NAME.thorough.test.ts   npm run test:thorough, in a process of its own
//
// Compiled test files as arguments: only these. --ci: a skipped test fails the run, and up to two failed files are run
// again, once. Test files share the embedded dataset, which is built when something that it depends on has changed, one
// PostgreSQL, and the packages as they are packed and installed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { prepareEmbeddedDataset } from '../testing/dist/embedded-dataset.js';
import { NO_OWN_POSTGRES, PostgresServer } from '../testing/dist/servers/postgres-server.js';

const root = join(import.meta.dirname, '..');
/** Files of this run: an entry for each process, and what its tests reported. */
const folder = mkdtempSync(join(tmpdir(), 'whence-tests-'));
const CONCURRENCY = 2;
/** More failed files than that are not a matter of timing. */
const MAX_FILES_AGAIN = 2;
/** What --ci lets skip: where this is so, there is no other way to run the test. */
const ALLOWED_SKIPS = [
  { reason: /folder shared\/feeds/, isSo: !existsSync(join(root, '../shared/feeds')) },
  { reason: /chdb has no engine for linux-arm64/, isSo: process.arch === 'arm64' },
];

const { values: options, positionals } = parseArgs({
  options: { thorough: { type: 'boolean', default: false }, ci: { type: 'boolean', default: false } },
  allowPositionals: true,
});
/** Three times what the longest process takes on two slow cores. A test that waits for ever is ended, and named. */
const TIMEOUT_MS = options.thorough ? 1_200_000 : 900_000;
const startedMs = performance.now();
const given = positionals.map((file) => resolve(file));
const files = given.length > 0 ? given : testFiles();
const stopPostgres = await prepare();
let usedCpuMs = cpuMsOfEndedChildren();
let [outcomes, again] = [[], []];
try {
  outcomes = await runAll(processesFor(files));
  if (options.ci) again = await runAgain(outcomes);
} finally {
  await stopPostgres();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = report() ? 0 : 1;

function testFiles() {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return workspaces
    .map((folder) => join(root, folder, 'dist'))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, name)))
    .filter((path) => path.endsWith('.test.js') && path.endsWith('.thorough.test.js') === options.thorough)
    .filter((path) => existsSync(sourceOf(path)))
    .sort();
}

/** The compiler does not remove what it made of a file that was removed. */
function sourceOf(path) {
  return path.replace(/\/dist\/(modules\/)?/, '/src/').replace(/js$/, 'ts');
}

/** What test files share; one that is run by itself has its own. */
async function prepare() {
  await prepareEmbeddedDataset();
  if (files.filter((path) => /\/test\/packages\/(packages|pages|package-managers)\.thorough/.test(path)).length > 1) {
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

/** Processes of many short tests come last, so that both cores are busy until the end. */
function processesFor(paths) {
  const isAlone = (path) => /\.(alone|thorough)\.test\.js$/.test(path);
  const groups = new Map();
  for (const path of paths.filter((path) => !isAlone(path)))
    groups.set(groupOf(path), [...(groups.get(groupOf(path)) ?? []), path]);
  return [
    ...paths.filter(isAlone).map((path) => ({ name: relative(root, path), files: [path] })),
    ...[...groups].map(([name, files]) => ({ name, files })).reverse(),
  ];
}

/** `email`, `server/commands`, `server/test/http`. */
function groupOf(path) {
  const [folder, rest] = relative(root, path).split('/dist/');
  if (folder !== 'server' && folder !== 'dataset') return folder;
  const depth = rest.startsWith('test/') ? 2 : 1;
  return [folder, ...rest.split('/').slice(0, -1).slice(0, depth)].join('/');
}

async function runAll(processes) {
  const [waiting, ended] = [[...processes], []];
  const runNext = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) ended.push(await runProcess(next));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, runNext));
  return ended;
}

async function runAgain(first) {
  const files = [...new Set(first.flatMap(({ failures }) => failures.map(({ file }) => file)))];
  if (files.length > MAX_FILES_AGAIN) return [];
  process.stdout.write(files.length > 0 ? 'running failed files again\n' : '');
  const ended = [];
  for (const file of files) ended.push(await runProcess({ name: file, files: [resolve(root, file)] }));
  return ended;
}

async function runProcess({ name, files }) {
  const path = join(folder, name.replaceAll('/', '-'));
  const [entry, events] = [`${path}.mjs`, `${path}.jsonl`];
  writeFileSync(entry, entryOf(files));
  const began = performance.now();
  const reporter = join(import.meta.dirname, 'test-events.mjs');
  const args = [`--test-reporter=${pathToFileURL(reporter)}`, `--test-reporter-destination=${events}`, entry];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], timeout: TIMEOUT_MS });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  const [code, signal] = await once(child, 'exit');
  const cpuMs = cpuMsOfEndedChildren() - usedCpuMs;
  usedCpuMs += cpuMs;
  const outcome = { name, ...outcomeOf(files, events), ms: performance.now() - began, cpuMs, output };
  if (signal !== null || (code !== 0 && outcome.failures.length === 0))
    outcome.failures.unshift({
      ...outcome.lastBegun,
      failure: signal === null ? `ended with ${code}` : `ended with ${signal} after ${seconds(outcome.ms).trim()}`,
    });
  print(outcome);
  return outcome;
}

/** Each file is a suite, so that its hooks are its own, and is loaded after the files before it have ended. */
function entryOf(files) {
  const suites = files.map((path) => {
    const [name, url] = [relative(root, path), pathToFileURL(path).href].map((text) => JSON.stringify(text));
    return `await describe(${name}, async () => void (await import(${url})));\n`;
  });
  return `import { describe } from 'node:test';\n${suites.join('')}`;
}

function outcomeOf(files, events) {
  const lines = existsSync(events) ? readFileSync(events, 'utf8').split('\n').filter(Boolean) : [];
  const reported = lines.map((line) => JSON.parse(line));
  const ended = reported.filter(({ begun }) => begun === undefined);
  const describeTest = ({ names: [file, ...names], ...rest }) => ({ file, test: names.join(' > '), ...rest });
  const tests = ended.filter(({ isSuite }) => !isSuite);
  const failures = ended.filter(({ failure }) => failure !== undefined).map(describeTest);
  for (const path of files.map((file) => relative(root, file)))
    if (!tests.some(({ names }) => names[0] === path) && !failures.some(({ file }) => file === path))
      failures.push({ file: path, test: '', failure: 'it has no test, or ended before its first' });
  return {
    tests: tests.length,
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
    process.stdout.write(`\n${file}: ${test}\n  ${location ?? ''}\n${failure.replaceAll(/^/gm, '  ')}\n\n`);
  if (failures.length > 0 && output !== '') process.stdout.write(`output:\n${output.replaceAll(/^/gm, '  ')}\n`);
}

function report() {
  const tests = outcomes.reduce((total, outcome) => total + outcome.tests, 0);
  const failures = outcomes.flatMap(({ failures }) => failures);
  const skips = outcomes.flatMap(({ skips }) => skips);
  const isRefused = ({ skipped }) => !ALLOWED_SKIPS.some(({ reason, isSo }) => isSo && reason.test(skipped));
  for (const { file, test, skipped } of skips) process.stdout.write(`skipped: ${file}: ${test}: ${skipped}\n`);
  const passedAgain =
    failures.length > 0 && again.length > 0 && again.every((outcome) => outcome.failures.length === 0);
  for (const { file, test } of failures)
    process.stdout.write(
      `${passedAgain ? 'FAILED AT FIRST, and passed when it was run again' : 'FAILED'}: ${file}: ${test}\n`,
    );
  process.stdout.write(
    `${tests} tests, ${failures.length} failed, ${skips.length} skipped; ` +
      `${seconds(performance.now() - startedMs)} by the clock, ${seconds(usedCpuMs)} of processor time\n`,
  );
  const isSkipRefused = options.ci && skips.some(isRefused);
  if (isSkipRefused) process.stdout.write('a test was skipped, which --ci refuses\n');
  return (failures.length === 0 || passedAgain) && !isSkipRefused;
}

/** User and system time of all processes that this one and its children have waited for, on Linux. */
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
