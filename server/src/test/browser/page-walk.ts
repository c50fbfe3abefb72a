/** Every page of the dashboard, with what it shows: for a test that walks through all of them. */
import { until } from '@whence/testing/until';
import type { Page } from 'playwright-core';
import type { DashboardClient } from '../dashboard/dashboard-client.ts';
import { type BrowserTest, heading } from './browser.ts';
import { sharedSignIn, sharedWhence } from './shared-whence.ts';

export const EXPECTED_ERRORS = [/status of 40[0134]/, /status of 410/];

/** `:id` is a key, `:revoked` one that was rotated and revoked. */
export const PAGES = [
  ['overview', '/'],
  ['address', '/ip/8.8.8.8'],
  ['address with everything that was asked for', '/ip/8.8.8.9?include=hostname,registration'],
  ['address with no data', '/ip/10.0.0.1'],
  ['prefix', '/prefix/3.0.0.0/8'],
  ['network', '/asn/16509'],
  ['search', '/asn?q=google'],
  ['domain', '/domain/example.com?include=transport,networks'],
  ['batch, empty', '/batch'],
  ['batch with a map', '/batch?ips=8.8.8.8%201.0.9.9'],
  ['domains, empty', '/domains'],
  ['domains', '/domains?domains=example.com%20gone.example'],
  ['usage', '/usage?by=status'],
  ['rules', '/rules?ip=1.0.9.9&path=/login'],
  ['data', '/data'],
  ['data, coverage', '/data?tab=coverage'],
  ['data, quality', '/data?tab=quality'],
  ['data, sources', '/data?tab=sources'],
  ['databases', '/data?tab=databases'],
  ['difference', '/data/diff/1...2'],
  ['difference, sources', '/data/diff/1...2?tab=sources'],
  ['settings', '/settings'],
  ['keys', '/settings/keys'],
  ['create a key', '/settings/keys?create=yes'],
  ['all keys', '/settings/keys?revoked=yes'],
  ['edit a key', '/settings/keys?edit=:id'],
  ['key', '/settings/keys/:id'],
  ['key that was pasted', '/settings/keys/:id?pasted=yes'],
  ['revoked key', '/settings/keys/:revoked'],
  ['rotation', '/settings/keys/:id/rotate'],
  ['rotation, complete', '/settings/keys/:revoked/rotate'],
  ['people', '/settings/people'],
  ['account', '/settings/account'],
  ['audit', '/settings/audit'],
  ['health', '/settings/server'],
  ['server', '/settings/server?tab=settings'],
  ['API reference', '/docs'],
  ['no such page', '/nowhere'],
] as const;

type Walk = {
  readonly whence: BrowserTest;
  readonly admin: DashboardClient;
  /** One page walks through all of them, as a person does. */
  readonly page: Page;
  /** The path of a row of PAGES. */
  pathOf(path: string): string;
};

export async function startWalk(): Promise<Walk> {
  const whence = await sharedWhence();
  whence.folder.publish({ routes: [['8.8.8.0/24', 15169, 'Google LLC']] });
  const admin = await sharedSignIn('Ada', 'admin');
  await admin.get('useVersion', { body: { version: 1 } });
  const body = { name: 'mail gateway', tier: 'free', permissions: ['ip:read'] };
  const { key, secret } = await admin.get('createKey', { body });
  // The second is refused: the key lacks the permission.
  for (const path of ['ip/8.8.8.8', 'asn/15169'])
    await fetch(`${whence.url}/v1/${path}`, { headers: { 'X-API-Key': secret } });
  const { key: paused } = await admin.get('createKey', { body: { ...body, name: 'paused gateway', note: 'moves' } });
  await admin.get('pauseKey', { params: { id: paused.id } });
  const expires_at = new Date(Date.now() + 6 * 86_400_000).toISOString();
  await admin.get('createKey', { body: { ...body, name: 'trial', expires_at, allowed_networks: ['192.0.2.0/24'] } });
  const { key: old } = await admin.get('createKey', { body: { ...body, name: 'old gateway' } });
  await admin.get('rotateKey', { params: { id: old.id }, body: {} });
  await admin.get('revokeKey', { params: { id: old.id }, body: { name: 'old gateway' } });
  await admin.get('invite', { body: { role: 'viewer', note: 'Grace' } });
  const page = await whence.open(undefined, { as: admin, expectedErrors: EXPECTED_ERRORS });
  const pathOf = (path: string) => path.replace(':id', key.id).replace(':revoked', old.id);
  return { whence, admin, page, pathOf };
}

/** What was asked for has come. */
export async function settle(shown: Page): Promise<void> {
  await heading(shown).first().waitFor();
  await until(
    'nothing is loading',
    async () => (await shown.locator('[aria-busy=true], [role=status][aria-label=Loading]').count()) === 0,
  );
}
