/** Signing in while many clients guess passwords, which costs seconds of processor time. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { until } from '@whence/testing/until';
import { startInProcess, TestFolder } from '../test-server.ts';
import { DashboardClient, PASSWORD, signedInAs } from './dashboard-client.ts';

test('throttle: the owner signs in from a known network while 80 clients of ever new networks guess', async () => {
  const other = new TestFolder();
  const proxied = await startInProcess(other, undefined, { WHENCE_TRUST_PROXY: '127.0.0.1' });
  let isOver = false;
  let lanes: Promise<void>[] = [];
  try {
    await signedInAs(other, proxied.url, 'Owner', 'admin');
    const from = (address: string, name: string, password: string) =>
      new DashboardClient(proxied.url).try('signIn', {
        body: { name, password },
        headers: { 'X-Forwarded-For': address },
      });
    assert.equal((await from('2001:db8:1:2::1', 'Owner', PASSWORD)).status, 200);
    let networks = 0;
    let refused = 0;
    lanes = Array.from({ length: 80 }, async (_, lane) => {
      while (!isOver) {
        const n = networks++;
        const { status } = await from(`10.${lane}.${n >> 8}.${n & 255}`, `guess ${n}`, PASSWORD);
        if (status === 429) refused++;
      }
    });
    await until('guesses are refused', () => refused > 100);
    for (let i = 0; i < 3; i++) {
      assert.equal((await from(`2001:db8:1:2::${i + 2}`, 'Owner', PASSWORD)).status, 200);
    }
  } finally {
    isOver = true;
    await Promise.all(lanes);
    await proxied.close();
    other.remove();
  }
});
