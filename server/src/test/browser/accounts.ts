/** Accounts in a real browser: set-up, sign-in, invitation, roles, sessions. */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { makeSetupToken, PASSWORD, signedInAs } from '../dashboard/dashboard-client.ts';
import { BrowserTest, heading, NO_BROWSER } from './browser.ts';

const options = { skip: NO_BROWSER };
const REFUSED = [/status of 40[139]/, /status of 410/];
let whence: BrowserTest;

before(async () => {
  if (NO_BROWSER === false) whence = await BrowserTest.start();
});
after(() => whence?.close());

async function signIn(page: Page, name: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function chooseAccount(page: Page, name: string, act: string): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: act }).click();
}

test(
  'accounts: without an account, the page says how to create the first one',
  options,
  async (t) => {
    const page = await whence.open(t);
    await page.goto('/');
    await page.getByText('There is no account yet').waitFor();
    await page.getByText('wh user setup-link').waitFor();
  },
);

test('accounts: the setup link creates the first administrator, once', options, async (t) => {
  const link = `/set-up#${await makeSetupToken(whence.folder)}`;
  const page = await whence.open(t, { expectedErrors: REFUSED });
  await page.goto(link);
  await page.getByLabel('Name').fill('Ada');
  await page.getByLabel('Password', { exact: true }).fill('short');
  await page.getByRole('button', { name: 'Create the first account' }).click();
  assert.match(page.url(), /set-up/, 'a short password does not get through');
  await chooseAccount(page, 'Ada', 'Create the first account');
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  assert.equal(new URL(page.url()).pathname + new URL(page.url()).hash, '/');
  const second = await whence.open(t, { expectedErrors: REFUSED });
  await second.goto(link);
  await second.getByText('This link is no longer valid').waitFor();
});

test(
  'accounts: a wrong password shows a message, the right one opens the requested page',
  options,
  async (t) => {
    const page = await whence.open(t, { expectedErrors: REFUSED });
    await page.goto('/ip/8.8.8.8');
    for (const [name, password] of [
      ['Ada', 'not the password'],
      ['Nobody', PASSWORD],
    ] as const) {
      await signIn(page, name, password);
      await page.getByText('Wrong name or password').waitFor();
    }
    await signIn(page, 'Ada');
    await page.getByText('Datacenter of Google LLC').waitFor();
    assert.equal(new URL(page.url()).pathname, '/ip/8.8.8.8');
  },
);

test('accounts: an invitation creates an account with its role', options, async (t) => {
  const admin = await signedInAs(whence.folder, whence.url, 'Barbara', 'admin');
  const page = await whence.open(t, { as: admin });
  await page.goto('/settings/people');
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByLabel('Recipient').fill('Grace in support');
  await page.getByRole('radio', { name: 'viewer' }).check();
  await page.getByRole('button', { name: 'Create invitation' }).click();
  const link = await page.getByRole('group', { name: 'link', exact: true }).textContent();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('cell', { name: 'Grace in support', exact: true }).waitFor();

  const guest = await whence.open(t);
  await guest.goto(link ?? '');
  await guest.getByText('Your role is viewer').waitFor();
  await chooseAccount(guest, 'Grace', 'Create account');
  await guest.getByRole('button', { name: 'Account of Grace' }).waitFor();
  await page.reload();
  await page.getByRole('combobox', { name: 'Role of Grace' }).waitFor();
});

test(
  'accounts: a viewer can look up, and has no access to keys, people or dataset pages',
  options,
  async (t) => {
    const viewer = await signedInAs(whence.folder, whence.url, 'Hedy', 'viewer');
    const page = await whence.open(t, { as: viewer, expectedErrors: REFUSED });
    await page.goto('/keys');
    await page.getByText('Your role is viewer').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Create key' }).count(), 0);
    await page.goto('/keys?create=yes');
    await page.getByText('Your role is viewer').waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    const sidebar = page.getByRole('navigation', { name: 'Main', exact: true });
    for (const name of ['People', 'Audit', 'Health', 'Server'])
      assert.equal(await sidebar.getByRole('link', { name }).count(), 0);
    await page.goto('/settings/people');
    await page
      .getByText(/administrator/i)
      .first()
      .waitFor();
    const { status } = await viewer.try('createKey', {
      body: { name: 'x', tier: 'free', permissions: ['ip:read'] },
    });
    assert.equal(status, 403);
    await page.goto('/ip/8.8.8.8');
    await page.getByText('Datacenter of Google LLC').waitFor();
  },
);

test('accounts: signing out everywhere ends the other session too', options, async (t) => {
  const member = await signedInAs(whence.folder, whence.url, 'Joan', 'member');
  const here = await whence.open(t, { as: member, expectedErrors: REFUSED });
  const there = await whence.open(t, { expectedErrors: REFUSED });
  await there.goto('/settings/account');
  await signIn(there, 'Joan');
  await heading(there).filter({ hasText: 'Joan' }).waitFor();
  await here.goto('/settings/account');
  await here.getByRole('button', { name: 'Sign out everywhere' }).click();
  await here.getByRole('button', { name: 'Sign in' }).waitFor();
  await there.reload();
  await there.getByRole('button', { name: 'Sign in' }).waitFor();
});

test('accounts: the menu signs out, and back shows nothing of the session', options, async (t) => {
  const member = await signedInAs(whence.folder, whence.url, 'Radia', 'member');
  const page = await whence.open(t, { as: member, expectedErrors: REFUSED });
  await page.goto('/keys');
  await page.goto('/settings/account');
  await page.getByRole('button', { name: 'Account of Radia' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  assert.equal(await page.getByText('Radia').count(), 0);
});

test('accounts: after a password change the old password is refused', options, async (t) => {
  const member = await signedInAs(whence.folder, whence.url, 'Evelyn', 'member');
  const page = await whence.open(t, { as: member, expectedErrors: REFUSED });
  await page.goto('/settings/account');
  await page.getByLabel('Current password').fill(PASSWORD);
  await page.getByLabel('New password').fill('another correct horse');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Password changed').waitFor();
  const refused = await member.try('signIn', { body: { name: 'Evelyn', password: PASSWORD } });
  assert.equal(refused.data.code, 'INVALID_CREDENTIALS');
});
