/** Looking things up in a real browser: the lookup field, every view, a batch from a log. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import test, { before } from 'node:test';
import { until } from '@whence/testing/until';
import type { Page } from 'playwright-core';
import { type DashboardClient, PASSWORD, signedInAs } from '../dashboard/dashboard-client.ts';
import { SAMPLE } from '../test-server.ts';
import { BrowserTest, heading, NO_BROWSER } from './browser.ts';
import { inspectThemes } from './inspect.ts';
import { RULES, rulesFile, sharedSignIn, sharedWhence } from './shared-whence.ts';

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

test(
  'lookups: a name finds networks as it is typed, and its page keeps the search',
  options,
  async (t) => {
    const page = await whence.open(t, { as: viewer });
    await page.goto('/asn?q=googl');
    await page.getByRole('link', { name: 'AS15169' }).first().waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'AS15169' }).first().click();
    await page.waitForURL('**/asn/15169');
    await page.getByText('2001:4860::/32').waitFor();
  },
);

test(
  'lookups: the evidence names sources, the answer is there as JSON and as curl',
  options,
  async (t) => {
    const page = await whence.open(t, { as: viewer });
    await page.goto('/ip/8.8.8.8');
    await page
      .getByRole('table', { name: 'Evidence' })
      .getByText('country', { exact: true })
      .first()
      .waitFor();
    await page.getByRole('tab', { name: 'JSON' }).click();
    await page.getByText('"connection_type": "datacenter"').waitFor();
    await page.getByRole('tab', { name: 'curl' }).click();
    await page.waitForURL(/code=curl/);
    await page.reload();
    await page.getByText(`${whence.url}/v1/ip/8.8.8.8`).waitFor();
  },
);

for (const [behaviour, ip, shown] of [
  ['a confirmed name', '8.8.8.8', /dns\.example\.com.*leads back to the address.*DNS, just now/],
  ['a forged name of a crawler', '8.8.8.9', /crawl-1\.googlebot\.com.*forged name of Googlebot/],
  ['no name', '8.8.8.7', /no PTR record/],
  ['DNS does not answer', '8.8.8.10', /DNS did not answer.*Ask again/],
] as const) {
  test(
    `lookups: the hostname of an address is asked for by a button: ${behaviour}`,
    options,
    async (t) => {
      const page = await whence.open(t, { as: viewer });
      await page.goto(`/ip/${ip}`);
      const fact = page.locator('dl > div', { has: page.getByText('Hostname', { exact: true }) });
      assert.match((await fact.textContent()) ?? '', /not looked up/);
      await fact.getByRole('button', { name: 'Ask DNS' }).click();
      await until('DNS was asked', async () => shown.test((await fact.textContent()) ?? ''));
      await page.reload();
      await until('the address bar keeps it', async () =>
        shown.test((await fact.textContent()) ?? ''),
      );
    },
  );
}

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
    await page.getByText('50% of its prefixes are valid by RPKI').waitFor();
    const prefixes = page.getByRole('table', { name: 'Prefixes' });
    assert.match(
      (await prefixes.getByRole('row', { name: /8\.8\.8\.0/ }).textContent()) ?? '',
      /valid$/,
    );
    await page.getByRole('textbox', { name: 'Filter prefixes' }).fill('no roa');
    await page.getByText('1 prefix matching “no roa”').waitFor();
  },
);

test(
  'lookups: changes between versions are listed, and one can be compared and linked to',
  options,
  async (t) => {
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
    await changes.getByText(/detection\.tor_exit: true → false/).waitFor();
    await changes.getByRole('button', { name: 'Compare' }).click();
    await page.waitForURL(/change=2/);
    const records = history.getByRole('table', { name: 'Records of versions 1 and 2' });
    await records.getByRole('row', { name: 'detection.tor_exit true false' }).waitFor();
    await inspectThemes(page, 'wide');
    await page.reload();
    await records.waitFor();
    await page.goto('/rules');
    await page.getByText('No rules file is set').waitFor();
    await inspectThemes(page, 'without rules');
  },
);

test(
  'lookups: rules are listed, a request is tried, and mistakes of the file are shown with their line',
  options,
  async (t) => {
    t.after(() => writeFileSync(rulesFile(), RULES));
    const page = await whence.open(t, { as: viewer });
    await page.goto('/rules');
    const rows = page.getByRole('table', { name: 'Rules of default' }).getByRole('row');
    await rows.filter({ hasText: 'no-tor-login' }).getByText('deny, 451').waitFor();
    await page.getByText('observe: nothing is refused').waitFor();
    await page.getByRole('textbox', { name: 'Address' }).fill('1.0.9.9');
    await page.getByRole('textbox', { name: 'Path' }).fill('/login');
    await page.getByRole('button', { name: 'Try' }).click();
    await page.getByText('Refused by rule no-tor-login').waitFor();
    await page.reload();
    await page.getByText('It matched paths /login and flags tor_exit.').waitFor();
    writeFileSync(rulesFile(), RULES.replace('default: allow', 'default: perhaps'));
    await until('the page knows of the mistake', async () => {
      await page.reload();
      await rows.first().waitFor();
      return page.getByText('Line 3, column 14: "perhaps" is not one of allow, deny').isVisible();
    });
    await page.getByText('The previous rules, listed below, stay in use.').waitFor();
    await inspectThemes(page, 'with a mistake');
  },
);

