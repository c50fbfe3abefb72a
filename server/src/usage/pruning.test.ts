import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { afterEach, beforeEach } from 'node:test';
import { AuditLog } from '../audit/audit-log.ts';
import { HOUR_MS } from '../day.ts';
import type { Storage } from '../storage/storage.ts';
import { openTestStorage } from '../test/storage/engines.ts';
import { newBatch } from '../test/storage/new-batch.ts';
import { AUDIT_DAYS, KEY_HOURS, pruneOldRows, QUOTA_DAYS, USAGE_DAYS } from './pruning.ts';

const NOON = Date.parse('2026-11-15T12:00:00Z');
const dayAgo = (days: number) => new Date(NOON - days * 24 * HOUR_MS).toISOString().slice(0, 10);

let folder = '';
let storage: Storage;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whence-pruning-'));
  storage = await openTestStorage(folder);
  await steadyUntil(NOON);
});
afterEach(async () => {
  await storage.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The clock has advanced for more than a day, as the deployment has seen it. */
async function steadyUntil(nowMs: number): Promise<void> {
  for (let hours = 26; hours > 0; hours--)
    await storage.maintenance.claimPruning(nowMs - hours * HOUR_MS, HOUR_MS);
}

const usageOn = (days: readonly number[], keyId = 'one') =>
  storage.usage.add(
    newBatch(),
    days.map((ago) => ({ keyId, day: dayAgo(ago), endpoint: 'ip', statusClass: 2, requests: 1 })),
    new Map(),
  );
const takeOn = (ago: number) =>
  storage.leases.take(
    { keyId: 'one', day: dayAgo(ago), owner: 'us.1' },
    { wanted: 5, limit: 100, spent: 0, opened: 0, open: 5 },
  );

test('pruning: statistics of 400 days stay, older ones go', async () => {
  await usageOn([0, 1, USAGE_DAYS, USAGE_DAYS + 1, 1_000]);
  assert.deepEqual(await pruneOldRows(storage, NOON, 400), {
    usage: 2,
    quota: 0,
    audit: 0,
    traffic: 0,
    keyHours: 0,
    tlsReports: 0,
    events: 0,
    reports: 0,
  });
  assert.deepEqual(
    (await storage.usage.ofKey('one')).map(({ day }) => day),
    [dayAgo(USAGE_DAYS), dayAgo(1), dayAgo(0)],
  );
});

test('pruning: refusals and requests by hour of two days stay, older ones go', async () => {
  const hours = [0, 23, KEY_HOURS, KEY_HOURS + 1].map((ago) => NOON - ago * HOUR_MS);
  const refusals = hours.map((hour) => ({
    hour,
    reason: 'rate' as const,
    requests: 1,
    lastAt: new Date(hour),
  }));
  const counted = new Map(hours.map((hour) => [hour, 7]));
  await storage.usage.add(newBatch(), [], new Map([['one', { refusals, hours: counted }]]));
  const pruned = await pruneOldRows(storage, NOON, 400);
  assert.equal(pruned?.keyHours, 2);
  assert.equal((await storage.keys.refusalsOf('one', 0)).length, 3);
  assert.equal((await storage.keys.hoursOf(['one'], 0)).length, 3);
});

test('pruning: quotas of the last days stay as they are, older ones go', async () => {
  for (const ago of [0, 1, QUOTA_DAYS, QUOTA_DAYS + 1, 300]) await takeOn(ago);
  assert.deepEqual(await pruneOldRows(storage, NOON, 400), {
    usage: 0,
    quota: 2,
    audit: 0,
    traffic: 0,
    keyHours: 0,
    tlsReports: 0,
    events: 0,
    reports: 0,
  });
  for (const ago of [0, 1, QUOTA_DAYS])
    assert.equal((await takeOn(ago)).left, 90, `${ago} days ago`);
  assert.equal((await takeOn(300)).left, 95, 'this row is gone');
});

test('pruning: the audit log of two years stays, older entries go', async () => {
  const log = new AuditLog(storage.audit);
  for (const ago of [0, AUDIT_DAYS - 1, AUDIT_DAYS + 1, AUDIT_DAYS + 400]) {
    const at = new Date(NOON - ago * 24 * HOUR_MS);
    await log.record({ name: 'test' }, 'key.created', { kind: 'key', name: `${ago} days ago` }, at);
  }
  assert.deepEqual(await pruneOldRows(storage, NOON, 400), {
    usage: 0,
    quota: 0,
    audit: 2,
    traffic: 0,
    keyHours: 0,
    tlsReports: 0,
    events: 0,
    reports: 0,
  });
  const left = await storage.audit.list({}, 10);
  assert.deepEqual(
    left.map(({ target }) => target),
    ['0 days ago', `${AUDIT_DAYS - 1} days ago`],
  );
});

test('pruning: recalls of past days go, and those that follow are seen', async () => {
  await storage.leases.recall({ keyId: 'one', day: dayAgo(30) });
  await storage.leases.recall({ keyId: 'two', day: dayAgo(0) });
  await pruneOldRows(storage, NOON, 400);
  assert.deepEqual(
    (await storage.leases.recallsSince(0)).map(({ keyId }) => keyId),
    ['two'],
  );
  await storage.leases.recall({ keyId: 'three', day: dayAgo(0) });
  assert.deepEqual(
    (await storage.leases.recallsSince(2)).map(({ keyId }) => keyId),
    ['three'],
  );
});

test('pruning: many rows go in parts', async () => {
  for (let key = 0; key < 50; key++)
    await usageOn(
      Array.from({ length: 51 }, (_, i) => 500 + i),
      `key ${key}`,
    );
  await usageOn([0]);
  assert.deepEqual(await pruneOldRows(storage, NOON, 400), {
    usage: 2_550,
    quota: 0,
    audit: 0,
    traffic: 0,
    keyHours: 0,
    tlsReports: 0,
    events: 0,
    reports: 0,
  });
  assert.equal((await storage.usage.ofKey('one')).length, 1);
});

test('pruning: of several processes, one does it in an hour', async () => {
  const other = await openTestStorage(folder);
  try {
    const attempts = [storage, other, storage, other].map((one, i) =>
      pruneOldRows(one, NOON + i, 400),
    );
    assert.equal(
      (await Promise.all(attempts)).filter((outcome) => outcome !== undefined).length,
      1,
    );
    assert.equal(await pruneOldRows(other, NOON + HOUR_MS / 2, 400), undefined);
    assert.notEqual(await pruneOldRows(other, NOON + HOUR_MS + 4, 400), undefined);
  } finally {
    await other.close();
  }
});

for (const [behaviour, jumpHours] of [
  ['500 days ahead', 12_000],
  ['500 days behind', -12_000],
] as const)
  test(`pruning: a clock that is ${behaviour} removes nothing, and after a day in which it is right it goes on`, async () => {
    await usageOn([0, USAGE_DAYS - 1, USAGE_DAYS + 1]);
    await takeOn(0);
    for (let hours = 0; hours < 3; hours++)
      assert.equal(
        await pruneOldRows(storage, NOON + (jumpHours + hours) * HOUR_MS, 400),
        undefined,
      );
    for (let hours = 1; hours <= 24; hours++)
      assert.equal(
        await pruneOldRows(storage, NOON + hours * HOUR_MS, 400),
        undefined,
        `after ${hours} hours`,
      );
    assert.equal((await storage.usage.ofKey('one')).length, 3);
    assert.equal((await takeOn(0)).left, 90, 'the quota of the day is still there');
    assert.equal((await pruneOldRows(storage, NOON + 25 * HOUR_MS, 400))?.usage, 1);
  });
