/**
 * Lookups without an account, where the operator allows them; and the way in through an identity
 * provider.
 */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { signedInAs } from '../dashboard/dashboard-client.ts';
import { CLIENT_ID, CLIENT_SECRET, OpenIdProvider } from '../dashboard/openid-provider.ts';
import { BrowserTest, heading, NO_BROWSER } from './browser.ts';

const options = { skip: NO_BROWSER };
let whence: BrowserTest;
let provider: OpenIdProvider;

before(async () => {
  if (NO_BROWSER !== false) return;
  provider = await OpenIdProvider.start();
  whence = await BrowserTest.start({
    WHENCE_PUBLIC_LOOKUPS: 'on',
    WHENCE_OIDC_ISSUER: provider.issuer,
    WHENCE_OIDC_CLIENT_ID: CLIENT_ID,
    WHENCE_OIDC_CLIENT_SECRET: CLIENT_SECRET,
  });
  await signedInAs(whence.folder, whence.url, 'Root', 'admin');
});
after(async () => {
  await whence?.close();
  await provider?.close();
});

test(
  'public lookups: the lookup field works without an account, everything else asks to sign in',
  options,
  async (t) => {
    const page = await whence.open(t);
    await page.goto('/');
    await heading(page).filter({ hasText: 'Look up' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('8.8.8.8');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Datacenter of Google LLC').waitFor();
    await page.reload();
    await page.getByText('Datacenter of Google LLC').waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    const sideways = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    assert.ok(sideways <= 0, `scrolls sideways by ${sideways} px`);
    for (const path of ['/lookup', '/data', '/keys', '/keys/usage']) {
      await page.goto(path);
      await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    }
  },
);

test(
  'public lookups: signing in through the provider leads back to the page',
  options,
  async (t) => {
    provider.person = { sub: '1', preferred_username: 'grace' };
    const page = await whence.open(t, { otherOrigins: [provider.issuer] });
    await page.goto('/data');
    await page.getByRole('link', { name: 'Sign in with 127.0.0.1' }).click();
    await page.getByRole('button', { name: 'Account of grace' }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/data');
    await page.goto('/sign-in');
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.goto('/settings/account');
    await page.getByText('You sign in through your identity provider').waitFor();
  },
);

test(
  'public lookups: a failed identity check at the provider is explained on the sign-in page',
  options,
  async (t) => {
    provider.hasWrongSignature = true;
    const page = await whence.open(t, { otherOrigins: [provider.issuer] });
    await page.goto('/sign-in');
    await page.getByRole('link', { name: 'Sign in with 127.0.0.1' }).click();
    await page.getByText('The identity provider did not confirm your identity').waitFor();
  },
);
