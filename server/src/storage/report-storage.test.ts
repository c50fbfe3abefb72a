/** Aggregate reports in storage: what holds on every engine. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { groupRows } from '@whence/email/internal/reports/group-rows';
import type { AggregateReport, ReportRow } from '@whence/email/internal/reports/report';
import { until } from '@whence/testing/until';
import { Command } from '../test/command.ts';
import { testEngines } from '../test/storage/engines.ts';
import { openStorage } from './open-storage.ts';
import { type Arrival, prepareReport } from './prepared-report.ts';
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

const FILE: Arrival = { arrived: 'file', arrivedFrom: '', digest: 'ab', isProven: true };
const UNPROVEN: Arrival = { ...FILE, arrived: 'message', isProven: false };
const onDay = (day: string) => ({ begin: at(`${day}T00:00:00`), end: at(`${day}T23:59:59`) });

const xmlOf = (id: number, begin: number, rows: number) => {
  const records = Array.from(
    { length: rows },
    (_, i) =>
      `<record><row><source_ip>10.0.${i >> 8}.${i & 255}</source_ip><count>1</count></row><identifiers><header_from>h${i % 500}.example.com</header_from></identifiers></record>`,
  );
  return `<feedback><report_metadata><org_name>x</org_name><report_id>${id}</report_id><date_range><begin>${begin}</begin><end>${begin + 86_399}</end></date_range></report_metadata><policy_published><domain>example.com</domain></policy_published>${records.join('')}</feedback>`;
};

for (const engine of testEngines()) {
  const { name, skip } = engine;
  after(() => engine.close());

  const withStorage = (behaviour: string, work: (storage: Storage, location: string) => Promise<void>) =>
    test(`reports on ${name}: ${behaviour}`, { skip }, async () => {
      const location = await engine.newLocation();
      const storage = await openStorage(location);
      try {
        await work(storage, location);
      } finally {
        await storage.close();
      }
    });
  const add = async ({ reports }: Storage, given: AggregateReport, arrival = FILE) =>
    (await reports.add([prepareReport(given, arrival, NOW)], NOW))[0];
  const window = async ({ reports }: Storage, from = '2026-10-12', to = '2026-11-15', domain = 'example.com') => ({
    ...(await reports.window(domain, from, to)),
    sources: await groupRows(await reports.rows(domain, from, to), (address) => address),
  });

  withStorage('rows come back as they were put in, with their reporter', async (storage) => {
    const hostile = 'a"b\\\u{1f600}\u202e\x1b[31m,{}[]\'; drop table reports --';
    const rows = [
      row({ address: '2001:db8::1', reasons: [{ type: 'mailing_list', comment: hostile }], headerFrom: hostile }),
      row({ dkim: [{ domain: 'example.com', selector: hostile, result: 'fail' }], envelopeFrom: 'b.example' }),
      row({ spfPassed: false, dkimPassed: true, disposition: 'reject', spf: [] }),
    ];
    assert.equal(await add(storage, report({ reporter: hostile, rows })), 'read');
    const found = await window(storage);
    assert.deepEqual(
      [found.reports, found.reporters[0]?.name, found.days],
      [1, hostile, [{ day: '2026-11-10', messages: 9 }]],
    );
    const wanted = rows.map(({ count, ...rest }) => ({
      ...rest,
      messages: count,
      firstDay: '2026-11-10',
      lastDay: '2026-11-10',
      reporters: [hostile],
      start: '2026-10-12',
      daily: Array.from({ length: 35 }, (_, i) => (i === 29 ? count : 0)),
    }));
    const text = (sources: readonly object[]) =>
      sources.map((one) => JSON.stringify(Object.entries(one).sort())).sort();
    assert.deepEqual(text(found.sources), text(wanted));
    const [domain] = await storage.reports.domains();
    assert.deepEqual([domain?.domain, domain?.messages, domain?.passed], ['example.com', 9, 9]);
  });

  withStorage('sources are added up, whatever report they are in', async (storage) => {
    for (const [i, day] of ['2026-11-15', '2026-11-09', '2026-11-08', '2026-11-02'].entries())
      await add(storage, report({ reportId: String(i), reporter: `R${i}`, ...onDay(day) }));
    const { sources, reporters } = await window(storage);
    assert.deepEqual(
      sources.map(({ firstDay, lastDay, messages, reporters: by }) => [firstDay, lastDay, messages, by]),
      [['2026-11-02', '2026-11-15', 12, ['R0', 'R1', 'R2', 'R3']]],
    );
    assert.equal(reporters.length, 4);
    assert.equal((await window(storage, '2026-11-09', '2026-11-15')).reports, 2);
    const [source] = (await window(storage, '2026-11-01', '2026-11-12')).sources;
    assert.deepEqual(source?.daily, [0, 3, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0]);
    assert.deepEqual((await window(storage, '2026-11-01', '2026-11-15', 'example.org')).sources, []);
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
      for (const other of [{ reportId: '2' }, { reporter: 'B' }, onDay('2026-11-11')])
        assert.equal(await add(storage, report({ rows, ...other })), 'read');
      assert.equal((await window(storage)).conflicting, 2);
    },
  );

  withStorage('unproven reports count apart, flag no proven ones, and can be proven later', async (storage) => {
    await add(storage, report());
    const forged = report({ rows: [row({ count: 1_000 })] });
    assert.equal(await add(storage, forged, UNPROVEN), 'read');
    const { reports, conflicting, unproven, sources } = await window(storage);
    assert.deepEqual([reports, conflicting, unproven, sources.length], [1, 0, { reports: 1, messages: 1_000 }, 1]);
    const before = await storage.reports.generation('example.com');
    assert.equal(await add(storage, forged, UNPROVEN), 'repeated');
    assert.equal(await storage.reports.generation('example.com'), before);
    assert.equal(await add(storage, forged, FILE), 'repeated');
    assert.notEqual(await storage.reports.generation('example.com'), before);
    assert.equal((await window(storage)).reports, 2);
  });

  withStorage('periods of more than 48 hours and in the future are not used', async (storage) => {
    await add(storage, report({ begin: at('2026-11-10T00:00:00'), end: at('2026-11-12T00:00:01') }));
    await add(storage, report({ ...onDay('2026-11-17') }));
    await add(storage, report({ reportId: '2' }));
    const { reports, unusable, sources } = await window(storage, '2026-11-01', '2026-11-30');
    assert.deepEqual([reports, unusable, sources.length], [1, 2, 1]);
  });

  withStorage('a report that several processes import at once counts once', async (storage, location) => {
    const other = await openStorage(location);
    const rows = Array.from({ length: 9_000 }, (_, i) => row({ address: `10.0.${i >> 8}.${i & 255}` }));
    const stores = [storage, other, storage, other];
    const states = await Promise.all(stores.map((one) => add(one, report({ rows }))));
    assert.deepEqual(states.sort(), ['read', 'repeated', 'repeated', 'repeated']);
    assert.equal((await window(storage)).days[0]?.messages, 27_000);
    await other.close();
  });

  withStorage('after an import is killed, each report is whole or absent', async (storage, location) => {
    const folder = mkdtempSync(join(tmpdir(), 'whence-reports-'));
    const today = Math.floor(Date.now() / 86_400_000) * 86_400;
    const [reports, rows] = [24, 2_500];
    for (let i = 1; i <= reports; i++) writeFileSync(join(folder, `${i}.xml`), xmlOf(i, today - i * 86_400, rows));
    const isSqlite = location.startsWith('/');
    const environment = {
      WHENCE_DATA_DIR: isSqlite ? location : folder,
      ...(!isSqlite && { WHENCE_DATABASE_URL: location }),
    };
    const stored = async () => {
      const day = (days: number) => new Date((today - days * 86_400) * 1000).toISOString().slice(0, 10);
      const found = await window(storage, day(40), day(0));
      return { ...found, messages: found.sources.reduce((sum, { messages }) => sum + messages, 0) };
    };
    const found: number[] = [];
    for (const delayMs of [0, 25]) {
      const before = await storage.reports.generation('example.com');
      const command = new Command(['email', 'reports', 'import', folder], environment);
      await until(
        'a batch is stored',
        async () => (await storage.reports.generation('example.com')) !== before || command.child.exitCode !== null,
        { everyMs: 5 },
      );
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await command.stop('SIGKILL');
      const { reports: whole, messages, days } = await stored();
      assert.equal(messages, whole * rows);
      assert.equal(
        days.reduce((sum, one) => sum + one.messages, 0),
        messages,
      );
      found.push(whole);
    }
    assert.ok(
      found.some((whole) => whole < reports),
      `${found}`,
    );
    const { code, stderr } = await new Command(['email', 'reports', 'import', folder], environment).ended;
    assert.equal(code, 0, stderr);
    const { reports: all, messages, conflicting } = await stored();
    assert.deepEqual([all, messages, conflicting], [reports, reports * rows, 0]);
    rmSync(folder, { recursive: true });
  });

  withStorage('a decision is replaced and taken back, and changes the generation', async ({ reports }) => {
    const when = new Date(NOW);
    const generations = new Set([await reports.generation('example.com')]);
    for (const decision of ['ours', 'not_ours'] as const) {
      await reports.decide('example.com', 'Zendesk', decision, 'Ada', when);
      generations.add(await reports.generation('example.com'));
      assert.deepEqual(await reports.decisions('example.com'), [{ service: 'Zendesk', decision, at: when, by: 'Ada' }]);
    }
    await reports.decide('example.com', 'Zendesk', undefined, 'Ada', when);
    generations.add(await reports.generation('example.com'));
    assert.deepEqual([await reports.decisions('example.com'), generations.size], [[], 4]);
  });

  withStorage('a report without rows is stored', async (storage) => {
    assert.equal(await add(storage, report({ rows: [] })), 'read');
    assert.equal(await add(storage, report({ rows: [] })), 'repeated');
  });

  withStorage('old reports are removed in parts, with all that belongs to them', async (storage) => {
    const rows = Array.from({ length: 25 }, (_, i) => row({ address: `192.0.2.${i}` }));
    await add(storage, report({ rows, ...onDay('2025-10-10') }));
    await add(storage, report({ domain: 'example.org', ...onDay('2025-10-09') }));
    await add(storage, report());
    const removed: number[] = [];
    do removed.push(await storage.reports.prune('2025-10-13', 1));
    while (removed.at(-1) !== 0);
    assert.deepEqual(removed, [1, 1, 0]);
    assert.deepEqual(
      (await storage.reports.domains()).map(({ domain }) => domain),
      ['example.com'],
    );
    assert.deepEqual((await window(storage, '2025-10-01', '2026-11-15')).reports, 1);
    assert.equal((await window(storage)).sources.length, 1);
  });
}
