// npm run pack: tarballs of all published packages, in dist-packages or the folder that is given.
// The libraries have what the compiler makes of their sources. The server has its current build,
// which includes the libraries, the pages, and what a clone reads from npm packages: the embedded
// dataset, compiled, and the files it is compiled from, which an update reads again. So it does not
// depend on those packages, which have 170 MB. Run it after npm run build.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { isBundled } from './bundle.mjs';
import { arePagesBuilt } from './pages.mjs';

const root = join(import.meta.dirname, '..');
const target = resolve(process.argv[2] ?? join(root, 'dist-packages'));
const { workspaces } = read(root);
const published = workspaces.filter((folder) => read(join(root, folder)).private !== true);

if (!isBundled() || !arePagesBuilt())
  fail('the program and the pages are not built: npm run build');
const temporary = mkdtempSync(join(tmpdir(), 'whence-pack-'));
try {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const folder of published.filter((name) => name !== 'server')) {
    say(`packing ${folder}`);
    pack(join(root, folder));
  }
  const server = join(temporary, 'server');
  copyServer(server);
  await addEmbedded(server);
  say('packing server with its dataset');
  pack(server);
  // npm takes dist-packages/x.tgz for a repository on GitHub, and ./dist-packages/x.tgz for a file.
  const shown = relative(process.cwd(), target);
  const place = shown.startsWith('..') ? target : `./${shown}`;
  for (const name of readdirSync(target)) say(`${place}/${name}`);
  say(`install the program with: npm install --global ${place}/${tarballOf('server')}`);
} catch (error) {
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

/** Copies only the current build: older ones belong to servers that still run in this clone. */
function copyServer(folder) {
  const current = readFileSync(join(root, 'server/build/current'), 'utf8');
  for (const name of [
    'package.json',
    'README.md',
    'bin',
    'dashboard-dist',
    'build/current',
    `build/${current}`,
  ])
    cpSync(join(root, 'server', name), join(folder, name), { recursive: true });
  for (const name of ['LICENSE', 'NOTICE']) cpSync(join(root, name), join(folder, name));
}

/** server/src/commands/embedded-data.ts describes the folder. */
async function addEmbedded(server) {
  const embedded = join(server, 'embedded');
  const dataDir = join(temporary, 'data');
  say('compiling the dataset');
  run(process.execPath, [join(root, 'server/bin/whence.js'), 'dataset', 'build'], {
    WHENCE_DATA_DIR: dataDir,
  });
  // A data directory, which commands read where it is; so its file is not compressed.
  const manifest = readFileSync(join(dataDir, 'datasets/manifest.json'));
  const [version] = JSON.parse(manifest).versions;
  mkdirSync(join(embedded, 'datasets'), { recursive: true });
  writeFileSync(join(embedded, 'datasets/manifest.json'), manifest);
  cpSync(join(dataDir, 'datasets', version.file), join(embedded, 'datasets', version.file));

  say('compressing the files it is compiled from');
  const { npmPackages } = await import('../dataset/dist/data-files/data-files.js');
  const { packageFile } = await import('../dataset/dist/compile/npm-packages.js');
  for (const { package: name } of npmPackages.rows) {
    const source = packageFolder(name);
    const copy = join(embedded, name);
    mkdirSync(copy, { recursive: true });
    // package.json, which names the version, licences and notes on modifications; README.md repeats
    // them.
    for (const file of readdirSync(source))
      if (!/\.(csv|md)$/.test(file)) cpSync(join(source, file), join(copy, file));
    for (const file of [4, 6].map((version) => packageFile(name, version)))
      compress(join(source, file), join(copy, `${file}.br`));
  }
  writeFileSync(join(embedded, 'CREDITS'), credits(version.sources));
}

function packageFolder(name) {
  const folders = [root, join(root, 'server')].map((folder) => join(folder, 'node_modules', name));
  return folders.find((folder) => existsSync(folder)) ?? fail(`${name} is not installed: npm ci`);
}

function credits(sources) {
  const rows = sources.map(
    ({ id, as_of, licence, credit }) => `${id}, ${as_of}: ${credit}. ${licence}.`,
  );
  return `The sources of the embedded dataset. NOTICE, in the folder above, has the licences and what was changed.

${rows.join('\n')}

If you show results to others on a page, DB-IP asks for this link there:
<a href='https://db-ip.com'>IP Geolocation by DB-IP</a>
`;
}

/** Quality 6: the data package by package takes 6 s; quality 9 takes 50 s for 2% less. */
function compress(from, to) {
  const bytes = readFileSync(from);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 6,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  writeFileSync(to, brotliCompressSync(bytes, { params }));
}

function pack(folder) {
  run('npm', ['pack', folder, '--silent', '--pack-destination', target], { WHENCE_PACK: 'yes' });
}

function run(program, args, environment = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    env: { ...process.env, ...environment },
  });
  if (status !== 0) fail(`${program} ${args.join(' ')}\n${stdout ?? ''}${stderr ?? ''}`);
}

function say(line) {
  process.stdout.write(`${line}\n`);
}

function fail(message) {
  // Thrown and not exited with, so that the temporary folder is removed.
  throw new Error(message);
}

function read(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function tarballOf(folder) {
  const { name, version } = read(join(root, folder));
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
}
