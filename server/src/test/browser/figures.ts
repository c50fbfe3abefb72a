/**
 * Every figure on every page against storage and the client's headers, after a script of known
 * requests: with and without a key, lookups in the dashboard, decisions, refusals, a crash.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { until } from '@whence/testing/until';
import type { Page } from 'playwright-core';
import type { Permission } from '../../vocabulary.ts';
import { type DashboardClient, signedInAs } from '../dashboard/dashboard-client.ts';
import { openTestStorage } from '../storage/engines.ts';
import { BrowserTest, NO_BROWSER } from './browser.ts';
import { settle } from './page-walk.ts';

const options = { skip: NO_BROWSER };

/** A rule may deny with a status that refusals have too. */
const RULES = `sets:
  default:
    default: allow
    rules:
      - { name: no-tor, if: { flags: tor_exit }, then: deny }
      - { name: slow-down, if: { prefixes: 9.0.0.0/16 }, then: deny, status: 429 }
  watched: { mode: observe, default: deny }
`;

/** Which key asks, what for, how often, and the status of the answer. */
const SCRIPT = [
  ['busy', 'ip/8.8.8.8', 5, 200],
  ['busy', 'ip/10.0.0.1', 2, 404],
  ['busy', 'decide?ip=8.8.8.8', 4, 204],
  ['busy', 'decide?ip=1.0.9.9', 3, 403],
  ['busy', 'decide?ip=9.0.0.1', 2, 429],
  ['busy', 'decide?ip=8.8.8.8&set=watched', 1, 204],
  ['narrow', 'asn/15169', 2, 403],
  ['paused', 'ip/8.8.8.8', 2, 401],
  ['none', 'ip/8.8.8.8', 3, 401],
  ['files', 'databases/country.mmdb', 3, 200],
] as const;

const REQUESTS = 27;
const WITHOUT_KEY = 5;
const REFUSED = 7;

let whence: BrowserTest;
let admin: DashboardClient;
let page: Page;
let folder = '';
const ids: Record<string, string> = {};
const secrets: Record<string, string> = { none: '' };

