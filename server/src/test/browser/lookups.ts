/** Looking things up in a real browser: the lookup field, every view, a batch from a log. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test, { before } from 'node:test';
import { until } from '@whence/testing/until';
import type { Page } from 'playwright-core';
import { openStorage } from '../../storage/open-storage.ts';
import { type DashboardClient, signedInAs } from '../dashboard/dashboard-client.ts';
import { SAMPLE } from '../test-server.ts';
import { BrowserTest, heading, NO_BROWSER } from './browser.ts';
import { inspectThemes } from './inspect.ts';
import { sharedSignIn, sharedWhence } from './shared-whence.ts';

const options = { skip: NO_BROWSER };
const NOT_FOUND = [/status of 40[04]/];
let whence: BrowserTest;
let viewer: DashboardClient;
let shared: Page;

before(async () => {
  if (NO_BROWSER !== false) return;
  whence = await sharedWhence();
  viewer = await sharedSignIn('Hedy', 'viewer');
  shared = await whence.open(undefined, { as: viewer, expectedErrors: NOT_FOUND });
});

for (const [text, path, shown] of [
  ['8.8.8.8', '/ip/8.8.8.8', 'Datacenter of Google LLC'],
  ['2001:4860::8888', '/ip/2001:4860::8888', 'Google LLC'],
  ['1.0.9.9', '/ip/1.0.9.9', 'Tor exit'],
  ['10.1.2.3', '/ip/10.1.2.3', 'RFC 1918'],
  ['8.8.8.0/24', '/prefix/8.8.8.0/24', 'Google LLC'],
  ['AS15169', '/asn/15169', '8.8.8.0/24'],
  ['https://example.com/some/page', '/domain/example.com', 'Grade'],
  ['postmaster@example.com', '/domain/example.com', 'Grade'],
] as const) {
  test(
    `lookups: ${text} in the lookup field leads to ${path}, which reloads and is left by Back`,
    options,
    async () => {
      await shared.goto('/data');
      await heading(shared).waitFor();
      await shared.keyboard.press('/');
      await shared.keyboard.type(text);
      await shared.getByRole('option').first().waitFor();
      await shared.keyboard.press('Enter');
      await shared.waitForURL(`**${path}`);
      await shared.getByText(shown).first().waitFor();
      await shared.reload();
      await shared.getByText(shown).first().waitFor();
      await shared.goBack();
      await shared.waitForURL('**/data');
      await heading(shared).filter({ hasText: 'Data' }).waitFor();
    },
  );
}

test('lookups: a name finds networks as it is typed, and its page keeps the search', options, async (t) => {
  const page = await whence.open(t, { as: viewer });
  await page.goto('/asn?q=googl');
  await page.getByRole('link', { name: 'AS15169' }).first().waitFor();
  await page.reload();
  await page.getByRole('link', { name: 'AS15169' }).first().click();
  await page.waitForURL('**/asn/15169');
  await page.getByText('2001:4860::/32').waitFor();
});

test('lookups: the evidence names sources, the answer is there as JSON and as curl', options, async (t) => {
  const page = await whence.open(t, { as: viewer });
  await page.goto('/ip/8.8.8.8');
  await page.getByRole('table', { name: 'Evidence' }).getByText('country', { exact: true }).first().waitFor();
  await page.getByRole('tab', { name: 'JSON' }).click();
  await page.getByText('"connection_type": "datacenter"').waitFor();
  await page.getByRole('tab', { name: 'curl' }).click();
  await page.getByText(`${whence.url}/v1/ip/8.8.8.8`).waitFor();
});

for (const [behaviour, ip, shown] of [
  ['a confirmed name', '8.8.8.8', /dns\.example\.com.*leads back to the address.*DNS, just now/],
  ['a forged name of a crawler', '8.8.8.9', /crawl-1\.googlebot\.com.*forged name of Googlebot/],
  ['no name', '8.8.8.7', /no PTR record/],
  ['DNS does not answer', '8.8.8.10', /DNS did not answer.*Ask again/],
] as const) {
  test(`lookups: the hostname of an address is asked for by a button: ${behaviour}`, options, async (t) => {
    const page = await whence.open(t, { as: viewer });
    await page.goto(`/ip/${ip}`);
    const fact = page.locator('dl > div', { has: page.getByText('Hostname', { exact: true }) });
    assert.match((await fact.textContent()) ?? '', /not looked up/);
    await fact.getByRole('button', { name: 'Ask DNS' }).click();
    await until('DNS was asked', async () => shown.test((await fact.textContent()) ?? ''));
    await page.reload();
    await until('the address bar keeps it', async () => shown.test((await fact.textContent()) ?? ''));
  });
}

