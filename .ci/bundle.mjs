// Bundles the program from its TypeScript sources, without checking types, into a folder of its
// own: server/build/ID. The folder has everything that the program reads beside its code, so a
// running server never meets files of another build:
//
//   build/current        the ID of the build that server/bin/run.js starts: a checksum of its content
//   build/ID/bin.js      the program, and chunks that are loaded on demand
//   build/ID/*.js        a file for each thread and process that it starts
//   build/ID/dataset …   tables and other files, at the paths that they have in the repository
//
// docs/decisions/0060 says why.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { isUnchanged, noteInputs } from './inputs.mjs';
import { requirePackages } from './packages.mjs';

const root = join(import.meta.dirname, '..');
const builds = join(root, 'server/build');
const BIN = join(root, 'server/src/bin.ts');
/** What the program reads beside its code. */
const FILES = [
  'dataset/data',
  'dataset/package.json',
  'email/data',
  'server/package.json',
  'server/reference',
];
/** Servers may still run the builds before the current one, and start threads of it. */
const KEPT_BUILDS = 3;

/** Packages with native code. */
const EXTERNAL = /^(?:node:|@node-rs\/argon2$|@photostructure\/sqlite$|pg-native$)/;

/**
 * What is loaded together is one file each, with all that it imports. The rest is divided by what
 * imports it.
 */
const GROUPS = [
  ['lookup', 'main|command-line/(?:commands?|lookups)|commands/lookup/(?:ip|local-ips)'],
  ['storage', 'storage/(?:open-storage|migrations/.*)'],
  ['server', 'process/server|commands/serve/.*'],
].map(([name, files], i) => ({
  name,
  priority: 3 - i,
  test: new RegExp(`server/src/(?:${files})\\.ts$`.replaceAll('/', '[\\\\/]')),
}));

/** Whether the current build is made from the sources as they are. */
export function isBundled() {
  return existsSync(join(builds, 'current')) && isUnchanged('program');
}

/** Makes a new build the current one. */
export async function bundle() {
  const startedMs = Date.now();
  const unfinished = join(builds, `unfinished-${process.pid}`);
  const { id, inputs } = await bundleInto(unfinished);
  const folder = join(builds, id);
  // A build of the same content may be in use.
  if (existsSync(folder)) rmSync(unfinished, { recursive: true });
  else renameSync(unfinished, folder);
  noteInputs('program', inputs, startedMs);
  writeFileSync(`${unfinished}.id`, id);
  renameSync(`${unfinished}.id`, join(builds, 'current'));
  removeOldBuilds(id);
}

export async function bundleInto(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  /** Modules that are started as threads and processes, by the name of their file. */
  const started = new Map();
  const program = await generate({ bin: BIN }, started, {
    entryFileNames: '[name].js',
    codeSplitting: { groups: GROUPS },
  });
  started.delete('bin');
  const threads = await generate(Object.fromEntries(started), started, {
    entryFileNames: '[name].js',
    chunkFileNames: 'thread-[name]-[hash].js',
  });
  const chunks = [...program, ...threads];
  const modules = [...new Set(chunks.flatMap(({ moduleIds }) => moduleIds))]
    .filter((id) => !id.startsWith('\0'))
    .sort();
  const hash = createHash('sha256');
  const add = (path, bytes) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
    hash.update(`${path}\n${bytes.length}\n`).update(bytes);
  };
  for (const { fileName, code } of chunks) add(fileName, code);
  const files = FILES.flatMap(filesOf);
  for (const path of files) add(path, contentOf(path));
  add('LICENSES', licencesOf(modules));
  const inputs = [
    ...modules,
    ...[...files, '.ci/bundle.mjs', 'package-lock.json'].map((path) => join(root, path)),
  ];
  return { id: hash.digest('hex').slice(0, 12), inputs };
}

