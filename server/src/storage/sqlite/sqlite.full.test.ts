/** A database that several processes change at once. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openStorage } from '../open-storage.ts';

const folder = mkdtempSync(join(tmpdir(), 'whence-sqlite-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('sqlite: rapid changes of keys by several processes, with checkpoints, are no replacement of the database', async () => {
  const program = fileURLToPath(new URL('../../test/storage/change-keys.js', import.meta.url));
  const storage = await openStorage(folder);
  const { keys } = storage;
  try {
    let { revision } = await keys.changes('');
    const changed = new Set<string>();
    const look = async () => {
      const answer = await keys.changes(revision);
      assert.deepEqual([answer.isReplaced, answer.changed === undefined], [false, false]);
      for (const hash of answer.changed ?? []) changed.add(hash);
      revision = answer.revision;
    };
    let running = 3;
    const changes = ['a', 'b', 'c'].map((name) =>
      promisify(execFile)(process.execPath, [program, folder, name, '40']).finally(() => running--),
    );
    while (running > 0) await look();
    await Promise.all(changes);
    await look();
    assert.equal(changed.size, 120);
  } finally {
    await storage.close();
  }
});
