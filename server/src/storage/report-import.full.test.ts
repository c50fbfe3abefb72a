/** An import of reports that is killed, on every engine. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { until } from '@whence/testing/until';
import { Command } from '../test/command.ts';
import { openTestStorage, testEngines, testOnPostgres } from '../test/storage/engines.ts';
import { sourcesOf } from '../test/storage/sources.ts';

const xmlOf = (id: number, begin: number, rows: number) => {
  const records = Array.from(
    { length: rows },
    (_, i) =>
      `<record><row><source_ip>10.0.${i >> 8}.${i & 255}</source_ip><count>1</count></row><identifiers><header_from>h${i % 500}.example.com</header_from></identifiers></record>`,
  );
  return `<feedback><report_metadata><org_name>x</org_name><report_id>${id}</report_id><date_range><begin>${begin}</begin><end>${begin + 86_399}</end></date_range></report_metadata><policy_published><domain>example.com</domain></policy_published>${records.join('')}</feedback>`;
};

const onSqlite = testEngines();
testOnPostgres();

for (const engine of [...onSqlite, ...testEngines()]) {
  const { name, skip } = engine;
  after(() => engine.close());

  test(`reports on ${name}: after an import is killed, each report is whole or absent`, {
    skip,
  }, async () => {
    const location = await engine.newLocation();
    const storage = await openTestStorage(location);
    try {
      const folder = mkdtempSync(join(tmpdir(), 'whence-reports-'));
      const today = Math.floor(Date.now() / 86_400_000) * 86_400;
      const reports = 24;
      const rows = 2_500;
      for (let i = 1; i <= reports; i++)
        writeFileSync(join(folder, `${i}.xml`), xmlOf(i, today - i * 86_400, rows));
      const isSqlite = location.startsWith('/');
      const environment = {
        WHENCE_DATA_DIR: isSqlite ? location : folder,
        ...(!isSqlite && { WHENCE_DATABASE_URL: location }),
      };
      const stored = async () => {
        const day = (days: number) =>
          new Date((today - days * 86_400) * 1000).toISOString().slice(0, 10);
        const range = [day(40), day(0)] as const;
        const sources = await sourcesOf(storage.reports, 'example.com', ...range);
        return {
          ...(await storage.reports.window('example.com', ...range)),
          messages: sources.reduce((sum, { messages }) => sum + messages, 0),
        };
      };
      const found: number[] = [];
      for (const delayMs of [0, 25]) {
        const before = await storage.reports.generation('example.com');
        const command = new Command(['email', 'reports', 'import', folder], environment);
        await until(
          'a batch is stored',
          async () =>
            (await storage.reports.generation('example.com')) !== before ||
            command.child.exitCode !== null,
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
      const { code, stderr } = await new Command(
        ['email', 'reports', 'import', folder],
        environment,
      ).ended;
      assert.equal(code, 0, stderr);
      const { reports: all, messages, conflicting } = await stored();
      assert.deepEqual([all, messages, conflicting], [reports, reports * rows, 0]);
      rmSync(folder, { recursive: true });
    } finally {
      await storage.close();
    }
  });
}
