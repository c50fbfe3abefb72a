/** Aggregate reports in storage: what holds on every engine. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import type { AggregateReport, ReportRow } from '@whence/email/reports';
import { zone } from '@whence/email/test/zone';
import { floodOf, PublishedSenders, sumFlood } from '../email-reports/report-flood.ts';
import { openTestStorage, testEngines } from '../test/storage/engines.ts';
import { sourcesOf } from '../test/storage/sources.ts';
import { type Arrival, type PreparedReport, prepareReport } from './prepared-report.ts';
import type { Storage } from './storage.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const at = (text: string) => Date.parse(`${text}Z`) / 1000;

const row = (more: Partial<ReportRow> = {}): ReportRow => ({
  address: '192.0.2.1',
  count: 3,
  disposition: 'none',
  spfPassed: true,
  dkimPassed: false,
  reasons: [],
  headerFrom: 'example.com',
  envelopeFrom: '',
  spf: [{ domain: 'example.com', scope: 'mfrom', result: 'pass' }],
  dkim: [],
  ...more,
});

const report = (more: Partial<AggregateReport> = {}): AggregateReport => ({
  reporter: 'Example Inc.',
  reporterEmail: 'reports@example.net',
  reportId: '1',
  domain: 'example.com',
  begin: at('2026-11-10T00:00:00'),
  end: at('2026-11-10T23:59:59'),
  policy: { p: 'none', sp: '', np: '', adkim: '', aspf: '', pct: '', testing: '' },
  rows: [row()],
  ...more,
});

const FILE: Arrival = { arrived: 'file', arrivedFrom: '', digest: 'ab' };
const UNPROVEN: Arrival = { ...FILE, arrived: 'message', unproven: 'not_signed' };
const onDay = (day: string) => ({ begin: at(`${day}T00:00:00`), end: at(`${day}T23:59:59`) });

test('reports: one of 200,000 rows is prepared, and has the same id in any order', () => {
  const forged = row({ spfPassed: false, spf: [] });
  const rows = Array.from({ length: 200_000 }, (_, i) => ({
    ...forged,
    address: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`,
  }));
  const first = prepareReport(report({ rows }), FILE, NOW);
  const second = prepareReport(report({ rows: rows.toReversed() }), FILE, NOW);
  assert.deepEqual([first.rowCount, first.others.rows], [200_000, 200_000]);
  assert.equal(second.id, first.id);
});

for (const engine of testEngines()) {
  const { name, skip } = engine;
  after(() => engine.close());

  const withStorage = (
    behaviour: string,
    work: (storage: Storage, location: string) => Promise<void>,
  ) =>
    test(`reports on ${name}: ${behaviour}`, { skip }, async () => {
      const location = await engine.newLocation();
      const storage = await openTestStorage(location);
      try {
        await work(storage, location);
      } finally {
        await storage.close();
      }
    });
  const add = async ({ reports }: Storage, given: AggregateReport, arrival = FILE) =>
    (await reports.add([prepareReport(given, arrival, NOW)], NOW))[0];
  const window = async (
    { reports }: Storage,
    from = '2026-10-12',
    to = '2026-11-15',
    domain = 'example.com',
  ) => ({
    ...(await reports.window(domain, from, to)),
    sources: await sourcesOf(reports, domain, from, to),
  });

  withStorage('rows come back as they were put in, with their reporter', async (storage) => {
    const hostile = 'a"b\\\u{1f600}\u202e\x1b[31m,{}[]\'; drop table reports --';
    const rows = [
      row({
        address: '2001:db8::1',
        reasons: [{ type: 'mailing_list', comment: hostile }],
        headerFrom: hostile,
      }),
      row({
        dkim: [{ domain: 'example.com', selector: hostile, result: 'fail' }],
        envelopeFrom: 'b.example',
      }),
      row({ spfPassed: false, dkimPassed: true, disposition: 'reject', spf: [] }),
    ];
    assert.equal(await add(storage, report({ reporter: hostile, rows })), 'read');
    const found = await window(storage);
    assert.deepEqual(
      [found.reports, found.reporters[0]?.name, found.days],
      [1, hostile, [{ day: '2026-11-10', messages: 9, passed: 9 }]],
    );
    const wanted = rows.map(({ count, ...rest }) => ({
      ...rest,
      messages: count,
      firstDay: '2026-11-10',
      lastDay: '2026-11-10',
      reporters: [hostile],
      start: '2026-10-12',
      addresses: 1,
      isSummed: false,
      daily: [{ day: 29, messages: count, listed: 0 }],
    }));
    const text = (sources: readonly object[]) =>
      sources.map((one) => JSON.stringify(Object.entries(one).sort())).sort();
    assert.deepEqual(text(found.sources), text(wanted));
    const [domain] = await storage.reports.domains('2026-01-01', '2026-12-31');
    assert.deepEqual([domain?.domain, domain?.messages, domain?.passed], ['example.com', 9, 9]);
  });

  withStorage('sources are added up, whatever report they are in', async (storage) => {
    for (const [i, day] of ['2026-11-15', '2026-11-09', '2026-11-08', '2026-11-02'].entries())
      await add(storage, report({ reportId: String(i), reporter: `R${i}`, ...onDay(day) }));
    const { sources, reporters } = await window(storage);
    assert.deepEqual(
      sources.map(({ firstDay, lastDay, messages, reporters: by }) => [
        firstDay,
        lastDay,
        messages,
        by,
      ]),
      [['2026-11-02', '2026-11-15', 12, ['R0', 'R1', 'R2', 'R3']]],
    );
    assert.equal(reporters.length, 4);
    assert.equal((await window(storage, '2026-11-09', '2026-11-15')).reports, 2);
    const [source] = (await window(storage, '2026-11-01', '2026-11-12')).sources;
    assert.deepEqual(
      source?.daily.map(({ day, messages }) => [day, messages]),
      [
        [1, 3],
        [7, 3],
        [8, 3],
      ],
    );
    assert.deepEqual(
      (await window(storage, '2026-11-01', '2026-11-15', 'example.org')).sources,
      [],
    );
  });

  withStorage(
    'the same key and rows are repeated, in any order of rows; other rows are kept and flagged',
    async (storage) => {
      const rows = [row(), row({ address: '192.0.2.2' }), row({ spfPassed: false })];
      assert.equal(await add(storage, report({ rows })), 'read');
      assert.equal(await add(storage, report({ rows: rows.toReversed() })), 'repeated');
      assert.equal((await window(storage)).conflicting, 0);
      assert.equal(await add(storage, report({ rows: rows.slice(1) })), 'read');
      const { conflicting, reports } = await window(storage);
      assert.deepEqual([conflicting, reports], [2, 2]);
      for (const other of [
        { reportId: '2' },
        { reporter: 'B' },
        { reporterEmail: 'b@example.net' },
        onDay('2026-11-11'),
      ])
        assert.equal(await add(storage, report({ rows, ...other })), 'read');
      assert.equal((await window(storage)).conflicting, 2);
    },
  );

  withStorage(
    'unproven reports count apart, flag no proven ones, and can be proven later',
    async (storage) => {
      await add(storage, report());
      const forged = report({ rows: [row({ count: 1_000 })] });
      assert.equal(await add(storage, forged, UNPROVEN), 'read');
      const { reports, conflicting, unproven, sources } = await window(storage);
      assert.deepEqual(
        [reports, conflicting, unproven, sources.length],
        [1, 0, [{ reason: 'not_signed', reports: 1 }], 1],
      );
      const before = await storage.reports.generation('example.com');
      assert.equal(await add(storage, forged, UNPROVEN), 'repeated');
      assert.equal(await storage.reports.generation('example.com'), before);
      assert.equal(await add(storage, forged, FILE), 'read');
      assert.notEqual(await storage.reports.generation('example.com'), before);
      const proven = await window(storage);
      assert.deepEqual([proven.reports, proven.unproven], [2, []]);
      assert.equal(await add(storage, forged, UNPROVEN), 'repeated');
    },
  );

  withStorage('a thousand unproven reports of a domain are kept in a day', async (storage) => {
    const unproven = Array.from({ length: 1_001 }, (_, i) =>
      prepareReport(report({ reportId: String(i) }), UNPROVEN, NOW),
    );
    const states = await storage.reports.add(unproven, NOW);
    assert.deepEqual([states[0], states[999], states[1_000]], ['read', 'read', 'not_kept']);
    const other = report({ domain: 'example.org' });
    assert.equal(await add(storage, other, UNPROVEN), 'read');
    const { unproven: kept, sources } = await window(storage);
    assert.deepEqual([kept, sources], [[{ reason: 'not_signed', reports: 1_000 }], []]);
  });

  withStorage(
    'a flood is added up by network, beyond 20,000 rows a day; senders are not',
    async (storage) => {
      const flood = (reportId: string, rows: ReportRow[]) =>
        prepareReport(report({ reportId, rows }), FILE, NOW);
      const forged = { spfPassed: false, spf: [], count: 1 };
      const rows = Array.from({ length: 20_100 }, (_, i) =>
        row({ ...forged, address: `10.0.${i >> 8}.${i & 255}` }),
      );
      const resolver = zone({
        'example.com': { TXT: ['v=spf1 ip4:203.0.113.0/24 -all'] },
        'shop.example.com': { TXT: ['v=spf1 ip4:192.0.2.77 -all'] },
      });
      const published = new PublishedSenders(() => resolver);
      const store = storage.reports;
      const addFlood = async (given: PreparedReport) => {
        const task = await floodOf(given, store);
        await store.add([task === undefined ? given : await sumFlood(task, published)], NOW);
        return task !== undefined;
      };
      await store.add([flood('0', [row({ address: '198.51.100.1' })])], NOW);
      assert.equal(await addFlood(flood('1', rows)), true);
      const more = ['10.0.0.1', '203.0.113.9', '198.51.100.1', '192.0.2.9', '2001:db8::1'];
      const second = flood('2', [
        ...more.map((address) => row({ ...forged, address })),
        row({ ...forged, address: '192.0.2.77', headerFrom: 'shop.example.com' }),
      ]);
      assert.equal(await addFlood(second), true);
      const { sources, days } = await window(storage);
      assert.equal(days[0]?.messages, 3 + 20_100 + 6);
      assert.equal(
        sources.reduce((sum, { messages }) => sum + messages, 0),
        3 + 20_100 + 6,
      );
      const summed = sources.filter(({ addresses }) => addresses > 1);
      assert.deepEqual(
        summed.map(({ address, messages, addresses }) => [address, messages, addresses]),
        [['10.0.9.0', 100, 100]],
      );
      const last = sources.filter(
        ({ messages, address }) => messages === 1 && [...more, '192.0.2.77'].includes(address),
      );
      assert.deepEqual(last.map(({ address }) => address).sort(), [
        '10.0.0.1',
        '192.0.2.77',
        '198.51.100.1',
        '203.0.113.9',
      ]);
    },
  );

  withStorage('periods of more than 48 hours and in the future are not used', async (storage) => {
    await add(
      storage,
      report({ begin: at('2026-11-10T00:00:00'), end: at('2026-11-12T00:00:01') }),
    );
    await add(storage, report({ ...onDay('2026-11-17') }));
    await add(storage, report({ reportId: '2' }));
    const { reports, unusable, sources } = await window(storage, '2026-11-01', '2026-11-30');
    assert.deepEqual([reports, unusable, sources.length], [1, 2, 1]);
  });

  withStorage(
    'a report that several processes import at once counts once',
    async (storage, location) => {
      const other = await openTestStorage(location);
      const rows = Array.from({ length: 9_000 }, (_, i) =>
        row({ address: `10.0.${i >> 8}.${i & 255}` }),
      );
      const stores = [storage, other, storage, other];
      const states = await Promise.all(stores.map((one) => add(one, report({ rows }))));
      assert.deepEqual(states.sort(), ['read', 'repeated', 'repeated', 'repeated']);
      assert.equal((await window(storage)).days[0]?.messages, 27_000);
      await other.close();
    },
  );

  withStorage(
    'a decision is replaced and taken back, and changes the generation',
    async ({ reports }) => {
      const when = new Date(NOW);
      const generations = new Set([await reports.generation('example.com')]);
      for (const decision of ['ours', 'not_ours'] as const) {
        await reports.decide('example.com', 'Zendesk', decision, 'Ada', when);
        generations.add(await reports.generation('example.com'));
        assert.deepEqual(await reports.decisions('example.com'), [
          { service: 'Zendesk', decision, at: when, by: 'Ada' },
        ]);
      }
      await reports.decide('example.com', 'Zendesk', undefined, 'Ada', when);
      generations.add(await reports.generation('example.com'));
      assert.deepEqual([await reports.decisions('example.com'), generations.size], [[], 4]);
    },
  );

  withStorage('a report without rows is stored', async (storage) => {
    assert.equal(await add(storage, report({ rows: [] })), 'read');
    assert.equal(await add(storage, report({ rows: [] })), 'repeated');
  });

  withStorage(
    'old reports are removed in parts, with all that belongs to them',
    async (storage) => {
      const rows = Array.from({ length: 25 }, (_, i) => row({ address: `192.0.2.${i}` }));
      await add(storage, report({ rows, ...onDay('2025-10-10') }));
      await add(storage, report({ domain: 'example.org', ...onDay('2025-10-09') }));
      await add(storage, report());
      const removed: number[] = [];
      do removed.push(await storage.reports.prune('2025-10-13', 1));
      while (removed.at(-1) !== 0);
      assert.deepEqual(removed, [1, 1, 0]);
      assert.deepEqual(
        (await storage.reports.domains('2026-01-01', '2026-12-31')).map(({ domain }) => domain),
        ['example.com'],
      );
      assert.deepEqual((await window(storage, '2025-10-01', '2026-11-15')).reports, 1);
      assert.equal((await window(storage)).sources.length, 1);
    },
  );
}
