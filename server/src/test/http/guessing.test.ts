/** Clients that try keys. */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { makeSecret } from '../../keys/secret.ts';
import { startInProcess, TestFolder } from '../test-server.ts';

const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
before(async () => {
  folder.publish();
  server = await startInProcess(folder, undefined, { WHENCE_TRUST_PROXY: '127.0.0.1' });
});
after(async () => {
  await server.close();
  folder.remove();
});

const ask = (key: string, address: string) =>
  fetch(`${server.url}/v1/ip/8.8.8.8`, {
    headers: { 'X-API-Key': key, 'X-Forwarded-For': address },
  });

test('guessing: a client address is slowed down and then refused, others and known keys are not', async () => {
  const { secret: known } = await folder.createKey();
  const { secret: notYetSeen } = await folder.createKey();
  assert.equal((await ask(known, '192.0.2.1')).status, 200);
  const statuses = new Map<number, number>();
  const beganMs = performance.now();
  await Promise.all(
    Array.from({ length: 300 }, async () => {
      const { status } = await ask(makeSecret(), '192.0.2.1');
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }),
  );
  assert.deepEqual([...statuses.keys()].sort(), [401, 503]);
  // 20 at once, those that wait for up to two seconds, and ten in each second that it took.
  const seconds = (performance.now() - beganMs) / 1000;
  assert.ok(
    (statuses.get(401) ?? 0) <= 41 + 10 * seconds,
    `${statuses.get(401)} of 300 guesses were looked up in ${seconds} s`,
  );
  assert.equal((await ask(known, '192.0.2.1')).status, 200, 'a known key of the same address');
  assert.equal((await ask(notYetSeen, '198.51.100.1')).status, 200, 'another address');
});

test('guessing: a key with a typo is refused without counting as a guess', async () => {
  const { secret } = await folder.createKey();
  const typo = `${secret.slice(0, -1)}${secret.endsWith('a') ? 'b' : 'a'}`;
  for (let i = 0; i < 100; i++) assert.equal((await ask(typo, '203.0.113.5')).status, 401);
  assert.equal((await ask(secret, '203.0.113.5')).status, 200);
});

test('guessing: a wrong key that is sent again and again is refused with 401 each time', async () => {
  const { key, secret } = await folder.createKey();
  await folder.revokeKey(key.id);
  const statuses = await Promise.all(
    Array.from({ length: 200 }, async () => (await ask(secret, '203.0.113.9')).status),
  );
  assert.deepEqual(new Set(statuses), new Set([401]));
});

test('guessing: the first requests with a new key may come all at once', async () => {
  const { secret } = await folder.createKey();
  const statuses = await Promise.all(
    Array.from({ length: 200 }, async () => (await ask(secret, '203.0.113.9')).status),
  );
  assert.deepEqual(new Set(statuses), new Set([200]));
});
