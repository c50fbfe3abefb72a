/**
 * Every page in a real browser, light and dark, wide and as narrow as a phone: it can be reloaded and left by Back, does
 * not scroll sideways, and axe-core finds nothing serious.
 */
import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { until } from '@whence/testing/until';
import type { Page } from 'playwright-core';
import type { DashboardClient } from '../dashboard/dashboard-client.ts';
import { type BrowserTest, heading, NO_BROWSER } from './browser.ts';
import { inspectSizes, inspectThemes, PHONE, WIDE } from './inspect.ts';
import { sharedSignIn, sharedWhence } from './shared-whence.ts';

const EXPECTED_ERRORS = [/status of 40[0134]/, /status of 410/];
let whence: BrowserTest;
let admin: DashboardClient;
let keyId = '';
let revokedId = '';
/** One page walks through all of them, as a person does. */
let page: Page;
const titles: string[] = [];

before(async () => {
  if (NO_BROWSER !== false) return;
  whence = await sharedWhence();
  whence.folder.publish({ routes: [['8.8.8.0/24', 15169, 'Google LLC']] });
  admin = await sharedSignIn('Ada', 'admin');
  await admin.get('useVersion', { body: { version: 1 } });
  const body = { name: 'mail gateway', tier: 'free', permissions: ['ip:read'] };
  const { key, secret } = await admin.get('createKey', { body });
  keyId = key.id;
  await fetch(`${whence.url}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': secret } });
  const { key: paused } = await admin.get('createKey', { body: { ...body, name: 'paused gateway', note: 'moves' } });
  await admin.get('pauseKey', { params: { id: paused.id } });
  const expires_at = new Date(Date.now() + 6 * 86_400_000).toISOString();
  await admin.get('createKey', { body: { ...body, name: 'trial', expires_at, allowed_networks: ['192.0.2.0/24'] } });
  const { key: old } = await admin.get('createKey', { body: { ...body, name: 'old gateway' } });
  await admin.get('rotateKey', { params: { id: old.id }, body: {} });
  await admin.get('revokeKey', { params: { id: old.id }, body: { name: 'old gateway' } });
  revokedId = old.id;
  await admin.get('invite', { body: { role: 'viewer', note: 'Grace' } });
  page = await whence.open(undefined, { as: admin, expectedErrors: EXPECTED_ERRORS });
});

/** What was asked for has come. */
async function settle(shown: Page): Promise<void> {
  await heading(shown).first().waitFor();
  await until(
    'nothing is loading',
    async () => (await shown.locator('[aria-busy=true], [role=status][aria-label=Loading]').count()) === 0,
  );
}

async function inspect(shown: Page): Promise<string> {
  await settle(shown);
  const title = await shown.title();
  assert.match(title, /Whence/);
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

for (const [name, path] of [
  ['overview', '/'],
  ['address', '/ip/8.8.8.8'],
  ['address with everything that was asked for', '/ip/8.8.8.9?include=hostname,registration'],
  ['address with no data', '/ip/10.0.0.1'],
  ['prefix with a map', '/prefix/3.0.0.0/8'],
  ['network with a map', '/asn/16509'],
  ['search', '/asn?q=google'],
  ['domain', '/domain/example.com?include=transport,networks'],
  ['batch, empty', '/batch'],
  ['batch with a map', '/batch?ips=8.8.8.8%201.0.9.9'],
  ['usage', '/usage?by=status'],
  ['data', '/data'],
  ['difference', '/data/diff/1...2'],
  ['settings', '/settings'],
  ['keys', '/settings/keys'],
  ['create a key', '/settings/keys?create=yes'],
  ['all keys', '/settings/keys?revoked=yes'],
  ['edit a key', '/settings/keys?edit=:id'],
  ['key', '/settings/keys/:id'],
  ['revoked key', '/settings/keys/:revoked'],
  ['rotation', '/settings/keys/:id/rotate'],
  ['rotation, complete', '/settings/keys/:revoked/rotate'],
  ['people', '/settings/people'],
  ['account', '/settings/account'],
  ['audit', '/settings/audit'],
  ['health', '/settings/health'],
  ['server', '/settings/server'],
  ['no such page', '/nowhere'],
] as const) {
  test(`every page: ${name}, ${path}, in both themes and all widths, and reloaded`, { skip: NO_BROWSER }, async () => {
    await page.goto(path.replace(':id', keyId).replace(':revoked', revokedId));
    titles.push(await inspect(page));
  });
}

test('every page: back leads through all of them', { skip: NO_BROWSER }, async () => {
  for (const title of titles.slice(0, -1).reverse()) {
    await page.goBack();
    await until(`${title} is shown`, async () => (await page.title()) === title);
  }
});

for (const [name, path] of [
  ['sign in', '/data'],
  ['a used link', '/set-up#used'],
] as const) {
  test(`every page: ${name}, in both themes and all widths, and reloaded`, { skip: NO_BROWSER }, async (t) => {
    const signedOut = await whence.open(t, { expectedErrors: EXPECTED_ERRORS });
    await signedOut.goto(path);
    await inspect(signedOut);
  });
}

test('every page: dark is chosen, kept over a reload, and given back to the system', {
  skip: NO_BROWSER,
}, async (t) => {
  const chosen = await whence.open(t, { as: admin, colorScheme: 'light' });
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
