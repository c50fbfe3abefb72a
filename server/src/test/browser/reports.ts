/**
 * Aggregate reports in a real browser: imported by a key and by upload, judged, opened and decided
 * about.
 */
import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import type { DashboardClient } from '../dashboard/dashboard-client.ts';
import { type BrowserTest, NO_BROWSER } from './browser.ts';
import { inspectSizes, inspectThemes, PHONE, WIDE } from './inspect.ts';
import { settle } from './page-walk.ts';
import { sharedSignIn, sharedWhence } from './shared-whence.ts';

const options = { skip: NO_BROWSER };
const DOMAIN = 'reported.example';
const DAYS = 34;
const DAY_S = 86_400;
const HOSTILE = '<img src=x onerror="throw 1">\u202e&"';
let whence: BrowserTest;
let member: DashboardClient;
let viewer: DashboardClient;

before(async () => {
  if (NO_BROWSER !== false) return;
  whence = await sharedWhence();
  member = await sharedSignIn('Mail', 'member');
  viewer = await sharedSignIn('Vera', 'viewer');
  const { secret } = await whence.folder.createKey({ permissions: ['reports:write'] });
  for (let daysAgo = 1; daysAgo <= DAYS; daysAgo++) {
    const body = gzipSync(reportOf(DOMAIN, daysAgo, 'google.com'));
    const { status } = await fetch(`${whence.url}/v1/email/reports`, {
      method: 'POST',
      headers: { 'X-API-Key': secret },
      body: new Uint8Array(body),
    });
    assert.equal(status, 200);
  }
});

/** Own mail, a service that does not sign, forwarded mail, and forgeries of hostile names. */
function reportOf(domain: string, daysAgo: number, reporter: string): string {
  const begin = (Math.floor(Date.now() / 1000 / DAY_S) - daysAgo) * DAY_S;
  const rows = [
    ['8.8.8.1', 100 + daysAgo, 'pass', 'pass', domain, 's1'],
    ['198.51.100.7', 6, 'fail', 'fail', 'zendesk.com', 's1'],
    ['9.0.0.9', 2, 'fail', 'fail', 'list.example', 's1'],
    ['1.0.9.9', 20 + (daysAgo % 5), 'fail', 'fail', HOSTILE, HOSTILE],
  ] as const;
  const records = rows.map(
    ([address, count, dkim, spf, envelope, selector]) => `<record>
  <row><source_ip>${address}</source_ip><count>${count}</count>
    <policy_evaluated><disposition>none</disposition><dkim>${dkim}</dkim><spf>${spf}</spf></policy_evaluated></row>
  <identifiers><header_from>${domain}</header_from><envelope_from>${escaped(envelope)}</envelope_from></identifiers>
  <auth_results>
    ${address === '198.51.100.7' ? '' : `<dkim><domain>${address === '1.0.9.9' ? 'evil.example' : domain}</domain><selector>${escaped(selector)}</selector><result>${dkim}</result></dkim>`}
    <spf><domain>${escaped(envelope)}</domain><result>${spf}</result></spf></auth_results></record>`,
  );
  return `<?xml version="1.0"?><feedback>
<report_metadata><org_name>${escaped(reporter)}</org_name><email>noreply-dmarc-support@google.com</email>
<report_id>${domain}-${daysAgo}</report_id><date_range><begin>${begin}</begin><end>${begin + DAY_S - 1}</end></date_range></report_metadata>
<policy_published><domain>${domain}</domain><p>none</p></policy_published>${records.join('\n')}</feedback>`;
}

const escaped = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
const section = (page: Page) => page.getByRole('region', { name: 'Who sends as it' });
const senders = (page: Page) => section(page).getByRole('table', { name: 'Senders' });

test(
  'reports: a domain has the verdict, days, senders and what a policy would refuse',
  options,
  async (t) => {
    const page = await whence.open(t, { as: viewer });
    await page.goto(`/domain/${DOMAIN}?tab=senders`);
    await section(page).getByText('Would p=reject be safe? No.').waitFor();
    await section(page)
      .getByText(/204 messages at Zendesk would be refused/)
      .waitFor();
    await section(page).getByRole('button', { name: 'Show as table' }).click();
    assert.equal(
      await section(page).getByRole('table', { name: 'Messages by day' }).getByRole('row').count(),
      36,
    );
    await section(page).getByText('p=quarantine', { exact: true }).click();
    await page.waitForURL(/policy=quarantine/);
    await section(page).getByText('Would p=quarantine be safe? No.').waitFor();
    await page.reload();
    await section(page).getByText('Would p=quarantine be safe? No.').waitFor();
  },
);

