/**
 * The lookup field as a command palette, and the editor for records, in a real browser and by
 * keyboard.
 */
import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { until } from '@whence/testing/until';
import type { Page } from 'playwright-core';
import { signedInAs } from '../dashboard/dashboard-client.ts';
import { type BrowserTest, heading, NO_BROWSER } from './browser.ts';
import { inspectThemes, PHONE, WIDE } from './inspect.ts';
import { sharedSignIn, sharedWhence } from './shared-whence.ts';

const options = { skip: NO_BROWSER };
let whence: BrowserTest;
let page: Page;

before(async () => {
  if (NO_BROWSER !== false) return;
  whence = await sharedWhence();
  const member = await sharedSignIn('Katherine', 'member');
  await member.get('createKey', {
    body: { name: 'orbit gateway', tier: 'free', permissions: ['ip:read'] },
  });
  page = await whence.open(undefined, { as: member, expectedErrors: [/status of 404/] });
  await page.goto('/ip/8.8.8.8');
  await page.getByText('Datacenter of Google LLC').first().waitFor();
});

const suggestions = () => page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
const groups = () => page.getByRole('listbox', { name: 'Suggestions' }).getByRole('group');

async function open(text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  if (text !== '') await page.keyboard.type(text);
}

for (const [behaviour, text, option, path] of [
  ['a page by its name', 'usa', 'Usage', '/keys/usage'],
  ['a key by a word of its name', 'orbit', 'orbit gateway', '/keys/*'],
  ['an action by words of its name', 'create key', 'Create API key', '/keys?create=yes'],
  ['a network by its name', 'google', /^AS15169 Google LLC/, '/asn/15169'],
] as const) {
  test(`palette: ${behaviour} is found and opened with keys`, options, async () => {
    // A dialog that the test before has opened would keep the focus.
    await page.goto('/data');
    await heading(page).waitFor();
    await open(text);
    const wanted = suggestions().filter({ hasText: option });
    await wanted.waitFor();
    await until('the arrow keys reach it', async () => {
      if ((await wanted.getAttribute('aria-selected')) === 'true') return true;
      await page.keyboard.press('ArrowDown');
      return false;
    });
    const active = await page.getByRole('combobox').first().getAttribute('aria-activedescendant');
    assert.equal(active, await wanted.getAttribute('id'));
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${path}`);
    await heading(page).waitFor();
  });
}

test(
  'palette: without a text it has recent subjects, and Enter opens none of them',
  options,
  async () => {
    await page.goto('/data');
    await heading(page).waitFor();
    await open('');
    await groups().filter({ hasText: 'Recent' }).getByRole('option', { name: '8.8.8.8' }).waitFor();
    await page.keyboard.press('Enter');
    await inspectThemes(page, 'wide');
    await page.setViewportSize(PHONE);
    await inspectThemes(page, 'phone');
    await page.setViewportSize(WIDE);
    assert.match(page.url(), /\/data$/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/asn/15169');
  },
);

test(
  'palette: a matching key is first, a theme can be chosen, and ? lists the keys',
  options,
  async () => {
    await page.goto('/data');
    await heading(page).waitFor();
    await open('orbit');
    await until('the key is first', async () =>
      /^orbit gateway/.test((await suggestions().first().textContent()) ?? ''),
    );
    const scheme = () =>
      page.evaluate(() => document.documentElement.dataset['mantineColorScheme']);
    for (const theme of ['dark', 'light', 'system']) {
      await open(`${theme} theme`);
      await suggestions().filter({ hasText: 'theme' }).first().waitFor();
      await page.keyboard.press('Enter');
      if (theme !== 'system') await until(theme, async () => (await scheme()) === theme);
    }
    await heading(page).click();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await inspectThemes(page, 'shortcuts');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  },
);

test(
  'palette: pasted lines start a batch, also on the page of another batch',
  options,
  async () => {
    for (const [lines, shown] of [
      ['8.8.8.8\n1.0.9.9', '2 of 2 addresses looked up'],
      ['log of 8.8.8.8\nlog of 8.8.4.4\nand 1.0.9.9', '3 of 3 addresses looked up'],
    ] as const) {
      await page.evaluate((text) => navigator.clipboard.writeText(text), lines);
      await open('');
      await page.keyboard.press('Control+v');
      await suggestions()
        .filter({ hasText: /^batch of \d lines/ })
        .waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/lookup/);
      await page.getByText(shown).waitFor();
    }
    await page.evaluate((text) => navigator.clipboard.writeText(text), 'example.com\ngone.example');
    await open('');
    await page.keyboard.press('Control+v');
    await suggestions().first().filter({ hasText: 'watch 2 domains' }).waitFor();
    await page.keyboard.press('Enter');
    await page
      .getByRole('dialog', { name: 'Watch domains' })
      .getByText('2 domains found')
      .waitFor();
  },
);

test('palette: signing out removes the recent subjects', options, async () => {
  const context = await whence.open(undefined, {
    as: await signedInAs(whence.folder, whence.url, 'Dorothy', 'viewer'),
    expectedErrors: [/status of 401/],
  });
  await context.goto('/ip/8.8.8.8');
  const kept = () =>
    context.evaluate(() =>
      Object.keys(localStorage).filter((name) => name.startsWith('whence-recent')),
    );
  await until('it is recent', async () => (await kept()).length === 1);
  await context.getByRole('button', { name: /^Account of/ }).click();
  await context.getByRole('menuitem', { name: 'Sign out' }).click();
  await context.getByRole('textbox', { name: 'Password' }).waitFor();
  assert.deepEqual(await kept(), []);
});

const field = (name: string) => page.getByRole('textbox', { name, exact: true });

test(
  'trying records: what they would do is shown beside them, and a link carries them',
  options,
  async () => {
    await page.goto('/domain/example.com');
    await page.getByRole('link', { name: 'Try', exact: true }).click();
    await field('SPF record').waitFor();
    assert.ok(await field('SPF record').evaluate((area) => area === document.activeElement));
    await field('DMARC record').fill('v=DMARC1; p=reject; rua=mailto:dmarc@example.com');
    const grade = page.getByRole('row', { name: /^Grade/ });
    await grade.getByText('D, 40 of 100').waitFor();
    await grade.getByText('C, 65 of 100').waitFor();
    await field('SPF record').fill('v=spf1 ip4:192.0.2.0/33 -all');
    await page.getByText('SPF: "ip4:192.0.2.0/33" at character').waitFor();
    await inspectThemes(page, 'wide');
    await page.setViewportSize(PHONE);
    await inspectThemes(page, 'phone');
    await page.setViewportSize(WIDE);
    await page.getByRole('button', { name: 'Copy link' }).click();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    await page.goto(link);
    await field('SPF record').waitFor();
    assert.equal(await field('SPF record').inputValue(), 'v=spf1 ip4:192.0.2.0/33 -all');
    await page
      .getByRole('row', { name: /^SPF 20/ })
      .getByText('0 of 25', { exact: true })
      .waitFor();
    await page.getByRole('button', { name: 'Reset' }).click();
    assert.match(await field('SPF record').inputValue(), /include:spf\.example\.com ~all$/);
    await page.getByText('Edit a record to see what it would do.').waitFor();
  },
);

test(
  'trying records: an answer is not shown under a text that has changed since',
  options,
  async () => {
    await page.goto('/domain/example.com?tab=try');
    await field('DMARC record').fill('v=DMARC1; p=quarantine');
    const grade = page.getByRole('row', { name: /^Grade/ });
    await grade
      .getByText(/of 100$/)
      .nth(1)
      .waitFor();
    const shown = await grade.getByRole('cell').nth(1).textContent();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/try', async (route) => {
      await held;
      await route.continue();
    });
    await field('DMARC record').fill('v=DMARC1; p=reject; rua=mailto:dmarc@example.com');
    assert.equal(
      await grade.getByRole('cell').nth(0).textContent(),
      'D, 40 of 100',
      'what DNS has stays',
    );
    assert.equal(await grade.getByRole('cell').nth(1).textContent(), '–');
    letGo();
    await grade.getByText('C, 65 of 100').waitFor();
    assert.notEqual(shown, 'C, 65 of 100');
    await page.unroute('**/try');
  },
);
