import assert from 'node:assert/strict';
import test from 'node:test';
import { StatisticsWriter } from './statistics-writer.ts';

/** Records which statistics were written; `refused` fails. */
function statistics(written: string[], refused = '') {
  const flush = (name: string) => async () => {
    if (name === refused) throw new Error(`${name} refused`);
    written.push(name);
  };
  return {
    usage: { flush: flush('usage'), flushRequests: flush('requests') },
    traffic: { flush: flush('traffic') },
    networks: { flush: flush('networks') },
  };
}

test('statistics: requests are written at every call, and all statistics every ten seconds', async () => {
  const written: string[] = [];
  const clock = { nowMs: 0 };
  const writer = new StatisticsWriter(statistics(written), () => clock.nowMs);
  const perCall: number[] = [];
  for (; clock.nowMs <= 11_000; clock.nowMs += 1_000) {
    const before = written.length;
    await writer.write(Date.now());
    perCall.push(written.length - before);
  }
  assert.deepEqual(perCall, [3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 1]);
});

for (const refused of ['usage', 'traffic', 'networks']) {
  test(`statistics: when ${refused} cannot be written, the others are, and the failure is reported`, async () => {
    const written: string[] = [];
    const writer = new StatisticsWriter(statistics(written, refused));
    await assert.rejects(writer.writeAll(Date.now()), { message: `${refused} refused` });
    assert.deepEqual(
      [...written, refused].sort(),
      ['networks', 'traffic', 'usage'],
      'each is tried, whichever comes first',
    );
  });
}
