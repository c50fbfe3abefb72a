/**
 * What is on the screen belongs to the subject in the title: responses are held back, sessions end
 * and the server goes away while a page is open.
 */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { until } from '@whence/testing/until';
import type { Page } from 'playwright-core';
import { PASSWORD, signedInAs } from '../dashboard/dashboard-client.ts';
import { type BrowserTest, heading, NO_BROWSER } from './browser.ts';
import { sharedWhence } from './shared-whence.ts';

const options = { skip: NO_BROWSER };
let whence: BrowserTest;
let page: Page;

// The first test, not a hook: hooks of all files run at once, and a server checks five passwords of
// one client at a time.
test('one subject: an administrator signs in', options, async () => {
  whence = await sharedWhence();
  const admin = await signedInAs(whence.folder, whence.url, 'Marie', 'admin');
  page = await whence.open(undefined, {
    as: admin,
    expectedErrors: [/status of 40[14]/, /ERR_FAILED/],
  });
});

/** Holds requests for this address back until the returned function is called. */
async function hold(
  pattern: RegExp,
): Promise<{ isAsked: () => boolean; release: () => Promise<void> }> {
  let asked = false;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(pattern, async (route) => {
    asked = true;
    await released;
    await route.fallback();
  });
  return {
    isAsked: () => asked,
    release: async () => {
      release();
      await page.unrouteAll({ behavior: 'wait' });
    },
  };
}

const main = () => page.getByRole('main');

for (const [what, from, before, to, request, after] of [
  ['address', '/ip/8.8.8.8', 'Google LLC', '/ip/1.0.9.9', /lookup\/ip\/1\.0\.9\.9/, 'Tor exit'],
  [
    'prefix',
    '/prefix/8.8.8.0/24',
    'Google LLC',
    '/prefix/9.0.0.0/16',
    /lookup\/prefix\/9/,
    'Verizon Wireless',
  ],
  ['network', '/asn/15169', 'Google LLC', '/asn/22394', /lookup\/asn\/22394/, 'Verizon Wireless'],
  [
    'name',
    '/asn?q=googl',
    'Google LLC',
    '/asn?q=verizon',
    /lookup\/asn\?q=verizon/,
    'Verizon Wireless',
  ],
  [
    'domain',
    '/domain/example.com?tab=records',
    'mx.example.com',
    '/domain/example.org?tab=records',
    /domain\/example\.org/,
    'does not exist in DNS',
  ],
  [
    'period',
    '/keys/usage?from=2026-01-01&to=2026-01-02',
    '1 Jan',
    '/keys/usage?from=2026-02-01&to=2026-02-02',
    /from=2026-02-01/,
    '1 Feb',
  ],
  ['batch', '/lookup?ips=8.8.8.8', 'Google LLC', '/lookup?ips=1.0.9.9', /lookup\/batch/, '1.0.9.9'],
] as const) {
  test(
    `one subject: while another ${what} loads, nothing of the last one is shown`,
    options,
    async () => {
      await page.goto(from);
      await main().getByText(before).first().waitFor();
      const { isAsked, release } = await hold(request);
      await page.evaluate((path) => window.history.pushState({}, '', path), to);
      await until('the response is waited for', isAsked);
      await until(
        'nothing of the last one is shown',
        async () => (await main().getByText(before).count()) === 0,
      );
      await release();
      await main().getByText(after).first().waitFor();
    },
  );
}

test(
  'batch: versions of browsers are not addresses, counts add up, and a reload keeps the batch',
  options,
  async () => {
    const lines = Array.from(
      { length: 1_500 },
      (_, i) => `3.0.${i >> 8}.${i & 255} "Mozilla/5.0 Chrome/120.0.0.0"`,
    );
    await page.goto('/lookup');
    await page
      .getByLabel('Text with addresses', { exact: true })
      .fill(`${lines.join('\n')}\n10.0.0.1 3.0.0.0`);
    let requests = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/lookup\/batch/, async (route) => {
      if (++requests > 1) await released;
      await route.fallback();
    });
    await page.getByRole('button', { name: 'Look up', exact: true }).click();
    await page.getByLabel('Filter by address or network').fill('nothing');
    await page.getByText('No match so far').waitFor();
    assert.equal(await page.getByText('No address matches the filter').count(), 0);
    release();
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByText('No address matches the filter').waitFor();
    const figures = page.getByText('1,502 found: 1 repeated, 1 private or reserved.');
    await figures.waitFor();
    await page.reload();
    await page.getByText('1,500 of 1,500 addresses looked up').waitFor();
    await figures.waitFor();
  },
);

test(
  'session: one that expires in a form asks to sign in, and then what was typed is sent',
  options,
  async (t) => {
    const own = await signedInAs(whence.folder, whence.url, 'Lise', 'admin');
    const form = await whence.open(t, { as: own, expectedErrors: [/status of 401/] });
    await form.goto('/settings/people');
    await form.getByRole('button', { name: 'Invite' }).click();
    await form.getByLabel('Recipient').fill('Otto in support');
    await own.get('endAllSessions');
    await form.getByRole('button', { name: 'Create invitation' }).click();
    const dialog = form.getByRole('dialog', { name: 'Your session has expired' });
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    await form.getByRole('group', { name: 'link', exact: true }).waitFor();
    await form.getByText('Otto in support').first().waitFor();
  },
);

test(
  'recovery: a page that could not reach the server loads by itself once it can',
  options,
  async () => {
    await page.route(/lookup\/ip\/8\.8\.8\.8/, (route) => route.abort());
    await page.goto('/ip/8.8.8.8');
    await page.getByText('This page retries automatically').waitFor();
    await page.unrouteAll();
    await page.getByText('Datacenter of Google LLC').waitFor();
  },
);

