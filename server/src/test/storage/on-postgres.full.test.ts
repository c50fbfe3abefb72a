/** On PostgreSQL, what other files test on SQLite. */
import { describe } from 'node:test';
import { testOnPostgres } from './engines.ts';

testOnPostgres();
await describe('storage', async () => void (await import('../../storage/storage.test.ts')));
await describe('reports', async () =>
  void (await import('../../storage/report-storage.full.test.ts')));
await describe('TLS reports', async () =>
  void (await import('../../storage/tls-report-storage.test.ts')));
await describe('watched domains', async () =>
  void (await import('../../storage/watch-storage.test.ts')));
await describe('leases', async () =>
  void (await import('../../storage/leases/lease-store.test.ts')));
await describe('upgrades', async () =>
  void (await import('../../storage/migrations/upgrade.test.ts')));
await describe('key list', async () =>
  void (await import('../dashboard/ten-thousand-keys.full.test.ts')));
await describe('alerts', async () => void (await import('../../alerts/alerts.test.ts')));
await describe('quota', async () => void (await import('../../quota/quota.test.ts')));
await describe('schedules', async () => void (await import('../../quota/schedules.full.test.ts')));
await describe('senders', async () => void (await import('../http/email-senders.full.test.ts')));
await describe('key attributes', async () => void (await import('../http/key-attributes.test.ts')));