test(
  'lookups: a pasted log is replayed, the answer stays, and a file is cut at its last line',
  options,
  async (t) => {
    const page = await whence.open(t, { as: viewer, expectedErrors: [/status of 400/] });
    await page.goto('/rules');
    const logged = (ip: string, path: string) => `${ip} - - [x] "GET ${path} HTTP/1.1" 200 1`;
    const log = page.getByRole('textbox', { name: 'Text with requests' });
    await log.fill(`${logged('1.0.9.9', '/login')}\n${logged('8.8.8.8', '/login')}\nnonsense`);
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    const answer = page.getByText('1 of 2 requests would be refused');
    await answer.waitFor();
    await page.getByText('1 line could not be read. Line 3 has no address').waitFor();
    const rules = page.getByRole('table', { name: 'Replayed requests by rule' }).getByRole('row');
    await rules.filter({ hasText: 'no-tor-login' }).getByText('GET /login').waitFor();
    await inspectThemes(page, 'with a replayed log');
    await rules.getByRole('link', { name: '8.8.8.8' }).click();
    await page.waitForURL('**/ip/8.8.8.8');
    await page.goBack();
    await answer.waitFor();
    const changed = page.getByText('The rules have changed since: replay the log again.');
    assert.equal(await changed.isVisible(), false);
    t.after(() => writeFileSync(rulesFile(), RULES));
    writeFileSync(rulesFile(), RULES.replace('paths: [/login]', 'paths: [/admin]'));
    await changed.waitFor();
    writeFileSync(rulesFile(), RULES);
    await changed.waitFor({ state: 'hidden' });
    const file = (name: string, text: string) => ({
      name,
      mimeType: 'text/plain',
      buffer: Buffer.from(text),
    });
    const choose = page.locator('input[type=file]');
    const one = `${logged('1.0.9.9', '/login'.padEnd(1_000, 'x'))}\n`;
    const inMebibyte = Math.floor(1024 ** 2 / one.length).toLocaleString('en');
    await choose.setInputFiles(file('access.log', one.repeat(1_100)));
    await page.getByText(`${inMebibyte} of ${inMebibyte} requests would be refused`).waitFor();
    await page.getByText('Only the first 1 MiB was replayed').waitFor();
    await choose.setInputFiles(file('access.log.gz', '\0'.repeat(2 * 1024 ** 2)));
    await page.getByText('The log has no line with a request').waitFor();
    await choose.setInputFiles(file('lines.log', '\n'.repeat(100_001)));
    await page.getByText('At most 100,000 lines').waitFor();
  },
);

