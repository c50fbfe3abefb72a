/** TLS reports in storage: what holds on every engine. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import type { TlsReport, TlsSum } from '@whence/email/reports/tls';
import { openTestStorage, testEngines } from '../test/storage/engines.ts';
import type { Arrival } from './prepared-report.ts';
import { prepareTlsReport } from './prepared-tls-report.ts';
import type { Storage } from './storage.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const sum = (sessions: number, more: Partial<TlsSum> = {}): TlsSum => ({
  policy: 'sts',
  host: '',
  result: 'success',
  sessions,
  ...more,
});
const FAILED = { host: 'mx1.example.com', result: 'certificate-expired' } as const;

const onDay = (day: string) => {
  const begin = Date.parse(`${day}T00:00:00Z`) / 1000;
  return { begin, end: begin + 86_399 };
};
const report = (more: Partial<TlsReport> = {}): TlsReport => ({
  reporter: 'Google Inc.',
  reporterEmail: 'smtp-tls-reporting@google.com',
  reportId: '1',
  domain: 'example.com',
  sums: [sum(40), sum(3, FAILED)],
  ...onDay('2026-11-10'),
  ...more,
});
const FILE: Arrival = { arrived: 'file', arrivedFrom: '', digest: 'ab' };
const UNPROVEN: Arrival = { ...FILE, arrived: 'message', unproven: 'not_signed' };

for (const engine of testEngines()) {
  const { name, skip } = engine;
  after(() => engine.close());

  const withStorage = (behaviour: string, work: (storage: Storage) => Promise<void>) =>
    test(`TLS reports on ${name}: ${behaviour}`, { skip }, async () => {
      const storage = await openTestStorage(await engine.newLocation(), { isSequential: true });
      try {
        await work(storage);
      } finally {
        await storage.close();
      }
    });
  const addAll = ({ tlsReports }: Storage, reports: readonly TlsReport[], arrival = FILE) =>
    tlsReports.add(
      reports.map((one) => prepareTlsReport(one, arrival, NOW)),
      NOW,
    );
  const window = ({ tlsReports }: Storage, domain = 'example.com') =>
    tlsReports.window(domain, '2026-10-12', '2026-11-15');

  withStorage(
    'sums of the same reporter, day, policy, host and result are one',
    async (storage) => {
      const states = await addAll(storage, [
        report(),
        report({ sums: report().sums.toReversed() }),
        report({ reportId: '2', sums: [sum(2), sum(5, { policy: 'tlsa' })] }),
        report({ reporterEmail: 'tls@example.net', sums: [sum(9)] }),
        report({ ...onDay('2026-11-11'), sums: [sum(1)] }),
        report({ ...onDay('2026-10-11') }),
        report({ domain: 'example.org' }),
        report({ begin: report().begin - 2 * 86_400 }),
      ]);
      assert.deepEqual(states, ['read', 'repeated', ...Array.from({ length: 6 }, () => 'read')]);
      const day = '2026-11-10';
      const google = { day, reporter: 'google.com' };
      assert.deepEqual(await window(storage), {
        reports: 4,
        unusable: 1,
        unproven: [],
        sums: [
          { ...google, ...sum(1), day: '2026-11-11' },
          { ...google, ...sum(42) },
          { ...google, ...sum(9), reporter: 'example.net' },
          { ...google, ...sum(5, { policy: 'tlsa' }) },
          { ...google, ...sum(3, FAILED) },
        ],
      });
    },
  );

  withStorage('domains are those with proven and usable ones in a period', async (storage) => {
    await addAll(storage, [
      report({ ...onDay('2026-10-11'), reportId: 'before' }),
      report(),
      report({ ...onDay('2026-11-14') }),
      report({ domain: 'example.org', ...onDay('2026-10-12') }),
      report({ domain: 'unusable.example', begin: report().begin - 2 * 86_400 }),
    ]);
    await addAll(storage, [report({ domain: 'unproven.example' })], UNPROVEN);
    assert.deepEqual(await storage.tlsReports.domains('2026-10-12', '2026-11-15'), [
      { domain: 'example.com', reports: 2, firstDay: '2026-11-10', lastDay: '2026-11-14' },
      { domain: 'example.org', reports: 1, firstDay: '2026-10-12', lastDay: '2026-10-12' },
    ]);
  });

  withStorage('unproven ones are counted apart from aggregate reports', async (storage) => {
    const many = Array.from({ length: 1_001 }, (_, i) => report({ reportId: `${i}` }));
    const states = await addAll(storage, many, UNPROVEN);
    assert.deepEqual([states[0], states[999], states[1_000]], ['read', 'read', 'not_kept']);
    assert.deepEqual(await addAll(storage, [report({ reportId: '0' })]), ['read']);
    assert.deepEqual(await addAll(storage, [report({ reportId: '0' })], UNPROVEN), ['repeated']);
    const { reports, unproven } = await window(storage);
    assert.deepEqual([reports, unproven], [1, [{ reason: 'not_signed', reports: 999 }]]);
    assert.deepEqual(
      (await storage.reports.window('example.com', '2026-10-12', '2026-11-15')).unproven,
      [],
    );
  });

  withStorage(
    'a flood of small receivers ends at 5,000 sums a day, without large ones',
    async (storage) => {
      const strangers = Array.from({ length: 26 }, (_, i) =>
        report({
          reporterEmail: `tls@example${i}.net`,
          sums: Array.from({ length: 200 }, (_, host) =>
            sum(1, { ...FAILED, host: `mx${host}.example` }),
          ),
        }),
      );
      const states = await addAll(storage, [...strangers, report()]);
      assert.deepEqual(states.slice(-3), ['read', 'not_kept', 'read']);
      assert.equal((await window(storage)).sums.length, 5_002);
    },
  );

  withStorage('old ones are removed with what belongs to them', async (storage) => {
    await addAll(storage, [report({ ...onDay('2025-10-09'), domain: 'example.org' }), report()]);
    const { tlsReports, reports } = storage;
    assert.deepEqual(
      [await tlsReports.prune('2025-10-13', 1), await tlsReports.prune('2025-10-13', 1)],
      [1, 0],
    );
    await reports.prune('2025-10-13', 1);
    const old = await tlsReports.window('example.org', '2025-10-01', '2026-11-15');
    assert.deepEqual([old.reports, old.sums], [0, []]);
    assert.equal((await window(storage)).sums.length, 2);
    const generations = [
      await reports.generation('example.org'),
      await reports.generation('example.com'),
    ];
    assert.deepEqual(
      generations.map((generation) => generation > 0),
      [false, true],
    );
  });
}
