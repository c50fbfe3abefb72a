// Joins the files that a command loads into a few, because Node takes half a millisecond to find, read and compile each:
// server/dist/bundle, which server/bin/run.js starts. What a module looks for beside its own file (threads, pages, tables) it
// finds there as before. docs/decisions/0052 has the measurements.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');
// The bundler that Vite brings along for the pages.
const vite = createRequire(join(root, 'dashboard/package.json')).resolve('vite');
const { rolldown } = await import(pathToFileURL(createRequire(vite).resolve('rolldown')).href);
const dist = join(root, 'server/dist');

/** Packages with native code, with files of their own, or that few commands use. */
const EXTERNAL = /^(?:node:|@node-rs\/|@fastify\/swagger$|better-sqlite3$|hyparquet-writer$|openid-client$|pg$)/;

/** What is loaded together is one file each, with all that it imports. The rest is divided by what imports it. */
const GROUPS = [
  ['lookup', 'main|command-line/(?:commands?|lookups)|commands/lookup/(?:ip|local-ips)'],
  ['storage', 'storage/(?:open-storage|migrations/.*)'],
  ['server', 'process/server|commands/serve/.*'],
].map(([name, files], i) => ({
  name,
  priority: 3 - i,
  test: new RegExp(`server/dist/(?:${files})\\.js$`.replaceAll('/', '[\\\\/]')),
}));

/** Into `target`, a folder directly in server/dist. */
export async function bundle(target = join(dist, 'bundle')) {
  const input = await rolldown({
    input: { bin: join(dist, 'bin.js') },
    platform: 'node',
    // Both would remove calls of built-in functions that are made for their exceptions: `try { decodeURIComponent(text) }`.
    treeshake: false,
    external: EXTERNAL,
    checks: { bundlerTimings: false },
    plugins: [{ name: 'places', transform: { filter: { id: /\.js$/, code: /import\.meta/ }, handler: keepPlaces } }],
    onLog(level, log) {
      // Modules that are imported both at once and later are in the file that is loaded at once.
      if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(log.message);
    },
  });
  rmSync(target, { recursive: true, force: true });
  const { output } = await input.write({
    dir: target,
    entryFileNames: '[name].js',
    codeSplitting: { groups: GROUPS },
    minify: false,
  });
  await input.close();
  writeFileSync(join(target, 'LICENSES'), licencesOf(output.flatMap(({ moduleIds = [] }) => moduleIds)));
}

/** `import.meta.url` and `import.meta.dirname` of a module as they were before it was joined with others. */
function keepPlaces(code, id) {
  // A module of the bundler itself.
  if (id.startsWith('\0')) return undefined;
  const own = relative(dist, id).split(sep).join('/');
  const isServer = !own.startsWith('..');
  const [, name, file] = /[\\/](dataset|email|client)[\\/]dist[\\/](.*)\.js$/.exec(id) ?? [];
  if (!isServer && name === undefined) throw new Error(`${id} uses import.meta: it cannot be bundled`);
  const url = isServer
    ? `new URL(${JSON.stringify(`../${own}`)}, import.meta.url).href`
    : `import.meta.resolve(${JSON.stringify(`@whence/${name}/internal/${file.split(sep).join('/')}`)})`;
  const folder = `(import.meta.dirname + ${JSON.stringify(`/../${dirname(own)}`)})`;
  if (!isServer && code.includes('import.meta.dirname')) throw new Error(`${id} uses import.meta.dirname`);
  // Loaded by `require` where it is not bundled.
  const kysely = "createRequire(import.meta.url)('kysely')";
  const isKysely = own === 'storage/kysely.js';
  if (isKysely && !code.includes(kysely)) throw new Error(`${id} does not load Kysely as it did`);
  const placed = code
    .replace(kysely, 'bundledKysely')
    .replaceAll('import.meta.url', `(${url})`)
    .replaceAll('import.meta.dirname', folder);
  return isKysely ? `import * as bundledKysely from 'kysely';\n${placed}` : placed;
}

/** The licences of other packages whose code is in the bundle. */
function licencesOf(modules) {
  const folders = modules.flatMap((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id) ?? []);
  return [...new Set(folders)]
    .sort()
    .map((folder) => {
      const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const files = readdirSync(folder).filter((file) => /^(?:licen[sc]e|copying)/i.test(file));
      const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
      if (texts.length === 0) texts.push(`Copyright ${author?.name ?? author}`);
      return `${name} ${version}, ${license}\n\n${texts.join('\n\n')}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

if (process.argv[1] === import.meta.filename) await bundle(process.argv[2]);
