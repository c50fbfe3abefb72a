/**
 * Five thousand keys in a real browser: the table scrolls and filters without a pause, and stays
 * small.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { before } from 'node:test';
import { DatabaseSync } from '@photostructure/sqlite';
import { until } from '@whence/testing/until';
import type { Page } from 'playwright-core';
import { nameKeyOf } from '../../storage/stores/key-names.ts';
import type { DashboardClient } from '../dashboard/dashboard-client.ts';
import { type BrowserTest, NO_BROWSER } from './browser.ts';
import { sharedSignIn, sharedWhence } from './shared-whence.ts';

const options = { skip: NO_BROWSER };
const KEYS = 5_000;
/** Keys that have used the limit of their tier, free. */
const SPENT = 12;
let whence: BrowserTest;
let admin: DashboardClient;

before(async () => {
  if (NO_BROWSER !== false) return;
  whence = await sharedWhence();
  admin = await sharedSignIn('Margaret', 'admin');
});

/** Each with usage on all of the last 30 days, as a table in use has. */
function insertKeys(path: string): void {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  const key = database.prepare(
    `insert into keys (id, name, name_key, name_folded, hash, masked, permissions, tier, created_at)
     values (?, ?, ?, ?, ?, ?, 'ip:read', ?, ?)`,
  );
  const usage = database.prepare('insert into usage values (?, ?, ?, ?, ?)');
  const quota = database.prepare('insert into quota (key_id, day, granted) values (?, ?, 1000)');
  const days = Array.from({ length: 30 }, (_, i) =>
    new Date(Date.now() - i * 86_400_000).toISOString().slice(0, 10),
  );
  // Newer than the keys of other tests, so that they come first in the default order.
  const createdMs = Date.now();
  database.exec('begin');
  for (let i = 0; i < KEYS; i++) {
    const name = `many ${i}`;
    key.run(
      `many${i}`,
      name,
      nameKeyOf(name),
      name,
      `hash ${i}`,
      `whence_aaaa…${i}`,
      i % 2 ? 'free' : 'pro',
      createdMs + i,
    );
    for (const day of days) usage.run(`many${i}`, day, 'ip', 2, (i % 97) + 1);
  }
  // More than a page lists.
  for (let i = 1; i < 2 * SPENT; i += 2) quota.run(`many${i}`, days[0]);
  database.exec('commit');
  database.close();
}

const rowIndexes = (page: Page) =>
  page
    .getByRole('table', { name: 'API keys' })
    .locator('[aria-rowindex]')
    .evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('aria-rowindex'))));

test('many keys: the table scrolls to the end and back', options, async (t) => {
  insertKeys(join(whence.folder.dataDir, 'whence.sqlite'));
  const page = await whence.open(t, { as: admin });
  await page.goto('/keys?q=many&sort=name&order=asc');
  await page.getByRole('link', { name: 'many 0', exact: true }).waitFor();
  const scrollTo = (share: number) =>
    page.evaluate(
      (to) => window.scrollTo(0, (document.body.scrollHeight - window.innerHeight) * to),
      share,
    );
  // Further pages are asked for as the end comes into view.
  const last = page.getByRole('link', { name: `many ${KEYS - 1}`, exact: true });
  await until('the last key', async () => {
    await scrollTo(1);
    return (await last.count()) > 0;
  });
  assert.ok((await rowIndexes(page)).length < 60, 'only what is seen is in the document');
  assert.ok((await page.locator('*').count()) < 3_000, 'the document stays small');
  await scrollTo(0);
  await page.getByRole('link', { name: 'many 0', exact: true }).waitFor();
});

test('many keys: filters and sorting', options, async (t) => {
  const page = await whence.open(t, { as: admin });
  await page.goto('/keys');
  await page.getByRole('link', { name: /^many/ }).first().waitFor();
  await page.getByText(`${SPENT} keys have used their limits`).waitFor();
  const table = page.getByRole('table', { name: 'API keys' });
  const rows = (count: number) =>
    until(
      `${count} rows`,
      async () => (await table.getAttribute('aria-rowcount')) === `${count + 1}`,
    );
  await page.getByRole('searchbox', { name: 'Search keys' }).pressSequentially('many 499');
  await rows(11);
  await page.getByRole('combobox', { name: 'Tier' }).selectOption('pro');
  await rows(5);
  // 0 to 4999 with a 1 first: 1 + 10 + 100 + 1000, of which half are even.
  await page.getByRole('searchbox', { name: 'Search keys' }).fill('many 1');
  await rows(555);
  await page.getByRole('button', { name: 'Today' }).click();
  await page.waitForURL(/sort=requests_today/);
  await page.getByRole('link', { name: /^many/ }).first().waitFor();
});
