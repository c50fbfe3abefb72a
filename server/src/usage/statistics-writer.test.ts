import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { StatisticsWriter, statisticsMs } from './statistics-writer.ts';

/** Records which statistics were written; `refused` fails. */
function statistics(written: string[], { refused = '', rows = 1 } = {}) {
  const flush = (name: string) => async () => {
    if (name === refused) throw new Error(`${name} refused`);
    written.push(name);
    return rows;
  };
  const ignored = (name: string) => async () => void (await flush(name)());
  return {
    usage: { flush: flush('usage'), flushFirstUses: ignored('first uses') },
    traffic: { flush: ignored('traffic') },
  };
}

for (const [behaviour, rows, seconds] of [
  ['every ten seconds', 1, 10],
  ['every ten seconds up to 2,000 rows', 2_000, 10],
  ['less often with more rows, 200 per second', 12_000, 60],
  ['at least every five minutes', 1_000_000, 300],
] as const)
  test(`statistics: written ${behaviour}; first uses at every call`, async () => {
    const written: string[] = [];
    const clock = { nowMs: 0 };
    const writer = new StatisticsWriter(statistics(written, { rows }), {
      monotonicMs: () => clock.nowMs,
    });
    for (; clock.nowMs <= seconds * 1_000; clock.nowMs += 1_000) await writer.write(Date.now());
    const all = ['usage', 'traffic'];
    assert.deepEqual(written, [
      ...all,
      ...Array.from({ length: seconds - 1 }, () => 'first uses'),
      ...all,
    ]);
  });

for (const refused of ['usage', 'traffic']) {
  test(`statistics: when ${refused} cannot be written, the others are, and the failure is reported`, async () => {
    const written: string[] = [];
    const writer = new StatisticsWriter(statistics(written, { refused }));
    await assert.rejects(writer.writeAll(Date.now()), { message: `${refused} refused` });
    assert.deepEqual(
      [...written, refused].sort(),
      ['traffic', 'usage'],
      'each is tried, whichever comes first',
    );
  });
}

test('statistics: the table of rows and the WAL in docs/capacity.md follows from the code', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/capacity.md'), 'utf8');
  const [, bytesOfWal, processes, activeKeys = '', megabytes] =
    /A row is (\d+) bytes of WAL: (\d+) processes with ([\d,]+) keys each write ([\d.]+) MB per second/.exec(
      page,
    ) ?? [];
  // Requests by day and by hour, and the last use.
  const rowsOf = (keys: number) => 3 * keys;
  const rowsPerWrite = rowsOf(Number(activeKeys.replaceAll(',', '')));
  const rowsPerSecond = Number(processes) * (rowsPerWrite / (statisticsMs(rowsPerWrite) / 1000));
  assert.equal(((rowsPerSecond * Number(bytesOfWal)) / 1e6).toFixed(1), megabytes);
  const [, table = ''] =
    /\| active keys per process, one endpoint \|.*\n\|[-|]+\n((?:\|.*\n)+)/.exec(page) ?? [];
  const lines = table.trim().split('\n');
  assert.equal(lines.length, 4);
  for (const line of lines) {
    const keys = Number(line.split('|')[1]?.replaceAll(',', ''));
    const rows = rowsOf(keys);
    const seconds = statisticsMs(rows) / 1000;
    const texts = [keys, rows, seconds].map((number) => number.toLocaleString('en'));
    assert.equal(line, `| ${texts.join(' | ')} |`);
  }
});