test('lookups: a run goes on after its person has signed in again', options, async (t) => {
  const own = await signedInAs(whence.folder, whence.url, 'Ida', 'viewer');
  const page = await whence.open(t, { as: own, expectedErrors: [/status of 401/] });
  await page.goto('/lookup');
  await page.getByRole('textbox', { name: 'Text with addresses' }).fill('8.8.8.8 1.0.9.9');
  await own.get('endAllSessions');
  await page.getByRole('button', { name: 'Look up', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has expired' });
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('2 of 2 addresses looked up').waitFor();
  assert.equal(await page.getByText('Sign in first').count(), 0);
});

test(
  'lookups: transport and networks of a domain come on request, and stay in the address',
  options,
  async (t) => {
    const page = await whence.open(t, { as: viewer });
    await page.goto('/domain/example.com?tab=records');
    await page.getByRole('button', { name: 'Show networks' }).click();
    await page
      .getByRole('table', { name: 'MX hosts' })
      .getByRole('link', { name: 'AS15169' })
      .waitFor();
    await page.getByRole('button', { name: 'Check transport security' }).click();
    await page.getByRole('region', { name: 'MTA-STS' }).getByText('v=STSv1').waitFor();
    await page.reload();
    await page.getByRole('region', { name: 'MTA-STS' }).waitFor();
    await page.getByRole('table', { name: 'MX hosts' }).waitFor();
  },
);

test(
  'lookups: a domain shows grade, records, tree, keys, policy and what to fix',
  options,
  async (t) => {
    const page = await whence.open(t, { as: viewer });
    await page.goto('/domain/example.com');
    await page
      .getByText(/Grade [A-F]/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Records' }).click();
    for (const text of ['mx.example.com', 'v=DMARC1', 'spf.example.com', /of 10 lookups/]) {
      await page.getByText(text).first().waitFor();
    }
  },
);

test('lookups: a map of countries filters by the country that is clicked', options, async (t) => {
  const page = await whence.open(t, { as: viewer });
  await page.goto('/lookup?ips=8.8.8.8%201.0.9.9&tab=charts');
  const countries = page.getByRole('img', {
    name: 'Map of 2 countries; the list of countries has the numbers',
  });
  await countries.waitFor();
  await countries.locator('[data-choosable]').first().dispatchEvent('click');
  await page.waitForURL(/country=(?:US|AU)/);
  await page.getByRole('heading', { name: '1 of 2 addresses' }).waitFor();
  await page.goto('/prefix/1.0.8.0/23');
  await page
    .getByRole('table', { name: 'Parts of the prefix' })
    .getByText('invalid')
    .first()
    .waitFor();
});

test(
  'lookups: on paper a page says what it is from, its address and when it was printed',
  options,
  async (t) => {
    const page = await whence.open(t, { as: viewer });
    await page.goto('/ip/8.8.8.8');
    await page.getByText('Datacenter of Google LLC').first().waitFor();
    const address = page.getByText(`${whence.url}/ip/8.8.8.8`, { exact: true });
    assert.ok(!(await address.isVisible()));
    await page.emulateMedia({ media: 'print' });
    assert.ok(await address.isVisible());
    const sheet = page.locator('div', { has: address }).last();
    assert.match(
      (await sheet.textContent()) ?? '',
      new RegExp(`^Whence.*${new Date().getUTCFullYear()}.* UTC$`),
    );
    assert.ok(!(await page.getByRole('combobox').first().isVisible()), 'without the lookup field');
    const colour = () =>
      page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--ok-soft'));
    const light = await colour();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    assert.equal(
      await colour(),
      light,
      'the dark theme is printed in the colours of the light one',
    );
    assert.ok(
      await page.getByText('For these, “no” means “unknown”').isVisible(),
      'what is folded is printed',
    );
    await page.goto('/domain/example.com?tab=records');
    await page.getByRole('heading', { name: 'DMARC' }).waitFor();
    assert.equal(
      await page.getByRole('heading', { name: 'More checks' }).count(),
      0,
      'a section of buttons only',
    );
  },
);

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

test(
  'lookups: a log of 5 MB is read in the browser, looked up, filtered and saved',
  options,
  async (t) => {
    const page = await whence.open(t, { as: viewer });
    await page.goto('/lookup');
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
    await page.goto('/lookup?ips=8.8.8.8%201.0.9.9%20nonsense%2010.0.0.1');
    await page.getByText('2 of 2 addresses looked up').waitFor();
    await page.getByText(/^2 addresses of 2 networks in 2 countries: 1 Tor exit\./).waitFor();
    // What was not found is not counted.
    await page.getByText('3 found: 1 private or reserved.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'CSV' }).click();
    const csv = readFileSync((await (await waiting).path()) ?? '', 'utf8');
    assert.match(csv, /8\.8\.8\.8.*Google LLC/);
    await page.getByRole('link', { name: '1.0.9.9' }).click();
    await page.getByText('Tor exit').first().waitFor();
    await page.goBack();
    await page.getByText('2 of 2 addresses looked up').waitFor();
  },
);

test('lookups: “no match” is of a filter', options, async (t) => {
  const page = await whence.open(t, { as: viewer });
  await page.goto('/lookup');
  const text = page.getByRole('textbox', { name: 'Text with addresses' });
  await text.fill('8.8.8.8 8.8.8.8 1.0.9.9 10.0.0.1 300.1.1.1');
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/lookup\/batch/, async (route) => {
    await released;
    await route.fallback();
  });
  await page.getByRole('button', { name: 'Look up', exact: true }).click();
  await page.getByRole('status', { name: 'Waiting for the first addresses' }).waitFor();
  assert.equal(await page.getByText(/no match|no address/i).count(), 0);
  release();
  await page.getByRole('heading', { name: '2 addresses' }).waitFor();
  await page.getByRole('searchbox', { name: 'Filter by address or network' }).fill('nowhere');
  await page.getByText('No address matches the filter').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
});

test(
  'lookups: a domain whose name servers fail is not a fault of this server',
  options,
  async (t) => {
    const page = await whence.open(t, { as: viewer, expectedErrors: [/status of 503/] });
    await page.goto('/domain/broken.org');
    await page.getByText('The name servers of broken.org fail: SERVFAIL, often DNSSEC').waitFor();
  },
);

test('lookups: a prefix and a network have a verdict with what is inside', options, async (t) => {
  const page = await whence.open(t, { as: viewer });
  await page.goto('/prefix/1.0.8.0/23');
  await page.getByText(/^512 .*addresses of .*: 1 Tor exit/).waitFor();
  await page.goto('/asn/64500');
  await page.getByText(/Inside: 1 Tor exit/).waitFor();
});
