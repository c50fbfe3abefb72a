/** Usage in partitions, by the procedure of docs/several-machines.md. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { executeOn, NO_POSTGRES, PostgresServer } from '@whence/testing/servers/postgres-server';
import { openStorage } from '../../storage/open-storage.ts';
import { Command } from '../command.ts';
import { newBatch } from './new-batch.ts';
import { blocksUnder } from './procedures.ts';

const PAGE = 'docs/several-machines.md';
const EARLIER = { day: '2026-11-01', endpoint: 'ip', statusClass: 2, requests: 7 };

test('usage by month: by the procedure, it is written, read, checked and removed as before', {
  skip: NO_POSTGRES,
}, async () => {
  const postgres = await PostgresServer.start();
  const { url, drop } = await postgres.createDatabase();
  try {
    // Rows that are there before the procedure stay.
    const before = await openStorage(url);
    await before.usage.add(newBatch(), [{ ...EARLIER, keyId: 'by month' }], new Map());
    await before.close();

    const blocks = blocksUnder(PAGE, 'Usage by month', 'sql');
    assert.equal(blocks.length, 2);
    // The second is run again every year.
    await executeOn(url, ...blocks, blocks[1] ?? '');

    const storage = await openStorage(url);
    try {
      const month = new Date();
      month.setUTCMonth(month.getUTCMonth() + 1, 5);
      const days = ['2020-01-01', EARLIER.day, month.toISOString().slice(0, 10), '2999-01-01'];
      const rows = days.map((day) => ({ ...EARLIER, keyId: 'by month', day }));
      await storage.usage.add(newBatch(), rows, new Map());
      const read = await storage.usage.rows({
        from: '2020-01-01',
        to: '2999-01-01',
        keyIds: ['by month'],
      });
      assert.deepEqual(
        read.map(({ day, requests }) => [day, requests]),
        days.map((day) => [day, day === EARLIER.day ? 14 : 7]),
      );
      assert.equal(await storage.usage.prune('2020-02-01', 1_000), 1);
      const partitions = await executeOn(
        url,
        "select tableoid::regclass::text as name from usage where key_id = 'by month'",
      );
      assert.deepEqual(
        partitions.map(({ name }) => name).sort(),
        [
          'usage_before',
          `usage_${month.toISOString().slice(0, 7).replace('-', '_')}`,
          'usage_later',
        ].sort(),
      );
    } finally {
      await storage.close();
    }
    const environment = { WHENCE_DATABASE_URL: url };
    const checked = await new Command(['storage', 'check'], environment).ended;
    assert.equal(checked.code, 0, checked.stderr);
  } finally {
    await drop();
    await postgres.stop();
  }
});
