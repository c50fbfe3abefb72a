/**
 * Lookups while two large datasets are compared. In one process, so that a comparison on the event loop would show at
 * once.
 */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import type { Sample } from '@whence/dataset/internal/test/sample-dataset';
import { startInProcess, TestFolder } from '../test-server.ts';

const PREFIXES = 150_000;
const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
let secret = '';

/** /24s from 11.0.0.0 on, which change hands, country and kind of connection in long and short stretches. */
function large(shift: number): Sample {
  const block = (i: number) => `${11 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}.0/24`;
  const networks = [
    [16509, 'Amazon.com, Inc.'],
    [22394, 'Verizon Business'],
    [64500, 'Nord'],
  ] as const;
  const pick = <T>(values: readonly T[], i: number) => values[i % values.length] as T;
  return {
    routes: Array.from({ length: PREFIXES }, (_, i) => [block(i), ...pick(networks, i + shift)] as const),
    countries: Array.from(
      { length: PREFIXES },
      (_, i) => [block(i), pick(['DE', 'FR', 'US'], (i >> 3) + shift)] as const,
    ),
  };
}

before(async () => {
  for (const shift of [0, 1]) folder.publish(large(shift));
  server = await startInProcess(folder);
  ({ secret } = await folder.createKey());
});
after(async () => {
  await server.close();
  folder.remove();
});

async function ask(path: string): Promise<unknown> {
  const response = await fetch(server.url + path, { headers: { 'X-API-Key': secret } });
  const body = JSON.parse(await response.text());
  assert.equal(response.status, 200, JSON.stringify(body));
  return body.data;
}

test('dataset: lookups are answered while two large versions are compared', async () => {
  for (let i = 0; i < 50; i++) await ask(`/v1/ip/11.0.${i}.1`);
  let isDone = false;
  // Each limit is a comparison of its own; they run one after the other.
  const diffs = Promise.all([10, 20, 30].map((limit) => ask(`/v1/dataset/diff?from=1&to=2&limit=${limit}`))).finally(
    () => {
      isDone = true;
    },
  );
  let lookups = 0;
  for (; !isDone; lookups++) await ask(`/v1/ip/12.${(lookups >> 8) & 255}.${lookups & 255}.1`);
  const [diff] = (await diffs) as [{ changes: { attribute: string; count: number; largest: unknown[] }[] }];
  const origins = diff.changes.find(({ attribute }) => attribute === 'asn');
  assert.deepEqual([origins?.count, origins?.largest.length], [PREFIXES, 10]);
  assert.ok(lookups >= 100, `${lookups} lookups`);
});
