/** The main paths with keys alone, from sign-in to a revoked key and a batch. */
import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import type { Page } from 'playwright-core';
import { PASSWORD } from '../dashboard/dashboard-client.ts';
import { type BrowserTest, heading, NO_BROWSER } from './browser.ts';
import { Keyboard } from './keyboard.ts';
import { sharedSignIn, sharedWhence } from './shared-whence.ts';

const options = { skip: NO_BROWSER };
let whence: BrowserTest;
/** One page goes through all of it, as a person does. */
let page: Page;
let keyboard: Keyboard;

before(async () => {
  if (NO_BROWSER !== false) return;
  whence = await sharedWhence();
  await sharedSignIn('Mary', 'member');
  page = await whence.open(undefined, { expectedErrors: [/status of 401/] });
  keyboard = new Keyboard(page);
});

const shown = (text: string | RegExp) => page.getByText(text).first().waitFor();
const secretShown = async () =>
  (await page.getByRole('group', { name: 'API key', exact: true }).textContent()) ?? '';
const use = async (secret: string) =>
  (await fetch(`${whence.url}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': secret } })).status;

test('keyboard: sign in, the name has the focus', options, async () => {
  await page.goto('/');
  await page.getByLabel('Name').waitFor();
  await keyboard.type('Mary');
  await keyboard.tabTo('Password');
  await keyboard.type(PASSWORD);
  await keyboard.press('Enter');
  await heading(page).filter({ hasText: 'Home' }).waitFor();
});

test('keyboard: look up an address, and go on to its network', options, async () => {
  await keyboard.press('Control+k');
  await keyboard.type('8.8.8.8');
  await page.getByRole('option').first().waitFor();
  await keyboard.press('Enter');
  await shown('Datacenter of Google LLC');
  await keyboard.enter('AS15169');
  await page.waitForURL('**/asn/15169');
  await shown('8.8.8.0/24');
});

let secret = '';

test('keyboard: create a key, leave without copying only on purpose', options, async () => {
  await page.goto('/keys');
  await heading(page).filter({ hasText: 'Keys' }).waitFor();
  await keyboard.enter('Create key');
  await page.getByRole('dialog').getByLabel('Name').waitFor();
  await keyboard.type('mail gateway');
  await keyboard.tabTo('Email domains');
  await keyboard.press('Space');
  assert.ok(!(await page.getByRole('checkbox', { name: 'Email domains' }).isChecked()));
  await keyboard.tabTo('Free');
  await keyboard.press('ArrowDown');
  assert.ok(await page.getByRole('radio', { name: 'Starter' }).isChecked());
  await keyboard.enter('Create key');
  secret = await secretShown();
  await keyboard.press('Escape');
  await keyboard.enter('Close');
  await shown('The key was not copied');
  await keyboard.enter('Copy API key');
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), secret);
  await keyboard.enter('Done');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await use(secret), 200);
});

test('keyboard: filter and sort the table, open a key', options, async () => {
  await page.goto('/keys');
  await page.getByRole('link', { name: /mail gateway/ }).waitFor();
  await keyboard.tabTo('Search keys');
  await keyboard.type('nothing like it');
  await keyboard.enter('Show all keys');
  await page.getByRole('link', { name: /mail gateway/ }).waitFor();
  await page.goto('/keys');
  await page.getByRole('link', { name: /mail gateway/ }).waitFor();
  await keyboard.tabTo('Tier');
  await keyboard.press('s');
  await page.waitForURL(/tier=starter/);
  await keyboard.enter('Name and key');
  await page.waitForURL(/sort=name/);
  // Before it is the box that selects the key.
  await keyboard.enter(/^mail gateway/);
  await heading(page).filter({ hasText: 'mail gateway' }).waitFor();
});

test('keyboard: rotate, then revoke the old key', options, async () => {
  await keyboard.enter('Rotate');
  await page.getByRole('button', { name: 'Create successor' }).waitFor();
  await keyboard.enter('Create successor');
  const successor = await secretShown();
  await keyboard.enter('Copy API key');
  assert.equal(await use(successor), 200);
  await keyboard.enter('Revoke old key');
  await page.getByLabel(/Type the name/).waitFor();
  await keyboard.type('mail gateway');
  await keyboard.enter('Revoke key');
  await shown('The rotation is complete');
  assert.deepEqual([await use(secret), await use(successor)], [401, 200]);
  secret = successor;
});

test(
  'keyboard: revoke a key from its page; Escape keeps it, and the focus comes back',
  options,
  async () => {
    await page.goto('/keys?status=active');
    await page.getByRole('link', { name: /mail gateway/ }).waitFor();
    await keyboard.enter(/^mail gateway/);
    await page.getByRole('button', { name: 'Revoke key' }).waitFor();
    await keyboard.enter('Revoke key');
    await page.getByRole('dialog').waitFor();
    await keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement?.textContent === 'Revoke key');
    await keyboard.press('Enter');
    await page.getByLabel(/Type the name/).waitFor();
    await keyboard.type('mail gateway');
    await keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await use(secret), 401);
  },
);

test(
  'keyboard: a batch is typed, looked up, filtered by a chart, and one address opened',
  options,
  async () => {
    await keyboard.tabTo('Look up', 'Shift+Tab');
    await keyboard.press('Enter');
    await page.getByLabel('Text with addresses').waitFor();
    await keyboard.tabTo('Text with addresses');
    await keyboard.type('8.8.8.8 and 1.0.9.9 and 10.0.0.1');
    await keyboard.enter('Look up');
    await shown('2 of 2 addresses looked up');
    await keyboard.enter('Charts');
    await keyboard.tabTo(/^Tor exit/);
    await keyboard.press('Space');
    await page.getByRole('heading', { name: '1 of 2 addresses' }).waitFor();
    await keyboard.enter('1.0.9.9');
    await page.waitForURL('**/ip/1.0.9.9');
  },
);

test(
  'keyboard: a page that is opened has the focus at its heading; the first link leads past the navigation',
  options,
  async () => {
    await page.goto('/data');
    await heading(page).waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
    await keyboard.tabTo('Skip to content');
    await keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.tagName === 'MAIN');
  },
);
