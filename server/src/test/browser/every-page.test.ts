/**
 * Every page in a real browser, light and dark, wide and as narrow as a phone: it can be reloaded and left by Back, does
 * not scroll sideways, and axe-core finds nothing serious.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test, { after, before } from 'node:test';
import { type ScriptedDnsServer, startScriptedDnsServer } from '@whence/testing/scripted-dns-server';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { type DashboardClient, signedInAs } from '../dashboard-client.ts';
import { BrowserTest, heading, NO_BROWSER, until } from './browser.ts';
import { EXAMPLE_ZONE } from './example-zone.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
const EXPECTED_ERRORS = [/status of 40[0134]/, /status of 410/];
let whence: BrowserTest;
let dns: ScriptedDnsServer;
let admin: DashboardClient;
let keyId = '';

before(async () => {
  if (NO_BROWSER !== false) return;
  dns = await startScriptedDnsServer(EXAMPLE_ZONE);
  whence = await BrowserTest.start({ WHENCE_DNS_SERVERS: dns.address });
  whence.folder.publish({ routes: [['8.8.8.0/24', 15169, 'Google LLC']] });
  admin = await signedInAs(whence.folder, whence.url, 'Ada', 'admin');
  const body = { name: 'mail gateway', tier: 'free', permissions: ['ip:read'] };
  const { key, secret } = await admin.get('createKey', { body });
  keyId = key.id;
  await fetch(`${whence.url}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': secret } });
  await admin.get('invite', { body: { role: 'viewer', note: 'Grace' } });
});
after(async () => {
  await whence?.close();
  await dns?.close();
});

async function seriousViolations(page: Page): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe);
  const { violations } = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

const sidewaysBy = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** What was asked for has come: no skeleton, and nothing under way. */
async function settle(page: Page): Promise<void> {
  await heading(page).first().waitFor();
  await page.waitForLoadState('networkidle');
  await until('no skeleton is left', async () => (await page.locator('[aria-busy=true]').count()) === 0);
}

for (const [name, path] of [
  ['overview', '/'],
  ['address', '/ip/8.8.8.8'],
  ['address with no data', '/ip/10.0.0.1'],
  ['prefix', '/prefix/8.8.8.0/24'],
  ['network', '/asn/15169'],
  ['search', '/asn?q=google'],
  ['domain', '/domain/example.com'],
  ['batch, empty', '/batch'],
  ['batch', '/batch?ips=8.8.8.8%201.0.9.9'],
  ['usage', '/usage?by=status'],
  ['data', '/data'],
  ['difference', '/data/diff/1...2'],
  ['settings', '/settings'],
  ['keys', '/settings/keys'],
  ['create a key', '/settings/keys?create=yes'],
  ['key', '/settings/keys/:id'],
  ['rotation', '/settings/keys/:id/rotate'],
  ['people', '/settings/people'],
  ['account', '/settings/account'],
  ['audit', '/settings/audit'],
  ['health', '/settings/health'],
  ['server', '/settings/server'],
  ['no such page', '/nowhere'],
  ['sign in', '/data', 'signed out'],
  ['used link', '/set-up#used', 'signed out'],
] as const) {
  test(`every page: ${name} (${path})`, { skip: NO_BROWSER }, async (t) => {
    const isSignedOut = name === 'sign in' || name === 'used link';
    const page = await whence.open(t, { ...(isSignedOut ? {} : { as: admin }), expectedErrors: EXPECTED_ERRORS });
    await page.goto(path.replace(':id', keyId));
    await settle(page);
    const title = await page.title();
    assert.match(title, /Whence/);
    assert.deepEqual(await seriousViolations(page), [], 'light');
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.deepEqual(await seriousViolations(page), [], 'dark');
    assert.equal(await sidewaysBy(page), 0, 'wide');
    await page.setViewportSize(PHONE);
    await page.reload();
    await settle(page);
    assert.equal(await page.title(), title);
    assert.equal(await sidewaysBy(page), 0, 'phone');
    await page.setViewportSize(WIDE);
    await page.goto('/settings/account');
    await settle(page);
    await page.goBack();
    await until('back is the same page', async () => (await page.title()) === title);
  });
}

test('every page: dark is chosen, kept over a reload, and given back to the system', {
  skip: NO_BROWSER,
}, async (t) => {
  const page = await whence.open(t, { as: admin, colorScheme: 'light' });
  await page.goto('/data');
  await settle(page);
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.getByRole('button', { name: 'Theme' }).click();
  await page.getByRole('menuitem', { name: 'Dark' }).click();
  await until('dark', async () => (await background()) !== light);
  const dark = await background();
  await page.reload();
  await settle(page);
  assert.equal(await background(), dark);
  await page.getByRole('button', { name: 'Theme' }).click();
  await page.getByRole('menuitem', { name: 'As the system' }).click();
  await until('light', async () => (await background()) === light);
});
