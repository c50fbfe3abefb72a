import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { sizeLimit } from './size-limit.ts';

const SERVER = fileURLToPath(new URL('../server/src/', import.meta.url));
const server = process.env['WHENCE_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react(), sizeLimit({ entry: 'index.html', maxGzipBytes: 235_000 })],
  // The same files as in `paths` of tsconfig.json. They import types only, so nothing else of the server comes along.
  resolve: {
    alias: [
      { find: /^@whence\/server\/dashboard-wire\/(\w+)$/, replacement: `${SERVER}dashboard/wire/$1.ts` },
      { find: '@whence/server/secret-form', replacement: `${SERVER}keys/secret-form.ts` },
      { find: '@whence/server/vocabulary', replacement: `${SERVER}vocabulary.ts` },
    ],
  },
  logLevel: 'warn',
  build: {
    outDir: '../server/dashboard-dist',
    emptyOutDir: true,
    reportCompressedSize: false,
    // One style sheet and one script for what most pages are made of: twenty small files take longer than one.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Few pages have a virtual table.
          groups: [{ name: 'components', test: /\/src\/(?:components\/(?!Virtual)|format|charts)\// }],
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