async function generate(input, started, options) {
  // Loaded here, because most starts of a clone have nothing to build.
  const { rolldown } = await import('rolldown');
  const made = await rolldown({
    input,
    platform: 'node',
    tsconfig: false,
    // The sources of other packages here. `import` or `require` is added by the bundler: pg
    // requires a package that exports something else to `import`.
    resolve: { conditionNames: ['@whence/source', 'node'] },
    // Both would remove calls of built-in functions that are made for their exceptions: `try {
    // decodeURIComponent(text) }`.
    treeshake: false,
    external: EXTERNAL,
    checks: { bundlerTimings: false },
    plugins: [places(started)],
    onLog(level, log) {
      // Modules that are imported both at once and later are in the file that is loaded at once.
      if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT')
        throw new Error(log.message);
    },
  });
  const { output } = await made.generate({ ...options, minify: false });
  await made.close();
  return output;
}

/**
 * `new URL('./thread.js', import.meta.url)` is a file of the build; what else is beside a module is
 * a copy there.
 */
function places(started) {
  const PLACE = /new URL\(\s*'(\.[^']+)\.js',\s*import\.meta\.url\s*\)|\bimport\.meta\.(\w+)/g;
  const handler = (code, id) => {
    const own = relative(root, id).split(sep).join('/');
    // Part of the bundler itself.
    if (id.startsWith('\0')) return undefined;
    return code.replaceAll(PLACE, (text, module, property) => {
      if (module !== undefined) {
        const source = join(dirname(id), `${module}.ts`);
        const name = source === BIN ? 'bin' : nameOf(source);
        started.set(name, source);
        return `new URL('./${name}.js', import.meta.url)`;
      }
      if (/^(client|dataset|email|server)\/src\//.test(own)) {
        if (property === 'url')
          return `new URL(${JSON.stringify(`./${own}`)}, import.meta.url).href`;
        if (property === 'dirname')
          return `(import.meta.dirname + ${JSON.stringify(`/${dirname(own)}`)})`;
      }
      throw new Error(`${own} uses ${text}: it cannot be bundled`);
    });
  };
  return { name: 'places', transform: { filter: { code: /import\.meta/ }, handler } };
}

/** `server-storage-sqlite-thread` */
function nameOf(source) {
  return relative(root, source)
    .replace('src', '')
    .split(/[\\/]+/)
    .join('-')
    .replace(/\.ts$/, '');
}

/**
 * A package.json is reduced to the fields that the program reads: a complete one would describe a
 * package.
 */
function contentOf(path) {
  const content = readFileSync(join(root, path));
  if (!path.endsWith('/package.json')) return content;
  const { name, version } = JSON.parse(content);
  return Buffer.from(`${JSON.stringify({ name, version })}\n`);
}

/** A file, or every file in a folder. */
function filesOf(path) {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path))
    .sort()
    .flatMap((name) => filesOf(`${path}/${name}`));
}

function removeOldBuilds(current) {
  const others = readdirSync(builds, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== current)
    .map(({ name }) => ({ name, ms: statSync(join(builds, name)).mtimeMs }))
    .sort((a, b) => b.ms - a.ms);
  for (const { name } of others.slice(KEPT_BUILDS - 1))
    rmSync(join(builds, name), { recursive: true, force: true });
}

/** The licences of other packages whose code is in the bundle. */
function licencesOf(modules) {
  const folders = modules.flatMap(
    (id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id) ?? [],
  );
  return [...new Set(folders)]
    .sort()
    .map((folder) => {
      const { name, version, license, author } = JSON.parse(
        readFileSync(join(folder, 'package.json'), 'utf8'),
      );
      const files = readdirSync(folder).filter((file) => /^(?:licen[sc]e|copying)/i.test(file));
      // Some packages offer several licences: MIT if it is among them.
      const mit = files.filter((file) => /mit$/i.test(file));
      const chosen = mit.length > 0 ? mit : files;
      const texts = chosen.map((file) => readFileSync(join(folder, file), 'utf8').trim());
      if (texts.length === 0) texts.push(`Copyright ${author?.name ?? author}`);
      return `${name} ${version}, ${license}\n\n${texts.join('\n\n')}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

if (process.argv[1] === import.meta.filename && !isBundled()) {
  requirePackages();
  await bundle();
}
