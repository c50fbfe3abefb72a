/**
 * Every shell block of the documentation, run as a reader would with the program from the tarballs;
 * run-page.ts says how.
 */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { PackedPackages } from './packed.ts';
import { allBlocks, pages } from './page-blocks.ts';
import { commandsOf, isRunHere, runPage } from './run-page.ts';

// Before the first test: what the tests share is removed when none is left.
const packed = await PackedPackages.open();
after(() => packed.remove());
const NO_REGISTRY = packed.isInstalled
  ? false
  : 'the npm registry cannot be reached, so nothing is installed';

for (const page of pages) {
  const blocks = allBlocks(page).filter(({ language }) => ['sh', 'console'].includes(language));
  if (blocks.length === 0) continue;
  test(`pages: commands of ${page}`, { skip: NO_REGISTRY }, async (t) => {
    const skipped = blocks.filter((block) => !isRunHere(block));
    const outcomes = await runPage(page, packed.bin);
    t.diagnostic(
      `${blocks.length - skipped.length} blocks with ${outcomes.length} commands are run, ` +
        `${skipped.length} with ${skipped.flatMap(commandsOf).length} are not`,
    );
    const failures = outcomes.flatMap(({ line, text, failure }) =>
      failure === undefined ? [] : [`${page}:${line}: ${text}\n${failure}`],
    );
    assert.equal(failures.join('\n\n'), '');
  });
}

test('pages: most blocks are run', (t) => {
  const blocks = pages
    .flatMap(allBlocks)
    .filter(({ language }) => ['sh', 'console'].includes(language));
  const skipped = blocks.filter((block) => !isRunHere(block));
  t.diagnostic(`${blocks.length} blocks, ${skipped.length} of them not run`);
  assert.ok(
    skipped.length < blocks.length / 2,
    `${skipped.length} of ${blocks.length} blocks are not run`,
  );
});
