/**
 * Every page in a real browser, light and dark, wide and as narrow as a phone: it can be reloaded
 * and left by Back, does not scroll sideways, and axe-core finds nothing.
 */
import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { until } from '@whence/testing/until';
import type { Page } from 'playwright-core';
import { NO_BROWSER } from './browser.ts';
import { inspectSizes, inspectThemes, PHONE, WIDE } from './inspect.ts';
import { EXPECTED_ERRORS, PAGES, settle, startWalk } from './page-walk.ts';
import { closeAfterAll } from './shared-whence.ts';

let walk: Awaited<ReturnType<typeof startWalk>>;
const titles: string[] = [];

before(async () => {
  if (NO_BROWSER === false) walk = await startWalk();
});
closeAfterAll();

async function inspect(shown: Page): Promise<string> {
  await settle(shown);
  const title = await shown.title();
  // A page that fails while it is shown is replaced by one with the title “Error”.
  assert.match(title, /^(?!Error).*Whence/);
  await inspectThemes(shown, 'wide');
  await inspectSizes(shown);
  await shown.setViewportSize(PHONE);
  await shown.reload();
  await settle(shown);
  assert.equal(await shown.title(), title);
  await inspectThemes(shown, 'phone');
  await shown.setViewportSize(WIDE);
  return title;
}

for (const [name, path] of PAGES) {
  test(`every page: ${name}, ${path}, in both themes and all widths, and reloaded`, {
    skip: NO_BROWSER,
  }, async () => {
    await walk.page.goto(walk.pathOf(path));
    titles.push(await inspect(walk.page));
  });
}

for (const [path, limit] of [
  ['/', 220_000],
  ['/mail', 260_000],
  ['/keys', 260_000],
  ['/rules', 260_000],
  ['/domain/example.com', 260_000],
] as const) {
  test(`every page: ${path} loads at most ${limit / 1_000} kB before it can be used`, {
    skip: NO_BROWSER,
  }, async (t) => {
    const shown = await walk.whence.open(t, { as: walk.admin, expectedErrors: EXPECTED_ERRORS });
    const sizes: Promise<number>[] = [];
    shown.on('requestfinished', (request) =>
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize)),
    );
    await shown.goto(path);
    await settle(shown);
    const sum = (await Promise.all(sizes)).reduce((total, size) => total + size, 0);
    assert.ok(sum <= limit, `${path} loads ${sum} bytes`);
  });
}

test('every page: back leads through all of them', { skip: NO_BROWSER }, async () => {
  for (const title of titles.slice(0, -1).reverse()) {
    await walk.page.goBack();
    await until(`${title} is shown`, async () => (await walk.page.title()) === title);
  }
});

for (const [name, path] of [
  ['sign in', '/data'],
  ['a used link', '/set-up#used'],
  ['a recipient of alerts', '/confirm-alerts#token'],
] as const) {
  test(`every page: ${name}, in both themes and all widths, and reloaded`, {
    skip: NO_BROWSER,
  }, async (t) => {
    const signedOut = await walk.whence.open(t, { expectedErrors: EXPECTED_ERRORS });
    await signedOut.goto(path);
    await inspect(signedOut);
  });
}

for (const [name, path, button] of [
  ['the age of the data', '/', /^Routes of/],
  ['themes', '/', 'Theme'],
  ['the account', '/', /^Account of/],
  ['actions of a key', '/keys', /^Actions for mail gateway/],
] as const) {
  test(`every page: the panel with ${name}, in both themes and all widths`, {
    skip: NO_BROWSER,
  }, async (t) => {
    const shown = await walk.whence.open(t, { as: walk.admin });
    await shown.goto(path);
    await settle(shown);
    await shown.getByRole('button', { name: button }).first().click();
    await shown.getByRole('menu').or(shown.getByRole('dialog')).waitFor();
    await inspectThemes(shown, 'wide');
  });
}

test('every page: dark is chosen, kept over a reload, and given back to the system', {
  skip: NO_BROWSER,
}, async (t) => {
  const chosen = await walk.whence.open(t, { as: walk.admin, colorScheme: 'light' });
  await chosen.goto('/data');
  await settle(chosen);
  const background = () => chosen.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await chosen.getByRole('button', { name: 'Theme' }).click();
  await chosen.getByRole('menuitem', { name: 'Dark' }).click();
  await until('dark', async () => (await background()) !== light);
  const dark = await background();
  await chosen.reload();
  await settle(chosen);
  assert.equal(await background(), dark);
  await chosen.getByRole('button', { name: 'Theme' }).click();
  await chosen.getByRole('menuitem', { name: 'System' }).click();
  await until('light', async () => (await background()) === light);
});
