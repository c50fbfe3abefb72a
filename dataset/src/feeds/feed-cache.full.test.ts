/** The cache of a process that is killed while it accepts copies. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { killAfter, until } from '@whence/testing/until';
import { FeedCache } from './feed-cache.ts';

const FEED = { id: 'example', url: 'https://example.com/list', refresh_hours: 8 };
const dataDir = mkdtempSync(join(tmpdir(), 'whence-feeds-'));
const cache = new FeedCache(dataDir);
after(() => rmSync(dataDir, { recursive: true, force: true }));

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const content = () => readFileSync(cache.contentPath('example') ?? '', 'utf8');

function accept(text: string, now: Date): void {
  cache.prepare('example');
  writeFileSync(cache.candidatePath('example'), text);
  cache.offer(FEED, now);
  const copy = { resolved_url: FEED.url, bytes: text.length, sha256: sha256(text) };
  cache.accept('example', { ...copy, records: text.length }, now);
}

test('feed cache: killed at any moment, state and content belong together', async () => {
  const acceptor = join(import.meta.dirname, '../test/endless-acceptor.js');
  let reached = 0;
  for (let kill = 0; kill < 6; kill++) {
    const child = spawn(process.execPath, [acceptor, dataDir, String(reached + 1)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await until('a copy was accepted', () => (cache.state('example')?.records ?? 0) > reached);
    await killAfter(child, kill * 3);
    const state = cache.state('example');
    assert.ok(state?.records !== undefined && state.records > reached);
    reached = state.records;
    assert.equal(content(), `${reached}\n`.repeat(5000));
    assert.equal(state.etag, `"${reached}"`);
    assert.equal(state.sha256, sha256(content()));
  }
  accept('in the end', new Date());
  assert.deepEqual(
    readdirSync(join(dataDir, 'feeds/example')).sort(),
    [`content-${sha256('in the end')}`, 'state.json'],
    'nothing unfinished is left',
  );
});
