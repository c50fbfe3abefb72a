// node .ci/run-page.mjs docs/cli.md …: runs the shell blocks of documentation pages as a reader
// would, and says which command fails and how its output differs from what the page shows.
// server/src/test/packages/run-page.ts describes how, page-blocks.ts which fences there are. Run it
// after npx tsc -b or npm run build.
//
//   --pack   pack and install the program again. The first run does so too (about a minute); later ones use that copy.
//   --all    every page
//
// The full tests run every page with a new copy.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PackedPackages } from '../server/dist/test/packages/packed.js';
import { allBlocks, pages } from '../server/dist/test/packages/page-blocks.js';
import { faultOf, isRunHere, runPage } from '../server/dist/test/packages/run-page.js';

const root = join(import.meta.dirname, '..');
const { values, positionals } = parseArgs({
  options: { pack: { type: 'boolean', default: false }, all: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const given = values.all ? pages : positionals.map((path) => relative(root, resolve(path)));
if (given.length === 0) fail('which page? node .ci/run-page.mjs docs/cli.md');

const folder = join(
  tmpdir(),
  `whence-pages-${createHash('sha256').update(root).digest('hex').slice(0, 8)}`,
);
if (values.pack) rmSync(folder, { recursive: true, force: true });
const packed = new PackedPackages(folder);
if (!packed.isInstalled) {
  process.stdout.write('packing and installing the program, which takes about a minute\n');
  rmSync(folder, { recursive: true, force: true });
  spawnSync(process.execPath, [join(root, '.ci/build.mjs')], { stdio: 'ignore' });
  await packed.prepare();
}

const counts = { run: 0, failed: 0, marked: 0 };
for (const page of given) {
  process.stdout.write(`${page}\n`);
  for (const block of allBlocks(page)) {
    if (block.needs.length > 0 && !isRunHere(block)) {
      counts.marked++;
      process.stdout.write(`  not run: line ${block.line}, needs ${block.needs.join(', ')}\n`);
    }
    const fault = faultOf(block);
    if (fault !== undefined) complain(`FAILED line ${block.line}: ${fault}`);
  }
  await runPage(page, packed.bin, ({ line, text, failure }) => {
    counts.run++;
    if (failure !== undefined) counts.failed++;
    process.stdout.write(
      `  ${failure === undefined ? 'ok    ' : 'FAILED'} line ${line}: ${text.split('\n')[0]}\n`,
    );
    if (failure !== undefined) complain(failure);
  });
}

process.stdout.write(
  `${counts.run} commands run, ${counts.failed} of them failed; ${counts.marked} blocks not run\n`,
);

function complain(message) {
  process.stdout.write(`${message.trimEnd().replaceAll(/^/gm, '    ')}\n`);
  process.exitCode = 1;
}

function fail(message) {
  process.stderr.write(`error: ${message}\n`);
  process.exit(1);
}
