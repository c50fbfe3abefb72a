/**
 * The API reference in a real browser: one of the dashboard's pages, with and without an account.
 */
import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { type BrowserTest, NO_BROWSER } from './browser.ts';
import { inspectThemes, PHONE } from './inspect.ts';
import { sharedWhence } from './shared-whence.ts';

const options = { skip: NO_BROWSER };
let whence: BrowserTest;

before(async () => {
  if (NO_BROWSER === false) whence = await sharedWhence();
});

test(
  'reference: every operation is listed without an account, on wide screens and on phones',
  options,
  async (t) => {
    const page = await whence.open(t);
    await page.goto('/docs');
    for (const name of ['Quick start', 'Limits', 'Errors', 'Look up one address'])
      await page.getByRole('heading', { name, exact: true }).waitFor();
    const { paths } = (await (await fetch(`${whence.url}/openapi.json`)).json()) as {
      paths: Record<string, object>;
    };
    const operations = Object.values(paths).flatMap((methods) => Object.keys(methods)).length;
    assert.equal(await page.locator('details > summary > h3').count(), operations);
    await inspectThemes(page, 'wide');
    await page.setViewportSize(PHONE);
    await inspectThemes(page, 'phone');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('textbox', { name: 'Password' }).waitFor();
  },
);

test(
  'reference: a request is tried with a key from the page, and its address opens it',
  options,
  async (t) => {
    const { secret } = await whence.folder.createKey();
    const page = await whence.open(t);
    await page.goto('/docs');
    await page.getByRole('textbox', { name: 'API key' }).fill(secret);
    await page.getByText('Look up one address').click();
    await page.waitForURL(/#getIp$/);
    await page
      .getByRole('textbox', { name: 'ip of Look up one address', exact: true })
      .fill('1.0.9.9');
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText('Status 200').waitFor();
    await inspectThemes(page, 'an answer');
    await page.reload();
    await page.getByRole('table', { name: 'Parameters of Look up one address' }).waitFor();
  },
);
