/**
 * API keys in a real browser, with the API as their other end: from creation to revocation, and
 * rotation.
 */
import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { until } from '@whence/testing/until';
import type { Page } from 'playwright-core';
import type { KeySummary } from '../../dashboard/wire/keys.ts';
import { makeSecret } from '../../keys/secret.ts';
import { type DashboardClient, signedInAs } from '../dashboard/dashboard-client.ts';
import { type BrowserTest, heading, NO_BROWSER } from './browser.ts';
import { inspectThemes, PHONE } from './inspect.ts';
import { sharedSignIn, sharedWhence } from './shared-whence.ts';

const options = { skip: NO_BROWSER };
let whence: BrowserTest;
let member: DashboardClient;

before(async () => {
  if (NO_BROWSER !== false) return;
  whence = await sharedWhence();
  member = await sharedSignIn('Grace', 'member');
});

const use = async (secret: string) =>
  (await fetch(`${whence.url}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': secret } })).status;

/** Fills in the dialog; the answer is the key as the page shows it. */
async function createKey(page: Page, name: string): Promise<string> {
  await page.goto('/keys');
  await page.getByRole('button', { name: 'Create key' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('button', { name: 'Create key' }).click();
  return (await page.getByRole('group', { name: 'API key', exact: true }).textContent()) ?? '';
}

async function revoke(page: Page, name: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  const confirm = dialog.getByRole('button', { name: 'Revoke key' });
  await dialog.getByLabel(/Type the name/).fill('another');
  assert.ok(await confirm.isDisabled(), 'another name does not do');
  await dialog.getByLabel(/Type the name/).fill(name);
  await confirm.click();
  await dialog.waitFor({ state: 'detached' });
}

test('keys: created, copied, used, seen in use, revoked', options, async (t) => {
  const page = await whence.open(t, { as: member });
  const secret = await createKey(page, 'mail gateway');
  await page.getByText('Waiting for the first request').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByText('The key was not copied').waitFor();
  await page.getByRole('button', { name: 'Copy API key' }).click();
  await page.getByRole('button', { name: 'Done' }).waitFor();
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), secret);
  assert.equal(await use(secret), 200);
  await page.getByText(/It works: 200 from 127\.0\.0\.1/).waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  assert.ok(!(await page.content()).includes(secret), 'the key is gone with its dialog');

  await page.getByRole('link', { name: /mail gateway/ }).click();
  await heading(page).filter({ hasText: 'mail gateway' }).waitFor();
  for (let i = 0; i < 2; i++) await use(secret);
  await until('the page shows three requests', async () => {
    await page.reload();
    await heading(page).filter({ hasText: 'mail gateway' }).waitFor();
    await page.getByText(/of 1,000 today/).waitFor();
    return (await page.getByText('3 of 1,000 today').count()) > 0;
  });
  await page.getByRole('button', { name: 'Revoke key' }).click();
  await revoke(page, 'mail gateway');
  assert.equal(await use(secret), 401);
  await page
    .getByText(/revoked/i)
    .first()
    .waitFor();
  assert.equal(await page.getByRole('button', { name: 'Revoke key' }).count(), 0);
  assert.equal(await use(secret), 401);
  await page.getByText(/^2 requests, the last one/).waitFor();
  await page.getByText(/from 127\.0\.0\.1, answered 200/).waitFor();
});

test(
  'keys: one is created with its restrictions, and what is refused is said at its field',
  options,
  async (t) => {
    const page = await whence.open(t, { as: member, expectedErrors: [/status of 400/] });
    await page.goto('/keys?create=yes');
    const dialog = page.getByRole('dialog');
    const create = dialog.getByRole('button', { name: 'Create key' });
    await dialog.getByLabel('Name').fill('partner');
    await dialog.getByText('Note, expiry, client networks, limits').click();
    await dialog.getByLabel('Note').fill('until the contract ends');
    await dialog.getByLabel('Requests per second').fill('20');
    for (const [label, wrong, rule, right] of [
      [
        'Expires',
        '2020-01-31T12:30',
        /^The expiry must be a time in the future/,
        '2098-01-31T12:30',
      ],
      [
        'Allowed client networks',
        'office',
        /^Line 1: "office" is neither an address nor a prefix/,
        '192.0.2.0/24',
      ],
    ] as const) {
      const field = dialog.getByLabel(label);
      await field.fill(wrong);
      await create.click();
      await dialog.getByText(rule).waitFor();
      assert.equal(await field.getAttribute('aria-invalid'), 'true', label);
      await field.fill(right);
    }
    await create.click();
    const secret =
      (await page.getByRole('group', { name: 'API key', exact: true }).textContent()) ?? '';
    assert.equal(await use(secret), 401, 'this machine is in another network');
    const { keys } = await member.get('listKeys', { query: { q: 'partner' } });
    const [key] = keys;
    assert.deepEqual(
      [key?.note, key?.requests_per_second, key?.allowed_networks, key?.expires_at?.slice(0, 4)],
      ['until the contract ends', 20, ['192.0.2.0/24'], '2098'],
    );
  },
);

test('keys: rotation is left and come back to, and ends with the old key', options, async (t) => {
  const page = await whence.open(t, { as: member });
  const old = await createKey(page, 'crawler');
  await page.getByRole('button', { name: 'Copy API key' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: /crawler/ }).click();
  await page.getByRole('link', { name: 'Rotate' }).click();
  await page.getByRole('button', { name: 'Create successor' }).click();
  const next =
    (await page.getByRole('group', { name: 'API key', exact: true }).textContent()) ?? '';
  assert.deepEqual([await use(old), await use(next)], [200, 200]);
  await page.getByRole('link', { name: 'Data', exact: true }).first().click();
  await page.getByText('Leave without the key?').waitFor();
  await page.getByRole('button', { name: 'Stay' }).click();
  await page.getByRole('button', { name: 'Copy API key' }).click();
  await page.getByRole('link', { name: 'Data', exact: true }).first().click();
  await heading(page).filter({ hasText: 'Dataset' }).waitFor();
  await page.goBack();
  await page.getByRole('table', { name: 'Both keys' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Create successor' }).count(), 0);
  await page.getByRole('button', { name: 'Revoke old key' }).click();
  await revoke(page, 'crawler');
  await page.getByText('The rotation is complete').waitFor();
  assert.deepEqual([await use(old), await use(next)], [401, 200]);
  await page
    .getByText(/The successor was first used: .* from 127\.0\.0\.1, answered 200/)
    .waitFor();
  await page.getByText(/Refused with 401: 1 request, (just now|\d+ minutes? ago) from/).waitFor();
});

test(
  'keys: a drawer says what clients will notice, and what is saved holds for them at once',
  options,
  async (t) => {
    const body = { name: 'shop', tier: 'starter', permissions: ['ip:read'] };
    const { key, secret } = await member.get('createKey', { body });
    assert.equal(await use(secret), 200);
    const isCounted = async () =>
      (await member.get('getKey', { params: { id: key.id } })).key.quota.used === 1;
    await until('the request is counted', isCounted);
    const page = await whence.open(t, { as: member, expectedErrors: [/status of 400/] });
    await page.goto('/keys?q=shop');
    await page.getByText('1 key', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Actions for shop' }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    const drawer = page.getByRole('dialog', { name: 'Edit “shop”' });
    const save = drawer.getByRole('button', { name: 'Save' });
    assert.ok(await save.isDisabled(), 'nothing is changed yet');
    await drawer.getByLabel('Tier').selectOption('free');
    await drawer
      .getByText(/1,000 requests a day\. 999 requests remain today\. Batches of up to 10 addresses/)
      .waitFor();
    await page.keyboard.press('Escape');
    await drawer.getByText('Discard what you have entered?').waitFor();
    await inspectThemes(page, 'a question before changes are discarded');
    await drawer.getByRole('button', { name: 'Keep editing' }).click();
    // The rule names the network of line 3, which is right.
    await drawer
      .getByLabel('Allowed client networks')
      .fill('2001:db8::/32\n192.0.2.7/24\n192.0.2.0/24');
    await drawer.getByText(/Clients with another address are refused with 401/).waitFor();
    await save.click();
    await drawer
      .getByText(
        /Line 2: 192\.0\.2\.7\/24 has bits behind its length; the network is 192\.0\.2\.0\/24/,
      )
      .waitFor();
    assert.equal(await use(secret), 200, 'nothing was saved');
    const isFocused = (element: Element) => element === document.activeElement;
    await until('the refused field has the focus', () =>
      drawer.getByLabel('Allowed client networks').evaluate(isFocused),
    );
    await drawer.getByLabel('Allowed client networks').fill('192.0.2.0/24\n2001:db8::/32');
    await save.click();
    await drawer.waitFor({ state: 'detached' });
    assert.equal(await use(secret), 401);
    await page.getByRole('link', { name: 'shop' }).click();
    await page.getByText('192.0.2.0/24, 2001:db8::/32').first().waitFor();
    await page.getByText('changed the networks of a key').waitFor();
    const { key: saved } = await member.get('getKey', { params: { id: key.id } });
    assert.deepEqual(
      [saved.tier, saved.allowed_networks],
      ['free', ['192.0.2.0/24', '2001:db8::/32']],
    );
  },
);

test(
  'keys: paused and resumed from the list, and revoked keys are behind a toggle',
  options,
  async (t) => {
    const body = { name: 'pausable', tier: 'free', permissions: ['ip:read'] };
    const { key, secret } = await member.get('createKey', { body });
    const page = await whence.open(t, { as: member });
    await page.goto('/keys?q=pausable');
    const menu = page.getByRole('button', { name: 'Actions for pausable' });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Pause…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause key' }).click();
    const row = page.getByRole('row', { name: /pausable/ });
    await row.getByText('paused', { exact: true }).waitFor();
    assert.equal(await use(secret), 401);
    await menu.click();
    await page.getByRole('menuitem', { name: 'Resume' }).click();
    await row.getByText('active', { exact: true }).waitFor();
    assert.equal(await use(secret), 200);
    await member.get('revokeKey', { params: { id: key.id }, body: { name: 'pausable' } });
    await page.reload();
    await page.getByText('No key matches').waitFor();
    await page.getByLabel('Show revoked').check();
    await row.getByText('revoked', { exact: true }).waitFor();
    await menu.click();
    assert.deepEqual(await page.getByRole('menuitem').allTextContents(), ['Copy id']);
    await page.getByRole('menuitem', { name: 'Copy id' }).click();
    await until(
      'the id is copied',
      async () => (await page.evaluate('navigator.clipboard.readText()')) === key.id,
    );
  },
);

test('keys: several are paused, get another tier and are revoked', options, async (t) => {
  const names = ['batch one', 'batch two'];
  const body = { tier: 'free', permissions: ['ip:read'] };
  const made = await Promise.all(
    names.map((name) => member.get('createKey', { body: { ...body, name } })),
  );
  const page = await whence.open(t, { as: member });
  await page.goto('/keys?q=batch');
  const act = async (button: string, confirm: RegExp) => {
    for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    await page.getByText('2 keys selected').waitFor();
    await page.getByRole('button', { name: button }).click();
    await inspectThemes(page, button);
    const dialog = page.getByRole('dialog');
    if (button === 'Change tier…') await dialog.getByLabel('Tier').selectOption('pro');
    if (button === 'Revoke…') await dialog.getByLabel(/^Type the number of keys/).fill('2');
    await dialog.getByRole('button', { name: confirm }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  const keys = () =>
    Promise.all(made.map(({ key: { id } }) => member.get('getKey', { params: { id } })));
  await act('Pause…', /^Pause 2 keys/);
  assert.deepEqual(await Promise.all(made.map(({ secret }) => use(secret))), [401, 401]);
  await act('Change tier…', /^Change the tier of 2 keys/);
  assert.deepEqual(
    (await keys()).map(({ key }) => `${key.tier} ${key.state}`),
    ['pro paused', 'pro paused'],
  );
  await act('Revoke…', /^Revoke 2 keys/);
  assert.deepEqual(
    (await keys()).map(({ key }) => key.status),
    ['revoked', 'revoked'],
  );
  await page.getByText('No key matches').waitFor();
});

test(
  'keys: what has happened is in the past on a machine whose clock is wrong',
  options,
  async (t) => {
    const body = { name: 'late', tier: 'free', permissions: ['ip:read'] };
    const { key } = await member.get('createKey', { body });
    await member.get('revokeKey', { params: { id: key.id }, body: { name: 'late' } });
    const page = await whence.open(t, { as: member });
    for (const minutes of [-10, 10]) {
      await page.clock.setFixedTime(Date.now() + minutes * 60_000);
      await page.goto(`/keys/${key.id}`);
      await page.getByText(/revoked (just now|1 minute ago) by Grace/).waitFor();
    }
  },
);

test(
  'keys: a rotation schedules the revocation of the old key, which can be cancelled',
  options,
  async (t) => {
    const body = { name: 'scheduled', tier: 'free', permissions: ['ip:read'] };
    const { key } = await member.get('createKey', { body });
    const page = await whence.open(t, { as: member });
    await page.goto(`/keys/${key.id}/rotate`);
    await page.getByLabel('The old key ends').selectOption('24');
    await page.getByRole('button', { name: 'Create successor' }).click();
    await page.getByRole('button', { name: 'Copy API key' }).click();
    await page.getByText(/Will be revoked in 2[34] hours|Will be revoked tomorrow/).waitFor();
    await page.getByRole('button', { name: 'Cancel the revocation' }).click();
    await page.getByText('Will be revoked').waitFor({ state: 'detached' });
    assert.equal((await member.get('getKey', { params: { id: key.id } })).key.revoke_at, undefined);
  },
);

test('keys: markup in a name is text on every page that shows it', options, async (t) => {
  const admin = await signedInAs(whence.folder, whence.url, 'Annie', 'admin');
  const name = '<img src=x onerror="document.title=1">"\'&amp;';
  const page = await whence.open(t, { as: admin });
  await createKey(page, name);
  await page.getByRole('button', { name: 'Copy API key' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  const { keys } = await admin.get('listKeys', { query: { q: '<img' } });
  const id = keys[0]?.id ?? '';
  await admin.get('rotateKey', { params: { id }, body: {} });
  for (const path of [`/keys`, `/keys/${id}`, `/keys/${id}/rotate`, '/settings/audit']) {
    await page.goto(path);
    await page.getByText(name).first().waitFor();
    assert.equal(await page.locator('img').count(), 0, path);
  }
});

test('keys: filter and order are in the address, and survive a reload', options, async (t) => {
  for (const name of ['alpha', 'beta']) {
    await member.get('createKey', { body: { name, tier: 'pro', permissions: ['ip:read'] } });
  }
  const page = await whence.open(t, { as: member });
  await page.goto('/keys');
  await page.getByRole('combobox', { name: 'Tier' }).selectOption('pro');
  await page.getByRole('button', { name: 'Name and key' }).click();
  await page.waitForURL(/tier=pro.*sort=name|sort=name.*tier=pro/);
  const names = async () =>
    (await page.getByRole('link', { name: /alpha|beta|crawler/ }).allTextContents()).join();
  await until('sorted by name', async () => /^alpha.*beta/.test(await names()));
  await page.reload();
  await until('still sorted by name', async () => /^alpha.*beta/.test(await names()));
  await page.getByRole('searchbox', { name: 'Search keys' }).fill('no such key');
  await page.getByText('No key matches').waitFor();
  await page.getByRole('button', { name: 'Show all keys' }).click();
  await page.getByRole('link', { name: /alpha/ }).waitFor();
});

/** Pastes as a person does, from the clipboard. */
async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((content) => navigator.clipboard.writeText(content), text);
  await page.keyboard.press('Control+v');
}

for (const [place, focus] of [
  ['the lookup field', (page: Page) => page.keyboard.press('Control+k')],
  [
    'the search of keys',
    (page: Page) => page.getByRole('searchbox', { name: 'Search keys' }).focus(),
  ],
] as const) {
  test(
    `keys: a leaked key pasted into ${place} is revoked with two clicks and is in no URL`,
    options,
    async (t) => {
      const name = `leaked in ${place}`;
      const { secret } = await member.get('createKey', {
        body: { name, tier: 'free', permissions: ['ip:read'] },
      });
      const page = await whence.open(t, { as: member });
      const requests: string[] = [];
      page.on('request', (request) =>
        requests.push(`${request.url()} ${JSON.stringify(request.headers())}`),
      );
      await page.goto('/keys');
      await page.getByRole('link', { name }).waitFor();
      await focus(page);
      await paste(page, `WHENCE_KEY=${secret}`);
      if (place === 'the lookup field') {
        await page.getByRole('option', { name }).waitFor();
        await page.keyboard.press('Enter');
      }
      await page.waitForURL('**/keys/*?pasted=yes');
      await page.getByRole('button', { name: 'Revoke this key' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
      await page.getByText('The key that you pasted is revoked').waitFor();
      assert.equal(await use(secret), 401);
      const kept = await page.evaluate(() =>
        JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]),
      );
      assert.deepEqual(
        [...requests, kept, await page.content()].filter((text) =>
          text.includes(secret.slice(7, 20)),
        ),
        [],
      );
    },
  );
}

for (const [behaviour, textOf, message] of [
  [
    'a part of a key',
    (secret: string) => secret.slice(0, 30),
    /a part of it is missing or mistyped/,
  ],
  ['a key of another server', () => makeSecret(), /None of your keys has this secret/],
] as const) {
  test(`keys: ${behaviour} in the lookup field is searched for nowhere`, options, async (t) => {
    const page = await whence.open(t, { as: member, expectedErrors: [/status of 404/] });
    const urls: string[] = [];
    page.on('request', (request) => urls.push(request.url()));
    await page.goto('/keys');
    await heading(page).waitFor();
    await page.keyboard.press('Control+k');
    const text = textOf(makeSecret());
    await paste(page, text);
    await page.getByText(message).waitFor();
    assert.deepEqual(
      urls.filter((url) => url.includes(text.slice(0, 18))),
      [],
    );
  });
}

test(
  'keys: the page of a key says why it was refused, and that its limit is near',
  options,
  async (t) => {
    const body = { name: 'refused gateway', tier: 'free', permissions: ['ip:read'] };
    const { key, secret } = await member.get('createKey', { body });
    const ask = (path: string) =>
      fetch(`${whence.url}/v1/${path}`, { headers: { 'X-API-Key': secret } });
    assert.equal((await ask('asn/15169')).status, 403);
    await member.get('pauseKey', { params: { id: key.id } });
    assert.equal((await ask('ip/8.8.8.8')).status, 401);
    await until('both refusals are written', async () => {
      const { refusals } = await member.get('getKey', { params: { id: key.id } });
      return refusals.length === 2;
    });
    const page = await whence.open(t, { as: member });
    await page.route(new RegExp(`api/keys/${key.id}$`), async (route) => {
      const response = await route.fetch();
      const { data, meta } = (await response.json()) as { data: { key: KeySummary }; meta: object };
      const near = { ...data.key, state: 'active', quota: { ...data.key.quota, used: 812 } };
      await route.fulfill({ response, json: { data: { ...data, key: near }, meta } });
    });
    await page.goto(`/keys/${key.id}`);
    const table = page.getByRole('table', { name: 'Refused requests' });
    await table.getByText('the key is paused').waitFor();
    await table.getByText('the key lacks the permission').waitFor();
    await table.getByText('asn:read').waitFor();
    await page.getByText('81% used').waitFor();
    await page.getByText('some were refused: the key lacks the permission.').waitFor();
    await inspectThemes(page, 'wide');
    await page.setViewportSize(PHONE);
    await inspectThemes(page, 'phone');
    await page.unrouteAll({ behavior: 'wait' });
  },
);

for (const [behaviour, body, message] of [
  [
    'without keys',
    '{"data":{},"meta":{}}',
    'The answer of the server is not what this page expects',
  ],
  ['without data', '{"data":null,"meta":{}}', 'The answer cannot be read'],
  ['that is no JSON', '<html>', 'The answer cannot be read'],
] as const) {
  test(`keys: an answer ${behaviour} is a failure that the page explains`, options, async (t) => {
    const page = await whence.open(t, { as: member, expectedErrors: [/TypeError/] });
    await page.route(/api\/keys\?/, (route) =>
      route.fulfill({ contentType: 'application/json', body }),
    );
    await page.goto('/keys');
    await page.getByText(message).waitFor();
    assert.equal(await page.getByRole('table').count(), 0);
    await page.unrouteAll({ behavior: 'wait' });
  });
}

test('keys: while the server is away, the list stays beside what is wrong', options, async (t) => {
  const body = { name: 'listed', tier: 'free', permissions: ['ip:read'] };
  await member.get('createKey', { body });
  const page = await whence.open(t, { as: member, expectedErrors: [/ERR_FAILED/] });
  await page.clock.install();
  await page.goto('/keys');
  const table = page.getByRole('table', { name: 'API keys' });
  await table.waitFor();
  await page.route(/api\/keys\?/, (route) => route.abort());
  const failure = page.getByText('The server cannot be reached');
  await until('the list is asked for again', async () => {
    await page.clock.runFor(11_000);
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
    return (await failure.count()) > 0;
  });
  assert.ok(await table.isVisible());
  await page.unrouteAll({ behavior: 'wait' });
});
