/** Every figure on every page against storage, after a script of known requests. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { until } from '@whence/testing/until';
import type { Page } from 'playwright-core';
import { openStorage } from '../../storage/open-storage.ts';
import type { Permission } from '../../vocabulary.ts';
import { type DashboardClient, signedInAs } from '../dashboard/dashboard-client.ts';
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
const REFUSED = 7;

let whence: BrowserTest;
let admin: DashboardClient;
let page: Page;
let folder = '';
const ids: Record<string, string> = {};

before(async () => {
  if (NO_BROWSER !== false) return;
  folder = mkdtempSync(join(tmpdir(), 'whence-figures-'));
  writeFileSync(join(folder, 'rules.yaml'), RULES);
  whence = await BrowserTest.start({ WHENCE_RULES: join(folder, 'rules.yaml') });
  admin = await signedInAs(whence.folder, whence.url, 'Ada', 'admin');
  const secrets: Record<string, string> = { none: '' };
  for (const [name, permissions] of [
    ['busy', ['ip:read', 'decide:read']],
    ['narrow', ['ip:read']],
    ['paused', ['ip:read']],
    ['files', ['database:read']],
  ] as [string, Permission[]][]) {
    const { key, secret } = await admin.get('createKey', { body: { name, tier: 'free', permissions } });
    [ids[name], secrets[name]] = [key.id, secret];
  }
  await admin.get('pauseKey', { params: { id: ids['paused'] ?? '' } });
  const hasFiles = async () => (await admin.get('getDatabases')).files.length > 0;
  await until('the files are written', hasFiles, { everyMs: 500 });
  for (const [name, path, times, status] of SCRIPT)
    for (let i = 0; i < times; i++) {
      const answer = await fetch(`${whence.url}/v1/${path}`, { headers: { 'X-API-Key': secrets[name] ?? '' } });
      assert.equal(answer.status, status, `${name} ${path}`);
    }
  await admin.get('lookUpIp', { params: { ip: '8.8.8.8' } });
  await until('everything is stored', async () => (await stored()).requests === REQUESTS, { everyMs: 500 });
  page = await whence.open(undefined, { as: admin });
});
after(async () => {
  if (NO_BROWSER !== false) return;
  await whence.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Sums of the tables. */
async function stored() {
  const storage = await openStorage(whence.folder.location);
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
  const entry = page.locator('dl > div').filter({ has: page.locator('dt').getByText(name, { exact: true }) });
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
    { requests: REQUESTS, refused: REFUSED, decisions: 10, lookups: 0, usage: 23, downloads: 3 },
  );
});

test('figures: the overview has requests, refusals and decisions apart', options, async () => {
  await open('/');
  const { lookups } = await stored();
  assert.match(await figure('API requests today'), new RegExp(`^${REQUESTS} \\|`));
  assert.match(await figure('Refused, 24 h'), new RegExp(`^${REFUSED} \\|`));
  assert.equal(await figure('Decisions today'), '10 | 4 allowed, 5 denied, 1 observed');
  assert.match(await figure('From cache, 24 h'), new RegExp(`${lookups} address lookups?$`));
  const shares = page.getByRole('region', { name: 'Most requests today' }).getByRole('listitem');
  assert.deepEqual(
    (await shares.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')),
    ['busy 17 · 73.9%', 'files 3 · 13%', 'narrow 2 · 8.7%', 'Ada (dashboard) 1 · 4.3%'],
  );
  const chart = page.getByRole('region', { name: 'Traffic' });
  for (const period of ['24 h', '7 d', '30 d']) {
    await chart.getByText(period, { exact: true }).click();
    await chart.getByText(`Refused, ${period}`).waitFor();
    assert.match(await figure(`Refused, ${period}`), new RegExp(`^${REFUSED} \\|`));
    await chart.getByRole('button', { name: /table/i }).click();
    const cells = (await chart.locator('tbody tr').allInnerTexts()).map((row) => row.split('\t').slice(-2).map(Number));
    const sumOf = (column: number) => cells.reduce((sum, row) => sum + (row[column] ?? 0), 0);
    assert.deepEqual([sumOf(0), sumOf(1)], [REQUESTS - REFUSED, REFUSED], period);
  }
});

test('figures: usage counts keys and lookups in the dashboard, and refusals by reason', options, async () => {
  await open('/usage');
  assert.match(await figure('Requests'), /^23 \|/);
  // Two addresses without data, two requests without the permission; the five denials are answers.
  assert.match(await figure('4xx responses'), /^4 \|/);
  assert.match(await figure('5xx responses'), /^0 \|/);
  assert.equal(await figure('Without a valid key (401)'), '5');
  assert.equal(await figure('Without permission (403)'), '2');
  assert.equal(await figure('Rate limit exceeded (429)'), '0');
  const shares = page.getByRole('region', { name: 'By endpoint' }).getByRole('listitem');
  assert.deepEqual(
    (await shares.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')),
    ['decide 10 · 43.5%', 'ip 8 · 34.8%', 'database 3 · 13%', 'asn 2 · 8.7%'],
  );
});

test('figures: databases have the downloads of each key and file', options, async () => {
  await open('/data?tab=databases');
  const currentTab = page.getByRole('navigation', { name: 'Parts of this page' }).locator('[aria-current=page]');
  assert.equal(await currentTab.innerText(), 'Databases');
  const rows = await page.getByRole('table', { name: 'Downloads' }).locator('tbody tr').allInnerTexts();
  assert.deepEqual(
    rows.map((row) => row.split('\t').slice(0, 4).join(' ').replace(/\s+/g, ' ')),
    ['files country 1 3'],
  );
  await open('/data');
  assert.equal(await currentTab.innerText(), 'Updates');
});

test('figures: rules have their matches of today', options, async () => {
  await open('/rules');
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
    await open(`/settings/keys?q=${name}`);
    const row = page.getByRole('row', { name: new RegExp(name) });
    await row.getByText(`${used} of 1,000`).waitFor();
    await row.getByRole('img', { name: `${used} requests in 24 hours` }).waitFor();
    await open(`/settings/keys/${ids[name]}`);
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
      await page.getByText('By endpoint').click();
      await page.getByText(`${used} requests in 30 days`).first().waitFor();
    }
    const rows = await page.getByRole('table', { name: 'Refused requests' }).locator('tbody tr').allInnerTexts();
    assert.deepEqual(
      rows.map((row) => row.split('\t').slice(0, 3).join(' ')),
      refused,
    );
  });
