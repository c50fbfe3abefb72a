import assert from 'node:assert/strict';
import test from 'node:test';
import { checkDomain } from '../check.ts';
import { zone } from '../test/zone.ts';

const spfOf = async (record: string) =>
  (await checkDomain('example.com', { resolver: zone({ 'example.com': { TXT: [record] } }) })).spf;

for (const [behaviour, record, length] of [
  ['of 4 KiB stays whole', `v=spf1 x=${'y'.repeat(4096 - 9)}`, 4096],
  ['over 4 KiB is cut', `v=spf1 x=${'y'.repeat(4096 - 8)}`, 4094],
  [
    'is measured as JSON: quotation marks take two bytes',
    `v=spf1 x=${'"'.repeat(4000)}`,
    9 + 2042 + 1,
  ],
  [
    'is measured as JSON: control characters take six',
    `v=spf1 x=${'\x01'.repeat(4000)}`,
    9 + 680 + 1,
  ],
] as const)
  test(`report: raw ${behaviour}`, async () => {
    const { raw } = await spfOf(record);
    assert.equal(raw.length, length);
    assert.ok(Buffer.byteLength(JSON.stringify(raw)) <= 4096 + 2);
    assert.equal(raw.endsWith('…'), raw !== record);
  });

test('report: a term of more than 500 characters is cut', async () => {
  const { mechanisms } = await spfOf(`v=spf1 x=${'y'.repeat(1_000)} -all`);
  assert.deepEqual(mechanisms, [`x=${'y'.repeat(497)}…`, '-all']);
});

test('report: of very many terms, as many as take 16 KiB are listed', async () => {
  const { mechanisms } = await spfOf(`v=spf1 ${'ptr:ab '.repeat(1_990)}`);
  assert.deepEqual([mechanisms.length, mechanisms.at(-1)], [1_821, '…']);
});
