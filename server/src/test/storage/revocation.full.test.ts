/** Revocation on real processes: from the moment the command returns, no worker accepts the key. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { Agent } from 'node:http';
import test from 'node:test';
import { promisify } from 'node:util';
import { periodPasses, until } from '@whence/testing/until';
import { VOUCHING_WINDOW_MS } from '../../keys/vouching.ts';
import { ask, workersOf } from '../http/requests.ts';
import { bin, ServerProcess, TestFolder } from '../test-server.ts';

const WORKERS = 3;
const CLIENTS = 12;
const ROUNDS = 10;
const KEYS_PER_ROUND = 5;

type Revocable = { readonly id: string; readonly secret: string; isRevoked: boolean };

test('revocation: for 50 keys under load, no request sent after the command returned is accepted', async () => {
  const folder = new TestFolder();
  folder.publish();
  const keys: Revocable[] = [];
  for (let i = 0; i < ROUNDS * KEYS_PER_ROUND; i++) {
    const { key, secret } = await folder.createKey({ name: `revocable ${i}` });
    keys.push({ id: key.id, secret, isRevoked: false });
  }
  const server = await ServerProcess.start(folder, {
    WHENCE_WORKERS: String(WORKERS),
    NODE_OPTIONS: `--import=${new URL('./turn-clock-back.js', import.meta.url)}`,
  });
  let round = 0;
  try {
    const counts = { acceptedBefore: 0, refusedAfter: 0, acceptedAfter: 0 };
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      // A connection of its own, so that the clients are spread over the workers, the stopped one
      // included.
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let i = client; round < ROUNDS; i++) {
        // A key of this round or the one before: each key is used before and after its revocation.
        const key = keys[Math.max(0, round - 1) * KEYS_PER_ROUND + (i % (2 * KEYS_PER_ROUND))];
        if (key === undefined) continue;
        const wasRevoked = key.isRevoked;
        const { status } = await ask(`${server.url}/v1/ip/8.8.8.${client}`, key.secret, agent);
        // A worker that has just been continued sheds load for a moment: 503 is neither.
        if (status === 200) counts[wasRevoked ? 'acceptedAfter' : 'acceptedBefore']++;
        if (status === 401 && wasRevoked) counts.refusedAfter++;
      }
      agent.destroy();
    });
    for (; round < ROUNDS; round++) {
      const due = keys.slice(round * KEYS_PER_ROUND, (round + 1) * KEYS_PER_ROUND);
      const { acceptedBefore } = counts;
      await until(
        'keys of this round are used',
        () => counts.acceptedBefore >= acceptedBefore + CLIENTS,
      );
      const revokeOne = round % 2 === 0 ? revokeByCommand : revokeInProcess;
      const revoke = () => Promise.all(due.map((key) => revokeOne(folder, key)));
      if (round === 4) await whileStopped(workersOf(server)[1] as number, revoke);
      else await revoke();
      if (round === 6) for (const pid of workersOf(server)) process.kill(pid, 'SIGUSR2');
      const { refusedAfter } = counts;
      await until('they are refused', () => counts.refusedAfter >= refusedAfter + CLIENTS);
    }
    await Promise.all(clients);
    assert.equal(counts.acceptedAfter, 0, 'accepted although sent after the command had returned');
  } finally {
    // The clients end with the last round, also when a round failed.
    round = ROUNDS;
    await server.stop('SIGKILL');
    folder.remove();
  }
});

async function revokeByCommand({ dataDir }: TestFolder, key: Revocable): Promise<void> {
  const env = { ...process.env, WHENCE_DATA_DIR: dataDir };
  const { stdout } = await promisify(execFile)(process.execPath, [bin, 'key', 'revoke', key.id], {
    env,
  });
  assert.equal(stdout, `${key.id} is revoked\n`);
  key.isRevoked = true;
}

/** What the command calls, without the time that its process takes to end. */
async function revokeInProcess(folder: TestFolder, key: Revocable): Promise<void> {
  await folder.withKeys(async (keys) => {
    assert.equal(await keys.revoke(key.id, { name: 'test' }, new Date()), 'revoked');
    key.isRevoked = true;
  });
}

/** Longer than any process may rely on what it knew before it was stopped. */
async function whileStopped(pid: number, work: () => Promise<unknown>): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await periodPasses(3 * VOUCHING_WINDOW_MS);
  await work();
  await periodPasses(VOUCHING_WINDOW_MS);
  process.kill(pid, 'SIGCONT');
}

test('revocation: a database restored under a running server is used, and a key revoked in it is refused', async () => {
  const folder = new TestFolder();
  const backup = new TestFolder();
  folder.publish();
  const { key, secret } = await folder.createKey();
  await folder.copyDatabaseTo(backup);
  await backup.revokeKey(key.id);
  const server = await ServerProcess.start(folder, { WHENCE_WORKERS: '2' });
  try {
    const url = `${server.url}/v1/ip/8.8.8.8`;
    assert.equal((await ask(url, secret)).status, 200);
    await backup.copyDatabaseTo(folder);
    await periodPasses(2 * VOUCHING_WINDOW_MS);
    for (let i = 0; i < 10; i++) assert.equal((await ask(url, secret)).status, 401);
  } finally {
    await server.stop('SIGKILL');
    folder.remove();
    backup.remove();
  }
});