before(async () => {
  if (NO_BROWSER !== false) return;
  folder = mkdtempSync(join(tmpdir(), 'whence-figures-'));
  writeFileSync(join(folder, 'rules.yaml'), RULES);
  whence = await BrowserTest.start({ WHENCE_RULES: join(folder, 'rules.yaml') });
  admin = await signedInAs(whence.folder, whence.url, 'Ada', 'admin');
  for (const [name, permissions] of [
    ['busy', ['ip:read', 'decide:read']],
    ['narrow', ['ip:read']],
    ['paused', ['ip:read']],
    ['files', ['database:read']],
  ] as [string, Permission[]][]) {
    const { key, secret } = await admin.get('createKey', {
      body: { name, tier: 'free', permissions },
    });
    ids[name] = key.id;
    secrets[name] = secret;
  }
  await admin.get('pauseKey', { params: { id: ids['paused'] ?? '' } });
  const hasFiles = async () => (await admin.get('getDatabases')).files.length > 0;
  await until('the files are written', hasFiles, { everyMs: 500 });
  for (const [name, path, times, status] of SCRIPT)
    for (let i = 0; i < times; i++) {
      const answer = await fetch(`${whence.url}/v1/${path}`, {
        headers: { 'X-API-Key': secrets[name] ?? '' },
      });
      assert.equal(answer.status, status, `${name} ${path}`);
    }
  await admin.get('lookUpIp', { params: { ip: '8.8.8.8' } });
  await until('everything is stored', async () => (await stored()).requests === REQUESTS, {
    everyMs: 500,
  });
  // Days and hours are of UTC, wherever the browser is: there it may be tomorrow.
  page = await whence.open(undefined, { as: admin, timezoneId: 'Pacific/Kiritimati' });
});
after(async () => {
  if (NO_BROWSER !== false) return;
  await whence.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Sums of the tables. */
async function stored() {
  const storage = await openTestStorage(whence.folder.location);
  try {
    const traffic = await storage.traffic.since(0);
    const sum = (pattern: RegExp) =>
      traffic.reduce((total, { counter, count }) => total + (pattern.test(counter) ? count : 0), 0);
    const usage = await storage.usage.sums({ from: '2000-01-01', to: '2100-01-01' }, 'endpoint');
    return {
      requests: sum(/^requests (?!healthz|readyz|none)/),
      refused: sum(/^refused /),
      decisions: sum(/^decision /),
      lookups: sum(/^cache /),
      downloads: sum(/^download /),
      usage: usage.reduce((total, { requests }) => total + requests, 0),
    };
  } finally {
    await storage.close();
  }
}

/** The value of a name in a list of facts or figures, with its note. */
async function figure(name: string): Promise<string> {
  const entry = page
    .locator('dl > div')
    .filter({ has: page.locator('dt').getByText(name, { exact: true }) });
  return (await entry.locator('dd').allInnerTexts()).join(' | ');
}

async function open(path: string): Promise<void> {
  await page.goto(path);
  await settle(page);
}

test('figures: storage has every request of the script once', options, async () => {
  const sums = await stored();
  assert.deepEqual(
    { ...sums, lookups: 0 },
    {
      requests: REQUESTS,
      refused: REFUSED,
      decisions: 10,
      lookups: 0,
      usage: REQUESTS + 1,
      downloads: 3,
    },
  );
});

test('figures: home has requests, refusals and decisions apart', options, async () => {
  await open('/');
  const { lookups } = await stored();
  assert.match(
    await figure('API requests today, UTC'),
    /^27 \| 22 with a key, 5 without a valid one; 1 dashboard lookup apart/,
  );
  assert.match(await figure('Refused, 24 h'), new RegExp(`^${REFUSED} \\|`));
  assert.equal(await figure('Decisions today, UTC'), '10 | 4 allowed, 5 denied, 1 observed');
  assert.match(await figure('From cache, 24 h'), new RegExp(`${lookups} address lookups?$`));
  const shares = page.getByRole('region', { name: 'Most requests today' }).getByRole('listitem');
  assert.deepEqual(
    (await shares.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')),
    ['busy 17 · 63%', 'without a valid key 5 · 18.5%', 'files 3 · 11.1%', 'narrow 2 · 7.4%'],
  );
  const chart = page.getByRole('region', { name: 'Traffic' });
  for (const period of ['24 h', '7 d', '30 d']) {
    await chart.getByText(period, { exact: true }).click();
    await chart.getByText(`Refused, ${period}`).waitFor();
    assert.match(await figure(`Refused, ${period}`), new RegExp(`^${REFUSED} \\|`));
    await chart.getByRole('button', { name: /table/i }).click();
    const cells = (await chart.locator('tbody tr').allInnerTexts()).map((row) =>
      row.split('\t').slice(-2).map(Number),
    );
    const sumOf = (column: number) => cells.reduce((sum, row) => sum + (row[column] ?? 0), 0);
    assert.deepEqual([sumOf(0), sumOf(1)], [REQUESTS - REFUSED, REFUSED], period);
  }
});

test(
  'figures: usage has the same requests, and refusals by reason for all keys alone',
  options,
  async () => {
    await open('/keys/usage');
    assert.match(await figure('API requests'), /^27 \| 22 with a key, 5 without a valid one/);
    // Two addresses without data, two requests without the permission, five without a valid key;
    // the five denials are answers.
    assert.match(await figure('4xx responses'), /^9 \|/);
    assert.match(await figure('5xx responses'), /^0 \|/);
    assert.equal(await figure('Without a valid key (401)'), String(WITHOUT_KEY));
    assert.equal(await figure('Without permission (403)'), '2');
    assert.equal(await figure('Rate limit exceeded (429)'), '0');
    const shares = page.getByRole('region', { name: 'By endpoint' }).getByRole('listitem');
    assert.deepEqual(
      (await shares.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')),
      ['ip 12 · 44.4%', 'decide 10 · 37%', 'database 3 · 11.1%', 'asn 2 · 7.4%'],
    );
    await open(`/keys/usage?key=${ids['busy']}`);
    assert.match(await figure('API requests'), /^17 \| in/);
    assert.equal(await page.getByText('Response time').count(), 0);
  },
);

test('figures: databases have the downloads of each key and file', options, async () => {
  await open('/data?tab=databases');
  const currentTab = page
    .getByRole('navigation', { name: 'Parts of this page' })
    .locator('[aria-current=page]');
  assert.equal(await currentTab.innerText(), 'Databases and lists');
  const rows = await page
    .getByRole('table', { name: 'Downloads' })
    .locator('tbody tr')
    .allInnerTexts();
  assert.deepEqual(
    rows.map((row) => row.split('\t').slice(0, 4).join(' ').replace(/\s+/g, ' ')),
    ['files country 1 3'],
  );
  await open('/data');
  assert.equal(await currentTab.innerText(), 'Updates');
});

test('figures: rules have their matches of today', options, async () => {
  await open('/rules');
  await page
    .getByText('10 requests decided today, UTC: 4 allowed, 5 denied, 1 observed.')
    .waitFor();
  const matches = async (set: string) =>
    (
      await page
        .getByRole('table', { name: `Rules of ${set}` })
        .locator('tbody tr td:last-child')
        .allInnerTexts()
    ).join();
  assert.deepEqual([await matches('default'), await matches('watched')], ['3,2,4', '1']);
});

for (const [name, used, refused] of [
  ['busy', 17, []],
  ['narrow', 2, ['the key lacks the permission 403 2']],
  ['paused', 0, ['the key is paused 401 2']],
] as const)
  test(`figures: the list and the page of the key ${name} have its requests`, options, async () => {
    await open(`/keys?q=${name}`);
    const row = page.getByRole('row', { name: new RegExp(name) });
    await row.getByText(`${used} of 1,000`).waitFor();
    await row.getByRole('img', { name: `${used} requests in 24 hours` }).waitFor();
    await open(`/keys/${ids[name]}`);
    await page.getByText(`${used} of 1,000 today`).waitFor();
    if (used > 0) {
      await page.getByText(`${used} requests in 24 hours`).first().waitFor();
      await page.getByRole('button', { name: 'Show as table' }).click();
      const hours = await page
        .getByRole('table', { name: /in 24 hours/ })
        .locator('tbody tr')
        .allInnerTexts();
      assert.equal(hours.length, 24);
      assert.equal(
        hours.reduce((sum, hour) => sum + Number(hour.split('\t').at(-1)), 0),
        used,
      );
      await page.getByRole('link', { name: 'By day' }).click();
      await page
        .getByRole('combobox', { name: 'Key' })
        .and(page.locator(`[value=${name}]`))
        .waitFor();
      await settle(page);
      assert.match(await figure('API requests'), new RegExp(`^${used} \\| in 30 days`));
      await page.goBack();
    }
    const rows = await page
      .getByRole('table', { name: 'Refused requests' })
      .locator('tbody tr')
      .allInnerTexts();
    assert.deepEqual(
      rows.map((row) => row.split('\t').slice(0, 3).join(' ')),
      refused,
    );
  });

test('figures: an address page is one lookup, whatever it shows', options, async () => {
  await open('/ip/8.8.8.4?include=hostname');
  await page.getByRole('region', { name: 'Over time' }).waitFor();
  await open('/ip/9.0.0.1');
  await until('both are stored', async () => (await stored()).usage === REQUESTS + 3, {
    everyMs: 500,
  });
  await open('/');
  assert.match(await figure('API requests today, UTC'), /3 dashboard lookups apart/);
});

test('figures: after a crash the bar of a key says what its client reads', options, async (t) => {
  const use = async () => {
    const headers = { 'X-API-Key': secrets['busy'] ?? '' };
    return (await fetch(`${whence.url}/v1/ip/8.8.8.8`, { headers })).headers;
  };
  for (let i = 0; i < 9; i++) await use();
  // It would go on asking at the address from before the crash.
  await page.goto('about:blank');
  await whence.crash();
  const shown = await whence.open(t, {
    as: await signedInAs(whence.folder, whence.url, 'Bea', 'admin'),
  });
  const answer = await use();
  const used =
    Number(answer.get('X-RateLimit-Limit')) - Number(answer.get('X-RateLimit-Remaining'));
  assert.ok(used >= 17 + 9 + 1, `${used}`);
  await shown.goto(`/keys?q=busy`);
  await shown.getByText(`${used} of 1,000`).waitFor();
  await shown.goto(`/keys/${ids['busy']}`);
  await shown.getByText(`${used} of 1,000 today`).waitFor();
});
