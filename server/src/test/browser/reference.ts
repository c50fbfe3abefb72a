/** The API reference in a real browser: it loads from this server alone, and requests can be tried with a key. */
import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { type BrowserTest, NO_BROWSER } from './browser.ts';
import { sharedWhence } from './shared-whence.ts';

const options = { skip: NO_BROWSER };
let whence: BrowserTest;

before(async () => {
  if (NO_BROWSER === false) whence = await sharedWhence();
});

test('reference: every operation is listed, on wide screens and on phones', options, async (t) => {
  const page = await whence.open(t);
  await page.goto('/docs');
  await page.getByRole('heading', { name: 'Look up one address' }).first().waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(sideways <= 0, `scrolls sideways by ${sideways} px`);
});

test('reference: it has the header of the dashboard with a way back, and its theme', options, async (t) => {
  const page = await whence.open(t, { colorScheme: 'light', expectedErrors: [/status of 401/] });
  await page.goto('/docs');
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await background(), 'rgb(255, 255, 255)');
  await page.evaluate(() => localStorage.setItem('whence-theme', 'dark'));
  await page.reload();
  assert.equal(await background(), 'rgb(19, 20, 23)');
  for (const name of ['Quick start', 'Limits', 'Errors'])
    await page.getByRole('heading', { name, exact: true }).first().waitFor();
  assert.equal(await page.evaluate(() => document.querySelectorAll('.dark-mode').length > 0), true);
  await page.getByRole('link', { name: 'Back to the dashboard' }).click();
  await page.waitForURL(`${whence.url}/`);
});

test('reference: a request is tried with a key from the page', options, async (t) => {
  const { secret } = await whence.folder.createKey();
  const page = await whence.open(t);
  await page.goto('/docs#tag/ip/GET/v1/ip/{ip}');
  await page.getByRole('textbox', { name: 'Value' }).fill(secret);
  await page
    .getByRole('button', { name: /Test Request.*get \/v1\/ip\/\{ip\}/i })
    .first()
    .click();
  const answered = page.waitForResponse((response) => response.url().includes('/v1/ip/'));
  await page.getByRole('button', { name: /^Send/ }).first().click();
  const response = await answered;
  assert.deepEqual([response.status(), new URL(response.url()).pathname], [200, '/v1/ip/8.8.8.8']);
});
