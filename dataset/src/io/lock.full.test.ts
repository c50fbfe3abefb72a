/** The lock among processes that are killed while they hold it. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { afterEach, beforeEach } from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import { killAfter, until } from '@whence/testing/until';
import { withLock } from './lock.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whence-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const HOLDER = join(import.meta.dirname, '../test/endless-lock-holder.js');

async function startHolder(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [HOLDER, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

const kill = (child: ChildProcess) => killAfter(child, 0);

test('lock: many processes that find it stale take it over one at a time', async () => {
  const children = await Promise.all(Array.from({ length: 5 }, startHolder));
  const journal = join(folder, 'journal');
  const size = () => statSync(journal, { throwIfNoEntry: false })?.size ?? 0;
  await until('300 takeovers', () => size() >= 9_000);
  await Promise.all(children.map(kill));
  checkJournal();
});

test('lock: killed at any moment, it is free for the next process and leaves nothing behind', async () => {
  const seed = randomInt(2 ** 31);
  const random = seededRandom(seed);
  let children = await Promise.all(Array.from({ length: 3 }, startHolder));
  for (let kills = 0; kills < 12; kills++) {
    const [victim, ...others] = children;
    if (victim === undefined) break;
    const [next] = await Promise.all([startHolder(), killAfter(victim, random() * 30)]);
    children = [...others, next];
  }
  await Promise.all(children.map(kill));
  assert.ok(checkJournal() > 12, `seed ${seed}`);
  withLock(folder, 'testing', () => {});
  assert.deepEqual(
    readdirSync(folder).filter((name) => name !== 'journal' && !name.startsWith('stale-')),
    [],
    `seed ${seed}`,
  );
});

/**
 * Between a start and its end nothing is noted, unless the process was killed there: then its end
 * never comes.
 */
function checkJournal(): number {
  const lines = readFileSync(join(folder, 'journal'), 'utf8').split('\n').slice(0, -1);
  let holds = 0;
  lines.forEach((line, i) => {
    const [event, pid] = line.split(' ');
    if (event === 'start') holds++;
    else
      assert.equal(lines[i - 1], `start ${pid}`, `line ${i}: two processes held the lock at once`);
  });
  return holds;
}
