import assert from 'node:assert/strict';
import { rmSync, truncateSync } from 'node:fs';
import test, { after } from 'node:test';
import { readManifest, type VersionEntry, versionPath } from '@whence/dataset/internal/versions/publish';
import { requesterAs } from '../test/requester.ts';
import { SAMPLE, TestFolder } from '../test/test-server.ts';
import { DatasetDiffs } from './dataset-diffs.ts';

const folder = new TestFolder();
for (const count of [2, 3, 4]) folder.publish({ ...SAMPLE, routes: SAMPLE.routes.slice(0, count) });
const entries = readManifest(folder.dataDir)?.versions ?? [];
const [one, two, three] = entries as [VersionEntry, VersionEntry, VersionEntry];
after(() => folder.remove());

function diffsOf(timeoutMs?: number) {
  const events: string[] = [];
  const diffs = new DatasetDiffs(
    folder.dataDir,
    {
      failed: (error, from, to) => events.push(`failed ${from} ${to}: ${(error as Error).message}`),
      tookTooLong: (from, to) => events.push(`too long ${from} ${to}`),
    },
    timeoutMs,
  );
  return { diffs, events };
}

const parse = (json: Uint8Array) => JSON.parse(Buffer.from(json).toString());

test('dataset diffs: all who ask for the same get one result, and so does who asks later', async () => {
  const { diffs } = diffsOf();
  const [a, b, c] = await Promise.all([
    diffs.diff(one, two, 5, requesterAs('a key')),
    diffs.diff(one, two, 5, requesterAs('a key')),
    diffs.diff(two, one, 5, requesterAs('a key')),
  ]);
  const later = await diffs.diff(one, two, 5, requesterAs('a key'));
  assert.ok(a.kind === 'done' && b.kind === 'done' && c.kind === 'done' && later.kind === 'done');
  assert.ok(a.json === b.json && a.json === later.json);
  assert.deepEqual([parse(a.json).from.version, parse(c.json).from.version], [1, 2]);
  diffs.close();
});

test('dataset diffs: of one requester four wait, of all sixty-four; one more takes the place of the last of the busiest', async () => {
  const { diffs } = diffsOf();
  const ask = (limit: number, requester: string) => diffs.diff(one, two, limit, requesterAs(requester));
  const outcomes = [1, 2, 3, 4, 5].map((limit) => ask(limit, 'busy'));
  assert.deepEqual(await ask(6, 'busy'), { kind: 'refused' });
  const joins = ask(5, 'busy');
  for (let i = 4; i < 64; i++) outcomes.push(ask(i + 2, `requester ${i}`));
  outcomes.push(ask(100, 'one more'));
  assert.deepEqual(await outcomes[4], { kind: 'refused' });
  diffs.close();
  for (const outcome of [...outcomes, joins]) assert.deepEqual(await outcome, { kind: 'refused' }, 'closed');
  assert.deepEqual(await ask(1, 'busy'), { kind: 'refused' }, 'closed for good');
});

test('dataset diffs: requesters take turns', async () => {
  const { diffs } = diffsOf();
  const finished: string[] = [];
  const ask = async (limit: number, requester: string) => {
    await diffs.diff(one, two, limit, requesterAs(requester));
    finished.push(requester);
  };
  await Promise.all([ask(1, 'first'), ask(2, 'first'), ask(3, 'first'), ask(4, 'second')]);
  assert.deepEqual(finished, ['first', 'second', 'first', 'first']);
  diffs.close();
});

test('dataset diffs: what takes too long is ended, and the next one starts', async () => {
  const { diffs, events } = diffsOf(1);
  assert.deepEqual(
    await Promise.all([diffs.diff(one, two, 1, requesterAs('a key')), diffs.diff(two, one, 1, requesterAs('a key'))]),
    [{ kind: 'refused' }, { kind: 'refused' }],
  );
  assert.deepEqual(events, ['too long 1 2', 'too long 2 1']);
  diffs.close();
});

test('dataset diffs: a damaged and a missing file are reported only in the log, and other comparisons go on', async () => {
  const { diffs, events } = diffsOf();
  truncateSync(versionPath(folder.dataDir, three), 1000);
  const [damaged, whole] = await Promise.all([
    diffs.diff(one, three, 1, requesterAs('a key')),
    diffs.diff(one, two, 1, requesterAs('a key')),
  ]);
  assert.deepEqual([damaged.kind, whole.kind], ['failed', 'done']);
  rmSync(versionPath(folder.dataDir, three));
  assert.deepEqual(await diffs.diff(one, three, 1, requesterAs('a key')), { kind: 'failed' });
  assert.match(events[0] ?? '', /^failed 1 3: .*000003\.whence: truncated: 1000 of \d+ bytes$/);
  assert.match(events[1] ?? '', /^failed 1 3: ENOENT/);
  assert.equal(events.length, 2);
  diffs.close();
});