test('lookups: the registry is asked for by a button, and may be asked again', options, async (t) => {
  const storage = await openStorage(whence.folder.dataDir);
  const registration = {
    range: '8.8.8.0/24',
    organization: 'Example, LLC',
    abuse_email: 'abuse@example.com',
    registered_at: '2014-03-14T20:52:05.000Z',
    source: 'rdap.example.net',
  };
  // As it is stored after an answer of the registry.
  await storage.registrations.save('8.8.8.8', { content: JSON.stringify(registration), fetchedAtMs: Date.now() }, 0);
  await storage.close();
  const page = await whence.open(t, { as: viewer });
  await page.goto('/ip/8.8.8.8');
  const section = page.getByRole('region', { name: 'Registration' });
  await section.getByRole('button', { name: 'Ask the registry' }).click();
  await section.getByText('Example, LLC').waitFor();
  for (const text of ['abuse@example.com', '8.8.8.0/24', '14 March 2014', /rdap\.example\.net/]) {
    await section.getByText(text).first().waitFor();
  }
  await page.goto('/ip/8.8.8.7');
  await section.getByRole('button', { name: 'Ask the registry' }).click();
  await section.getByText('The registry did not answer').waitFor();
  await section.getByRole('button', { name: 'Ask again' }).waitFor();
});

test(
  'lookups: the networks that announce an address have their RPKI state, and so have prefixes',
  options,
  async (t) => {
    const page = await whence.open(t, { as: viewer });
    await page.goto('/ip/8.8.8.8');
    const origins = page.getByRole('table', { name: 'Origins' });
    await origins.getByText('valid', { exact: true }).waitFor();
    await page.getByText('A ROA allows AS15169 to announce 8.8.8.0/24.').waitFor();
    await page.goto('/ip/1.0.9.9');
    await origins.getByText('invalid', { exact: true }).waitFor();
    await page.getByText('RPKI invalid').waitFor();
    await page.goto('/asn/15169');
    await page.getByText('50 % of its prefixes are valid by RPKI').waitFor();
    const prefixes = page.getByRole('table', { name: 'Prefixes' });
    assert.match((await prefixes.getByRole('row', { name: /8\.8\.8\.0/ }).textContent()) ?? '', /valid$/);
    await page.getByRole('textbox', { name: 'Filter prefixes' }).fill('no roa');
    await page.getByText('1 prefix matching “no roa”').waitFor();
  },
);

test('lookups: changes between versions are listed, and one can be compared and linked to', options, async (t) => {
  const own = await BrowserTest.start();
  t.after(() => own.close());
  own.folder.publish({ ...SAMPLE, tor: [] });
  const admin = await signedInAs(own.folder, own.url, 'Ada', 'admin');
  const page = await own.open(t, { as: admin });
  await page.goto('/ip/8.8.8.8');
  const history = page.getByRole('region', { name: 'Over time' });
  await history.getByText(/^No change since version 1 of/).waitFor();
  await page.goto('/ip/1.0.9.9');
  const changes = history.getByRole('table', { name: 'Changes' });
  await changes.getByText(/detection\.is_tor_exit: true → false/).waitFor();
  await changes.getByRole('button', { name: 'Compare' }).click();
  await page.waitForURL(/change=2/);
  const records = history.getByRole('table', { name: 'Records of versions 1 and 2' });
  await records.getByRole('row', { name: 'detection.is_tor_exit true false' }).waitFor();
  await inspectThemes(page, 'wide');
  await page.reload();
  await records.waitFor();
  // Without WHENCE_RDAP an administrator is told how to switch it on.
  await page.getByRole('region', { name: 'Registration' }).getByText('WHENCE_RDAP=on').waitFor();
});

test('lookups: transport and networks of a domain come on request, and stay in the address', options, async (t) => {
  const page = await whence.open(t, { as: viewer });
  await page.goto('/domain/example.com');
  await page.getByRole('button', { name: 'Show networks' }).click();
  await page.getByRole('table', { name: 'MX hosts' }).getByRole('link', { name: 'AS15169' }).waitFor();
  await page.getByRole('button', { name: 'Check transport security' }).click();
  await page.getByRole('region', { name: 'MTA-STS' }).getByText('v=STSv1').waitFor();
  await page.reload();
  await page.getByRole('region', { name: 'MTA-STS' }).waitFor();
  await page.getByRole('table', { name: 'MX hosts' }).waitFor();
});

