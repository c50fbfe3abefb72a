/**
 * Watched domains and their alerts in a real browser: pasted, filtered, checked, accepted, told.
 */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import test, { after, before } from 'node:test';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import { until } from '@whence/testing/until';
import type { Page } from 'playwright-core';
import { type DashboardClient, signedInAs } from '../dashboard/dashboard-client.ts';
import { BrowserTest, NO_BROWSER } from './browser.ts';
import { inspectSizes, inspectThemes, PHONE, WIDE } from './inspect.ts';
import { settle } from './page-walk.ts';

const options = { skip: NO_BROWSER };
const NAMES = Array.from({ length: 50 }, (_, at) => `d${at}.example`);
const BROKEN = 'd7.example';

let whence: BrowserTest;
let dns: ScriptedDnsServer;
let hook: Server;
let hookUrl: string;
let admin: DashboardClient;
let viewer: DashboardClient;

before(async () => {
  if (NO_BROWSER !== false) return;
  const records = (name: string) => ({
    [name]: {
      MX: [[10, 'mx.example'] as const],
      TXT: ['v=spf1 mx -all', ...(name === BROKEN ? ['v=spf1 -all'] : [])],
    },
    [`_dmarc.${name}`]: { TXT: [`v=DMARC1; p=reject; rua=mailto:dmarc@${name}`] },
  });
  dns = await startScriptedDnsServer(
    Object.assign({ 'mx.example': { A: ['192.0.2.25'] } }, ...NAMES.map(records)),
  );
  hook = createServer((request, response) => {
    request.resume();
    response.statusCode = request.url === '/broken' ? 500 : 204;
    response.end();
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  const address = hook.address();
  hookUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  whence = await BrowserTest.start({
    WHENCE_DNS_SERVERS: dns.address,
    WHENCE_ALERT_NETWORKS: '127.0.0.0/8',
  });
  admin = await signedInAs(whence.folder, whence.url, 'Ada', 'admin');
  viewer = await signedInAs(whence.folder, whence.url, 'Vera', 'viewer');
});

after(async () => {
  await whence?.close();
  await dns?.close();
  hook?.close();
});

const rows = (page: Page) => page.getByRole('table', { name: 'Watched domains' }).getByRole('row');

async function inspect(page: Page): Promise<void> {
  for (const size of [WIDE, PHONE]) {
    await page.setViewportSize(size);
    await settle(page);
    await inspectThemes(page, `${size.width} px`);
  }
  await inspectSizes(page);
  await page.setViewportSize(WIDE);
}

test(
  'mail: an empty list says the next step, and to a viewer who can take it',
  options,
  async (t) => {
    const page = await whence.open(t, { as: admin });
    await page.goto('/mail');
    await page.getByText('No domain is watched yet').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Add domains' }).count(), 2);
    await inspect(page);
    const shown = await whence.open(t, { as: viewer });
    await shown.goto('/mail');
    await shown.getByText('Members and administrators can add domains.').waitFor();
  },
);

test('mail: 50 pasted domains are watched, the broken one stands first', options, async (t) => {
  const page = await whence.open(t, { as: admin });
  await page.goto('/mail');
  await page.getByRole('button', { name: 'Add domains' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Watch domains' });
  await dialog
    .getByLabel('Domains', { exact: true })
    .fill(`domain,owner\n${NAMES.map((name) => `${name},Ada`).join('\n')}`);
  await dialog.getByText('50 domains found').waitFor();
  await dialog.getByLabel('Tags (optional)').fill('customers');
  await inspectThemes(page, 'dialog');
  await dialog.getByRole('button', { name: 'Watch 50 domains' }).click();
  await page.getByText('50 domains added: the first checks are under way').waitFor();
  await page.getByText('1 of 50 watched domains needs attention.').waitFor();
  // The head is a row too.
  await rows(page).nth(1).getByRole('link', { name: BROKEN }).waitFor();
  await rows(page).nth(1).getByText('1 open, high').waitFor();
  const height = await rows(page)
    .nth(2)
    .evaluate((row) => row.getBoundingClientRect().height);
  assert.equal(height, 40);
  await until('all were checked', async () => (await page.getByText('checking…').count()) === 0);
  await inspect(page);
});

test('mail: filters are in the address, and survive a reload', options, async (t) => {
  const page = await whence.open(t, { as: viewer });
  await page.goto('/mail');
  await page.getByRole('combobox', { name: 'State' }).selectOption('open');
  await page.getByText('1 domain', { exact: true }).waitFor();
  await page.reload();
  await page.getByText('1 domain', { exact: true }).waitFor();
  assert.equal(new URL(page.url()).search, '?state=open');
  await page.getByRole('combobox', { name: 'State' }).selectOption('');
  await page.getByRole('searchbox', { name: 'Search domains' }).fill('d4');
  await page.getByText('11 domains', { exact: true }).waitFor();
  await rows(page).nth(1).getByRole('link', { name: 'customers' }).click();
  await page.waitForURL(/tag=customers/);
  await page.goto('/mail?tag=none');
  await page.getByText('No watched domain matches').waitFor();
  await page.getByRole('button', { name: 'Show all domains' }).click();
  await page.getByText('50 domains', { exact: true }).waitFor();
  assert.equal(await page.getByRole('checkbox').count(), 0, 'a viewer selects nothing');
});

test(
  'mail: a selection gets a tag, is checked now, and is no longer watched',
  options,
  async (t) => {
    const page = await whence.open(t, { as: admin });
    await page.goto('/mail');
    for (const name of ['d8.example', 'd9.example'])
      await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check();
    await page.getByText('2 domains selected').waitFor();
    await page.getByRole('button', { name: 'Tags…' }).click();
    await page.getByRole('dialog').getByLabel('Add tags').fill('internal');
    await page.getByRole('dialog').getByLabel('customers').uncheck();
    await page.getByRole('button', { name: 'Change tags' }).click();
    await page.getByRole('link', { name: 'internal' }).nth(1).waitFor();
    const { domains } = await admin.get('listWatched', { query: { tag: 'internal' } });
    assert.deepEqual(
      domains.map(({ domain, tags }) => [domain, tags]),
      [
        ['d8.example', ['internal']],
        ['d9.example', ['internal']],
      ],
    );
    await page.getByRole('button', { name: 'Check now' }).click();
    await until('both were checked again', async () => {
      const after = await admin.get('listWatched', { query: { tag: 'internal' } });
      return after.domains.every(
        ({ checked_at = '' }, at) => checked_at > (domains[at]?.checked_at ?? ''),
      );
    });
    await page.goto('/mail?tag=internal');
    for (const name of ['d8.example', 'd9.example'])
      await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    await page.getByRole('button', { name: 'Stop watching…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop watching' }).click();
    await page.getByText('No watched domain matches').waitFor();
  },
);

test(
  'mail: the page of a domain has its events, and begins and ends watching',
  options,
  async (t) => {
    const page = await whence.open(t, { as: admin });
    // As the address bar may have it.
    await page.goto(`/domain/${BROKEN.toUpperCase()}.`);
    const events = page.getByRole('region', { name: 'Events' });
    await events.getByText(`SPF: ${BROKEN} has 2 SPF records`).waitFor();
    await events.getByText('not alerted: it was there at the first check').waitFor();
    await inspect(page);
    await events.getByRole('button', { name: 'Stop watching…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop watching' }).click();
    await page.getByRole('button', { name: 'Watch this domain' }).click();
    // The event that has ended is in a folded table below.
    const listed = events.getByText(`SPF: ${BROKEN} has 2 SPF records`);
    await listed.filter({ visible: true }).first().waitFor();
  },
);

test(
  'alerts: a webhook is added with its secret shown once, tested, and removed',
  options,
  async (t) => {
    const page = await whence.open(t, { as: admin });
    await page.goto('/settings/alerts');
    await page.getByText('No channel yet').waitFor();
    await inspect(page);
    await page.getByRole('button', { name: 'Add channel' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Add a channel' });
    await dialog.getByLabel('URL').fill(`${hookUrl}/secret-path`);
    await dialog.getByLabel('Name').fill('On call');
    await inspectThemes(page, 'dialog');
    await dialog.getByRole('button', { name: 'Add channel' }).click();
    const created = page.getByRole('dialog', { name: 'On call was added' });
    const secret = await created.getByLabel('signing secret', { exact: true }).innerText();
    assert.match(secret, /^whsec_/);
    await created.getByRole('button', { name: 'Copy secret' }).click();
    await created.getByRole('button', { name: 'Copied' }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), secret);
    await created.getByRole('button', { name: 'Close' }).last().click();
    await page.reload();
    await page.getByText(`${hookUrl}/…`).waitFor();
    const text = await page.locator('body').innerText();
    assert.ok(!text.includes(secret) && !text.includes('secret-path'));
    await page.getByRole('button', { name: 'Test: On call' }).click();
    await page.getByText('The test has reached On call').waitFor();
    await page.getByRole('button', { name: 'Deliveries of On call' }).click();
    await page
      .getByRole('table', { name: 'Last deliveries of On call' })
      .getByText('204')
      .waitFor();
    await inspect(page);
    await page.getByRole('button', { name: 'Remove On call' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No channel yet').waitFor();
  },
);

test(
  'alerts: a channel that fails says so with its answer; email says what has to be set',
  options,
  async (t) => {
    const page = await whence.open(t, { as: admin });
    const { channel } = await admin.get('createChannel', {
      body: { name: 'Broken', format: 'slack', target: `${hookUrl}/broken`, min_severity: 'low' },
    });
    await page.goto('/settings/alerts');
    await page.getByRole('button', { name: 'Test: Broken' }).click();
    await page.getByText('The test did not reach Broken').waitFor();
    await page.getByText('500').first().waitFor();
    await page.getByRole('button', { name: 'Add channel' }).click();
    await page.getByLabel('Kind').selectOption('email');
    await page.getByText('set WHENCE_SMTP_URL to send email').waitFor();
    await admin.get('deleteChannel', { params: { id: channel.id } });
  },
);