test(
  'reports: a sender opens to its evidence, addresses, networks and reporters',
  options,
  async (t) => {
    const page = await whence.open(t, { as: viewer });
    await page.goto(`/domain/${DOMAIN}?tab=senders&service=zendesk`);
    await senders(page)
      .getByText(/which other customers use too/)
      .waitFor();
    const behind = page.getByRole('table', { name: 'Addresses of Zendesk' });
    await behind.getByRole('link', { name: '198.51.100.7' }).first().waitFor();
    await behind.getByText('google.com').first().waitFor();
    assert.equal(
      await page.getByRole('button', { name: 'Not ours' }).count(),
      0,
      'a viewer decides nothing',
    );
    assert.equal(await page.getByText('Choose report files').count(), 0, 'nor uploads');
    for (const row of await senders(page).locator('button[aria-expanded=false]').all()) {
      await row.click();
      await settle(page);
    }
    assert.equal(await page.locator('img').count(), 0, 'names in reports are text');
  },
);

test('reports: a member decides about a sender, and takes it back', options, async (t) => {
  const page = await whence.open(t, { as: member });
  await page.goto(`/domain/${DOMAIN}?tab=senders`);
  await senders(page).getByRole('button', { name: 'Zendesk' }).press('Enter');
  await page.waitForURL(/service=zendesk/);
  await page.getByRole('button', { name: 'Not ours' }).click();
  await section(page).getByText('Would p=reject be safe? Yes.').waitFor();
  await page.getByRole('button', { name: 'Not ours', pressed: true }).click();
  await section(page).getByText('Would p=reject be safe? No.').waitFor();
  await senders(page).getByRole('button', { name: 'Zendesk' }).press('Enter');
  await page.waitForURL((url) => !url.search.includes('service'));
});

test(
  'reports: files are uploaded, with a summary of what was read, repeated and not read',
  options,
  async (t) => {
    const page = await whence.open(t, { as: member, expectedErrors: [/status of 415/] });
    await page.goto('/domain/quiet.example?tab=senders');
    await section(page).getByText('Not enough is known to say whether p=reject is safe').waitFor();
    await section(page).getByLabel('record to publish').getByText('rua=mailto:dmarc@').waitFor();
    await section(page).getByLabel('alias').getByText('wh email reports import -').waitFor();
    await section(page).getByLabel('curl').getByText(`${whence.url}/v1/email/reports`).waitFor();
    await inspectThemes(page, 'without reports');
    const report = Buffer.from(reportOf('quiet.example', 3, HOSTILE));
    await section(page)
      .locator('input[type=file]')
      .setInputFiles([
        { name: 'a.xml', mimeType: 'text/xml', buffer: report },
        { name: 'b.xml.gz', mimeType: 'application/gzip', buffer: gzipSync(report) },
        { name: `${HOSTILE}.txt`, mimeType: 'text/plain', buffer: Buffer.from('no report') },
        { name: 'large.zip', mimeType: 'application/zip', buffer: Buffer.alloc(11 * 1024 * 1024) },
      ]);
    await section(page).getByText('4 of 4 files sent: 1 read, 1 repeated, 2 not read').waitFor();
    await section(page)
      .getByRole('row', { name: /large\.zip Larger than 10 MiB/ })
      .waitFor();
    await section(page)
      .getByText(/^Who reports: 1 reporter/)
      .click();
    await section(page).getByRole('cell', { name: '<img src=x' }).first().waitFor();
    await inspectThemes(page, 'after the upload');
  },
);

test(
  'reports: the section fits every width in both themes, with a sender open',
  options,
  async (t) => {
    const page = await whence.open(t, { as: member });
    for (const size of [WIDE, PHONE]) {
      await page.setViewportSize(size);
      await page.goto(`/domain/${DOMAIN}?tab=senders&service=zendesk`);
      await page.getByRole('table', { name: 'Addresses of Zendesk' }).waitFor();
      await inspectThemes(page, `${size.width} px`);
      const table = section(page).getByRole('group', { name: 'Senders' });
      assert.ok(
        await table.evaluate((one) => one.scrollWidth <= one.clientWidth),
        `nothing is clipped at ${size.width} px`,
      );
    }
    await inspectSizes(page);
  },
);

test(
  'reports: the domains that have some are listed, and lead to their verdict',
  options,
  async (t) => {
    const page = await whence.open(t, { as: viewer });
    await page.goto('/mail');
    const listed = page
      .getByRole('table', { name: 'Domains with reports' })
      .getByRole('row', { name: DOMAIN });
    assert.match((await listed.innerText()).replace(/\s+/g, ' '), /5,017 79\.6% 34/);
    await listed.getByRole('link').click();
    await section(page).getByText('Would p=reject be safe? No.').waitFor();
    await page.goBack();
    assert.equal(await page.getByRole('button', { name: 'Watch all of them' }).count(), 0);
    for (const size of [WIDE, PHONE]) {
      await page.setViewportSize(size);
      await inspectThemes(page, `${size.width} px`);
      const table = page.getByRole('group', { name: 'Domains with reports' });
      assert.ok(
        await table.evaluate((one) => one.scrollWidth <= one.clientWidth),
        `nothing is clipped at ${size.width} px`,
      );
    }
  },
);
