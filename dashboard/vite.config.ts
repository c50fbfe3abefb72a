import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, type Plugin, type Rollup } from 'vite';

const SERVER = fileURLToPath(new URL('../server/src/', import.meta.url));
const server = process.env['WHENCE_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [
    react(),
    codeBlocks(),
    browserModules(),
    sizeLimit({ entry: 'index.html', maxGzipBytes: 220_000 }),
  ],
  // The same files as in `paths` of tsconfig.json. They import types only, so nothing else of the
  // server comes along.
  resolve: {
    // The sources of the other packages.
    conditions: ['@whence/source', ...defaultClientConditions],
    alias: [
      {
        find: /^@whence\/server\/dashboard-wire\/(\w+)$/,
        replacement: `${SERVER}dashboard/wire/$1.ts`,
      },
      { find: '@whence/server/secret-form', replacement: `${SERVER}keys/secret-form.ts` },
      { find: '@whence/server/vocabulary', replacement: `${SERVER}vocabulary.ts` },
    ],
  },
  logLevel: 'warn',
  build: {
    outDir: '../server/dashboard-dist',
    emptyOutDir: true,
    reportCompressedSize: false,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      output: {
        codeSplitting: {
          // One script for what most pages are made of: twenty small files take longer than one.
          // Few pages have a virtual table, and none a dialog before it can be used.
          groups: [
            {
              name: 'components',
              test: /\/src\/(?:components\/(?!Virtual|Dialog|Form)|format|charts)\//,
            },
          ],
        },
      },
    },
    chunkSizeWarningLimit: 1000,
    // A data: URL would need its own permission in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
  },
  worker: { format: 'es' },
  server: { proxy: { '/dashboard/api': server, '/v1': server, '/docs': server } },
});

/** Vite would replace a module of Node by an empty one, and the page would fail when it is shown. */
function browserModules(): Plugin {
  return {
    name: 'browser-modules',
    enforce: 'pre',
    resolveId(id, importer) {
      if (id.startsWith('node:'))
        this.error(`${importer} imports ${id}, which browsers do not have`);
    },
  };
}

/**
 * `guide.md?blocks` is an object: by heading, the code blocks below it. Pages show what the guides
 * say.
 */
function codeBlocks(): Plugin {
  return {
    name: 'whence:code-blocks',
    enforce: 'pre',
    load(id) {
      if (!id.endsWith('.md?blocks')) return undefined;
      const blocks: Record<string, { language: string; text: string }[]> = {};
      let heading = '';
      // A block as a whole: its comments are no headings.
      const pattern = /^#+ (?<title>.*)$|^```(?<language>\w*)[^\n]*\n(?<text>[\s\S]*?)\n```$/gm;
      for (const { groups = {} } of readFileSync(id.slice(0, -'?blocks'.length), 'utf8').matchAll(
        pattern,
      )) {
        const { title, language = '', text = '' } = groups;
        if (title === undefined) blocks[heading] = [...(blocks[heading] ?? []), { language, text }];
        else heading = title;
      }
      return `export const blocks = ${JSON.stringify(blocks)}`;
    },
  };
}

type Limit = { readonly entry: string; readonly maxGzipBytes: number };

/**
 * Fails the build if the first page, with everything it loads at once, is above the limit (gzip).
 */
function sizeLimit({ entry, maxGzipBytes }: Limit): Plugin {
  return {
    name: 'whence:size-limit',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const first = firstPage(bundle, entry);
        const sizes = new Map(
          Object.values(bundle).map((file) => [file.fileName, gzipBytes(file)]),
        );
        const sum = [...first].reduce((bytes, name) => bytes + (sizes.get(name) ?? 0), 0);
        const text = `dashboard: first page ${kilobytes(sum)} gzip, limit ${kilobytes(maxGzipBytes)}`;
        if (sum > maxGzipBytes)
          this.error(`${text}. Load what the first page does not need with import().`);
      },
    },
  };
}

/** The page, the files it names, and what those import statically. */
function firstPage(bundle: Rollup.OutputBundle, entry: string): Set<string> {
  const page = bundle[entry];
  if (page?.type !== 'asset') throw new Error(`the build has no ${entry}`);
  const html = String(page.source);
  const names = new Set([entry]);
  const visit = (name: string): void => {
    if (names.has(name)) return;
    names.add(name);
    const file = bundle[name];
    if (file?.type === 'chunk') file.imports.forEach(visit);
  };
  for (const name of Object.keys(bundle)) if (html.includes(name)) visit(name);
  return names;
}

function gzipBytes(file: Rollup.OutputAsset | Rollup.OutputChunk): number {
  return gzipSync(file.type === 'chunk' ? file.code : file.source).length;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