test('update: the button shows progress before the server has answered', options, async () => {
  await page.goto('/data');
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  // It never reaches the server: this test is about the time before an answer.
  await page.route(/dataset\/update/, async (route) => {
    await released;
    await route.abort();
  });
  await page.getByRole('button', { name: 'Fetch public lists' }).click();
  await page.getByText('The dataset is being updated').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Fetching…' }).isDisabled());
  release();
  await page.getByRole('button', { name: 'Fetch public lists' }).waitFor();
  await page.unrouteAll({ behavior: 'wait' });
});

test(
  'update: a failed one is one sentence on each page, and its feeds count as refused',
  options,
  async () => {
    const problem = '51 of 51 feeds unreachable: no DNS';
    const at = new Date(Date.now() + 60_000).toISOString();
    const refused = Array.from({ length: 51 }, (_, i) => ({
      id: `feed-${i}`,
      reason: `host-${i} does not exist in DNS`,
    }));
    const feeds = join(whence.folder.dataDir, 'feeds');
    mkdirSync(feeds, { recursive: true });
    const paused = [{ id: 'feed-7', until: new Date(Date.now() + 3_600_000).toISOString() }];
    const report = {
      outcome: 'failed',
      started_at: at,
      finished_at: at,
      error: problem,
      problem,
      refused,
      paused,
    };
    writeFileSync(join(feeds, 'last-update.json'), JSON.stringify(report));
    try {
      for (const path of ['/', '/data', '/settings/server']) {
        await page.goto(path);
        await main().getByText(problem).waitFor();
        assert.equal(await main().getByText(problem).count(), 1, path);
        assert.equal(await main().getByText('feed-50').isVisible(), false, path);
        await main().getByText('51 feeds with the reason').click();
        await main().getByText('feed-50').waitFor();
        await main()
          .getByText(/its server asked to wait until/)
          .waitFor();
        const asked = page.waitForRequest((request) => request.method() === 'POST');
        await page.route(/dataset\/update/, (route) => route.abort());
        await main().getByRole('button', { name: 'Fetch public lists' }).click();
        assert.match((await asked).url(), /dataset\/update$/);
        await page.unrouteAll({ behavior: 'wait' });
      }
      const { data } = (await (await fetch(`${whence.url}/readyz`)).json()) as ReadyAnswer;
      assert.equal(data.update.feeds_refused.length, 51);
    } finally {
      rmSync(join(feeds, 'last-update.json'));
    }
  },
);
type ReadyAnswer = { data: { update: { feeds_refused: string[] } } };

test(
  'one subject: a page whose script cannot be loaded says so, and is shown once the server is back',
  options,
  async (t) => {
    const admin = await signedInAs(whence.folder, whence.url, 'Maryam', 'admin');
    const own = await whence.open(t, {
      as: admin,
      expectedErrors: [/ERR_FAILED/, /script could not be loaded/],
    });
    await own.goto('/ip/8.8.8.8');
    await own.getByText('Datacenter of Google LLC').first().waitFor();
    await own.route(/.*/, (route) => route.abort());
    await own.getByRole('link', { name: 'Data' }).first().click();
    await own.getByText('The server cannot be reached').waitFor();
    await own.getByRole('button', { name: 'Try again' }).click();
    await own.getByRole('link', { name: 'Home' }).waitFor();
    await own.unroute(/.*/);
    await own.getByRole('heading', { name: 'Versions' }).waitFor();
  },
);

test('one subject: figures of today are asked for again when a day begins', options, async (t) => {
  const admin = await signedInAs(whence.folder, whence.url, 'Maria', 'admin');
  const { secret } = await admin.get('createKey', {
    body: { name: 'used', tier: 'free', permissions: ['ip:read'] },
  });
  await fetch(`${whence.url}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': secret } });
  const isCounted = async () => (await admin.get('getUsage')).total > 0;
  await until('the request is counted', isCounted, { everyMs: 200 });
  const own = await whence.open(t, { as: admin });
  let daysAhead = 0;
  let asked = 0;
  await own.route(/\/api\//, async (route) => {
    if (/traffic/.test(route.request().url())) asked++;
    const response = await route.fetch();
    const date = new Date(Date.now() + daysAhead * 86_400_000).toUTCString();
    await route.fulfill({ response, headers: { ...response.headers(), date } });
  });
  await own.clock.install();
  await own.goto('/keys/usage');
  await own.getByText('Response time, last 24 hours').waitFor();
  assert.equal(asked, 1);
  daysAhead = 1;
  await own.getByText('By status', { exact: true }).click();
  await until('the day is noticed', async () => {
    await own.clock.runFor(5_000);
    return asked > 1;
  });
  await own.unrouteAll({ behavior: 'ignoreErrors' });
});

test(
  'first run: a checklist instead of zeros, and what the built-in data cannot tell',
  options,
  async (t) => {
    const first = await whence.open(t, {
      as: await signedInAs(whence.folder, whence.url, 'Emmy', 'member'),
    });
    // The sample has lists of feeds; the built-in dataset has none.
    await first.route(/api\/overview/, async (route) => {
      const response = await route.fetch();
      const { data, meta } = (await response.json()) as {
        data: { first_run: object };
        meta: object;
      };
      const first_run = { ...data.first_run, has_live_data: false };
      await route.fulfill({ response, json: { data: { ...data, first_run }, meta } });
    });
    await first.goto('/');
    await first.getByText('Getting started: 0 of 3 done').waitFor();
    await first.getByRole('link', { name: 'What the built-in data cannot tell' }).waitFor();
    assert.equal(await first.getByText('Requests today').count(), 0);
    await first.getByRole('link', { name: '8.8.8.8' }).click();
    await heading(first).filter({ hasText: '8.8.8.8' }).waitFor();
  },
);
