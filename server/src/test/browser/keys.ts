/** API keys in a real browser, with the API as their other end: from creation to revocation, and rotation. */
import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { until } from '@whence/testing/until';
import type { Page } from 'playwright-core';
import { type DashboardClient, signedInAs } from '../dashboard/dashboard-client.ts';
import { type BrowserTest, heading, NO_BROWSER } from './browser.ts';
import { sharedWhence } from './shared-whence.ts';

const options = { skip: NO_BROWSER };
let whence: BrowserTest;
let member: DashboardClient;

before(async () => {
  if (NO_BROWSER !== false) return;
  whence = await sharedWhence();
  member = await signedInAs(whence.folder, whence.url, 'Grace', 'member');
});

const use = async (secret: string) =>
  (await fetch(`${whence.url}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': secret } })).status;

/** Fills in the dialog; the answer is the key as the page shows it. */
async function createKey(page: Page, name: string): Promise<string> {
  await page.goto('/settings/keys');
  await page.getByRole('button', { name: 'Create key' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('button', { name: 'Create key' }).click();
  return (await page.getByRole('group', { name: 'API key', exact: true }).textContent()) ?? '';
}

async function revoke(page: Page, name: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  const confirm = dialog.getByRole('button', { name: 'Revoke key' });
  await dialog.getByLabel(/Type the name/).fill('another');
  assert.ok(await confirm.isDisabled(), 'another name does not do');
  await dialog.getByLabel(/Type the name/).fill(name);
  await confirm.click();
  await dialog.waitFor({ state: 'detached' });
}

test('keys: created, copied, used, seen in use, revoked', options, async (t) => {
  const page = await whence.open(t, { as: member });
  const secret = await createKey(page, 'mail gateway');
  await page.getByText('Waiting for the first request').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByText('The key was not copied').waitFor();
  await page.getByRole('button', { name: 'Copy API key' }).click();
  await page.getByRole('button', { name: 'Done' }).waitFor();
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), secret);
  assert.equal(await use(secret), 200);
  await page.getByText(/It works: 200 from 127\.0\.0\.1/).waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  assert.ok(!(await page.content()).includes(secret), 'the key is gone with its dialog');

  await page.getByRole('link', { name: /mail gateway/ }).click();
  await heading(page).filter({ hasText: 'mail gateway' }).waitFor();
  for (let i = 0; i < 2; i++) await use(secret);
  await until('the page shows three requests', async () => {
    await page.reload();
    await heading(page).filter({ hasText: 'mail gateway' }).waitFor();
    await page.getByText(/of 1,000 today/).waitFor();
    return (await page.getByText('3 of 1,000 today').count()) > 0;
  });
  await page.getByRole('button', { name: 'Revoke key' }).click();
  await revoke(page, 'mail gateway');
  assert.equal(await use(secret), 401);
  await page
    .getByText(/revoked/i)
    .first()
    .waitFor();
  assert.equal(await page.getByRole('button', { name: 'Revoke key' }).count(), 0);
  assert.equal(await use(secret), 401);
  await page.getByText(/^2 requests since, the last/).waitFor();
  await page.getByText(/from 127\.0\.0\.1, answered 200/).waitFor();
});

test('keys: rotation is left and come back to, and ends with the old key', options, async (t) => {
  const page = await whence.open(t, { as: member });
  const old = await createKey(page, 'crawler');
  await page.getByRole('button', { name: 'Copy API key' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: /crawler/ }).click();
  await page.getByRole('link', { name: 'Rotate' }).click();
  await page.getByRole('button', { name: 'Create successor' }).click();
  const next = (await page.getByRole('group', { name: 'API key', exact: true }).textContent()) ?? '';
  assert.deepEqual([await use(old), await use(next)], [200, 200]);
  await page.getByRole('link', { name: 'Usage' }).first().click();
  await page.getByText('Leave without the key?').waitFor();
  await page.getByRole('button', { name: 'Stay' }).click();
  await page.getByRole('button', { name: 'Copy API key' }).click();
  await page.getByRole('link', { name: 'Usage' }).first().click();
  await heading(page).filter({ hasText: 'Usage' }).waitFor();
  await page.goBack();
  await page.getByRole('table', { name: 'Both keys' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Create successor' }).count(), 0);
  await page.getByRole('button', { name: 'Revoke old key' }).click();
  await revoke(page, 'crawler');
  await page.getByText('The rotation is complete').waitFor();
  assert.deepEqual([await use(old), await use(next)], [401, 200]);
  await page.getByText(/The successor was first used: .* from 127\.0\.0\.1, answered 200/).waitFor();
  await page.getByText(/Refused with 401: 1 request since, the last/).waitFor();
});

test('keys: markup in a name is text on every page that shows it', options, async (t) => {
  const admin = await signedInAs(whence.folder, whence.url, 'Annie', 'admin');
  const name = '<img src=x onerror="document.title=1">"\'&amp;';
  const page = await whence.open(t, { as: admin });
  await createKey(page, name);
  await page.getByRole('button', { name: 'Copy API key' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  const { keys } = await admin.get('listKeys', { query: { q: '<img' } });
  const id = keys[0]?.id ?? '';
  await admin.get('rotateKey', { params: { id }, body: {} });
  for (const path of [`/settings/keys`, `/settings/keys/${id}`, `/settings/keys/${id}/rotate`, '/settings/audit']) {
    await page.goto(path);
    await page.getByText(name).first().waitFor();
    assert.equal(await page.locator('img').count(), 0, path);
  }
});

test('keys: filter and order are in the address, and survive a reload', options, async (t) => {
  for (const name of ['alpha', 'beta']) {
    await member.get('createKey', { body: { name, tier: 'pro', permissions: ['ip:read'] } });
  }
  const page = await whence.open(t, { as: member });
  await page.goto('/settings/keys');
  await page.getByRole('combobox', { name: 'Tier' }).selectOption('pro');
  await page.getByRole('button', { name: 'Name and key' }).click();
  await page.waitForURL(/tier=pro.*sort=name|sort=name.*tier=pro/);
  const names = async () => (await page.getByRole('link', { name: /alpha|beta|crawler/ }).allTextContents()).join();
  await until('sorted by name', async () => /^alpha.*beta/.test(await names()));
  await page.reload();
  await until('still sorted by name', async () => /^alpha.*beta/.test(await names()));
  await page.getByRole('searchbox', { name: 'Search keys' }).fill('no such key');
  await page.getByText('No key matches').waitFor();
  await page.getByRole('button', { name: 'Show all keys' }).click();
  await page.getByRole('link', { name: /alpha/ }).waitFor();
});