test('lookups: a domain shows grade, records, tree, keys, policy and what to fix', options, async (t) => {
  const page = await whence.open(t, { as: viewer });
  await page.goto('/domain/example.com');
  await page
    .getByText(/Grade [A-F]/)
    .first()
    .waitFor();
  for (const text of ['mx.example.com', 'v=DMARC1', 'spf.example.com', /of 10 lookups/]) {
    await page.getByText(text).first().waitFor();
  }
});

test('lookups: maps of countries and of address space lead to what is pointed at', options, async (t) => {
  const page = await whence.open(t, { as: viewer });
  await page.goto('/batch?ips=8.8.8.8%201.0.9.9');
  const countries = page.getByRole('img', { name: 'Map of 2 countries; the list of countries has the numbers' });
  await countries.waitFor();
  await countries.locator('[data-choosable]').first().dispatchEvent('click');
  await page.waitForURL(/country=(?:US|AU)/);
  await page.getByRole('heading', { name: '1 of 2 addresses' }).waitFor();
  await page.goto('/asn/16509');
  await page.getByRole('img', { name: 'Map of 0.0.0.0/0, one cell per /16: 256 datacenter' }).waitFor();
  await page.goto('/prefix/3.0.0.0/8');
  const space = page.getByRole('img', { name: /^Map of 3\.0\.0\.0\/8, one cell per \/24: 65,536 datacenter/ });
  const position = { x: 30, y: 30 };
  await space.hover({ position });
  const readout = await page.getByText(/^3\.\d+\.\d+\.0\/24: datacenter$/).textContent();
  await space.click({ position });
  await page.waitForURL(`**/prefix/${readout?.split(':')[0]}`);
});

test('lookups: on paper a page says what it is from, its address and when it was printed', options, async (t) => {
  const page = await whence.open(t, { as: viewer });
  await page.goto('/ip/8.8.8.8');
  await page.getByText('Datacenter of Google LLC').first().waitFor();
  const address = page.getByText(`${whence.url}/ip/8.8.8.8`, { exact: true });
  assert.ok(!(await address.isVisible()));
  await page.emulateMedia({ media: 'print' });
  assert.ok(await address.isVisible());
  const sheet = page.locator('div', { has: address }).last();
  assert.match((await sheet.textContent()) ?? '', new RegExp(`^Whence.*${new Date().getUTCFullYear()}.* UTC$`));
  assert.ok(!(await page.getByRole('combobox').first().isVisible()), 'without the lookup field');
  const colour = () => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--ok-soft'));
  const light = await colour();
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  assert.equal(await colour(), light, 'the dark theme is printed in the colours of the light one');
});

/** Lines of a web server's log; addresses come round again after `different`. */
function makeLog(bytes: number, different: number): Buffer {
  const lines: string[] = [];
  for (let i = 0, length = 0; length < bytes; i++) {
    const n = i % different;
    const ip = `3.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
    const line = `${ip} - - [15/Nov/2026:05:26:11 +0000] "GET /a/${i}?from=10.0.0.1 HTTP/1.1" 200 1024 "-" "curl/8"\n`;
    lines.push(line);
    length += line.length;
  }
  return Buffer.from(lines.join(''));
}

test('lookups: a log of 5 MB is read in the browser, looked up, filtered and saved', options, async (t) => {
  const page = await whence.open(t, { as: viewer });
  await page.goto('/batch');
  await page.locator('input[type=file]').setInputFiles({
    name: 'access.log',
    mimeType: 'text/plain',
    buffer: makeLog(5_000_000, 2_000),
  });
  await page.getByText('2,000 of 2,000 addresses looked up').waitFor();
  await page.getByRole('heading', { name: '2,000 addresses' }).waitFor();
  await page.getByRole('searchbox', { name: 'Filter by address or network' }).fill('3.0.0.1');
  await page.getByRole('heading', { name: /of 2,000 addresses/ }).waitFor();
  await page.reload();
  const waiting = page.waitForEvent('download');
  await page.goto('/batch?ips=8.8.8.8%201.0.9.9%20nonsense%2010.0.0.1');
  await page.getByText('2 of 2 addresses looked up').waitFor();
  await page.getByRole('button', { name: 'CSV' }).click();
  const csv = readFileSync((await (await waiting).path()) ?? '', 'utf8');
  assert.match(csv, /8\.8\.8\.8.*Google LLC/);
  await page.getByRole('link', { name: '1.0.9.9' }).click();
  await page.getByText('Tor exit').first().waitFor();
  await page.goBack();
  await page.getByText('2 of 2 addresses looked up').waitFor();
});
