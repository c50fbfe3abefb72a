/** Every page of the dashboard, with what it shows: for a test that walks through all of them. */
import { until } from '@whence/testing/until';
import type { Page } from 'playwright-core';
import type { DashboardClient } from '../dashboard/dashboard-client.ts';
import { type BrowserTest, heading } from './browser.ts';
import { sharedSignIn, sharedWhence } from './shared-whence.ts';

export const EXPECTED_ERRORS = [/status of 40[0134]/, /status of 410/];

/** `:id` is a key, `:revoked` one that was rotated and revoked, `:channel` one of alerts. */
export const PAGES = [
  ['home', '/'],
  ['address', '/ip/8.8.8.8'],
  ['address with everything that was asked for', '/ip/8.8.8.9?include=hostname'],
  ['address with no data', '/ip/10.0.0.1'],
  ['prefix', '/prefix/3.0.0.0/8'],
  ['network', '/asn/16509'],
  ['search', '/asn?q=google'],
  ['domain', '/domain/example.com'],
  ['domain, records', '/domain/example.com?tab=records&include=transport,networks'],
  ['domain, senders', '/domain/example.com?tab=senders'],
  ['domain, TLS', '/domain/example.com?tab=tls'],
  ['domain, try', '/domain/example.com?tab=try'],
  ['domain, JSON', '/domain/example.com?tab=json'],
  ['look up', '/lookup'],
  ['batch', '/lookup?ips=8.8.8.8%201.0.9.9'],
  ['batch with a map', '/lookup?ips=8.8.8.8%201.0.9.9&tab=charts'],
  ['mail', '/mail'],
  ['open events', '/mail?state=open'],
  ['watch domains', '/mail?add=yes'],
  ['watched domain', '/domain/watched.example'],
  ['usage', '/keys/usage?by=status'],
  ['rules', '/rules?ip=1.0.9.9&path=/login'],
  ['data', '/data'],
  ['data, what it knows', '/data?tab=contents'],
  ['databases', '/data?tab=databases'],
  ['settings', '/settings'],
  ['keys', '/keys'],
  ['create a key', '/keys?create=yes'],
  ['all keys', '/keys?revoked=yes'],
  ['edit a key', '/keys?edit=:id'],
  ['key', '/keys/:id'],
  ['key that was pasted', '/keys/:id?pasted=yes'],
  ['revoked key', '/keys/:revoked'],
  ['rotation', '/keys/:id/rotate'],
  ['rotation, complete', '/keys/:revoked/rotate'],
  ['people', '/settings/people'],
  ['account', '/settings/account'],
  ['alerts', '/settings/alerts?channel=:channel'],
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
  const { key: paused } = await admin.get('createKey', {
    body: { ...body, name: 'paused gateway', note: 'moves' },
  });
  await admin.get('pauseKey', { params: { id: paused.id } });
  const expires_at = new Date(Date.now() + 6 * 86_400_000).toISOString();
  await admin.get('createKey', {
    body: { ...body, name: 'trial', expires_at, allowed_networks: ['192.0.2.0/24'] },
  });
  const { key: old } = await admin.get('createKey', { body: { ...body, name: 'old gateway' } });
  await admin.get('rotateKey', { params: { id: old.id }, body: {} });
  await admin.get('revokeKey', { params: { id: old.id }, body: { name: 'old gateway' } });
  await admin.get('invite', { body: { role: 'viewer', note: 'Grace' } });
  const tags = ['customers'];
  await admin.get('watchDomains', { body: { domains: ['watched.example', 'example.com'], tags } });
  const { channel } = await admin.get('createChannel', {
    body: {
      name: 'On call',
      format: 'standard',
      target: 'https://hooks.example.com/on-call',
      min_severity: 'medium',
      tags,
    },
  });
  await until(
    'the domains were checked',
    async () =>
      (await admin.get('listWatched')).domains.filter(({ checked_at }) => checked_at).length === 2,
  );
  const page = await whence.open(undefined, { as: admin, expectedErrors: EXPECTED_ERRORS });
  const pathOf = (path: string) =>
    path.replace(':id', key.id).replace(':revoked', old.id).replace(':channel', channel.id);
  return { whence, admin, page, pathOf };
}

/** What was asked for has come. */
export async function settle(shown: Page): Promise<void> {
  await heading(shown).first().waitFor();
  await until(
    'nothing is loading',
    async () =>
      (await shown.locator('[aria-busy=true], [role=status][aria-label=Loading]').count()) === 0,
  );
}
