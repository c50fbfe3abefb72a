import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IpRecord, RecordSpan } from '@whence/client/wire';
import { changesOf, changeWords } from './history-changes.ts';

const RECORD = {
  ip: '192.0.2.1',
  prefix: '192.0.2.0/24',
  asn: 64500,
  asn_name: 'Example GmbH',
  country: 'DE',
  detection: { is_vpn: false },
  threat: { score: 0, level: 'low' },
} as IpRecord;
const span = (version: number, record?: IpRecord): RecordSpan => ({
  from_version: version,
  to_version: version,
  from: `2026-11-${String(version).padStart(2, '0')}T00:00:00Z`,
  to: `2026-11-${String(version).padStart(2, '0')}T00:00:00Z`,
  ...(record && { record }),
});

for (const [behaviour, before, after, want] of [
  ['another country', RECORD, { ...RECORD, country: 'FR' }, 'country: DE → FR'],
  [
    'a flag and the score',
    RECORD,
    {
      ...RECORD,
      detection: { is_vpn: true },
      threat: { score: 20, level: 'low', explanation: ['VPN: +20', 'x'] },
    },
    'detection.vpn: false → true, threat.score: 0 → 20',
  ],
  [
    'other reasons of the same score',
    { ...RECORD, threat: { score: 20, level: 'low', explanation: ['one: +20'] } },
    { ...RECORD, threat: { score: 20, level: 'low', explanation: ['two: +20'] } },
    'threat.explanation: one: +20 → two: +20',
  ],
  ['a new address', undefined, RECORD, 'announced, by AS64500 Example GmbH'],
  ['one that is gone', RECORD, undefined, 'no longer announced'],
] as const) {
  test(`history: ${behaviour}`, () => {
    const [change] = changesOf([
      span(2, after as IpRecord | undefined),
      span(1, before as IpRecord | undefined),
    ]);
    assert.ok(change);
    assert.equal(changeWords(change), want);
    assert.deepEqual([change.version, change.at], [2, '2026-11-02T00:00:00Z']);
  });
}

test('history: one span has no change, three have two, the newest first', () => {
  assert.deepEqual(changesOf([span(1, RECORD)]), []);
  const spans = [span(9, RECORD), span(5), span(1, RECORD)];
  assert.deepEqual(
    changesOf(spans).map(({ version }) => version),
    [9, 5],
  );
});
