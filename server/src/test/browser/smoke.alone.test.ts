/** Every page, once: `pages.thorough.test.ts` inspects them and uses what they have. */
import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { NO_BROWSER } from './browser.ts';
import { PAGES, settle, startWalk } from './page-walk.ts';
import { closeAfterAll } from './shared-whence.ts';

let walk: Awaited<ReturnType<typeof startWalk>>;
before(async () => {
  if (NO_BROWSER === false) walk = await startWalk();
});
closeAfterAll();

for (const [name, path] of PAGES)
  test(`browser: ${name} is shown without an error`, { skip: NO_BROWSER }, async () => {
    await walk.page.goto(walk.pathOf(path));
    await settle(walk.page);
    // A page that fails while it is shown is replaced by one with the title “Error”.
    assert.match(await walk.page.title(), /^(?!Error).*Whence/);
  });
