/**
 * Accepts one copy of a feed after the other into the cache until it is killed: copy n is the text
 * "n\n" many times, and has n records. Started by a test, with the data directory and the first n
 * as its arguments.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FeedCache } from '../feeds/feed-cache.ts';
import { decompressFile } from '../io/decompress.ts';

const [, , dataDir = '', first = ''] = process.argv;
const feed = { id: 'example', url: 'https://example.com/list' };
const cache = new FeedCache(dataDir);
const raw = join(dataDir, 'raw');
for (let n = Number(first); ; n++) {
  cache.prepare(feed.id);
  writeFileSync(raw, `${n}\n`.repeat(5000));
  const content = await decompressFile(raw, cache.candidatePath(feed.id), { maxBytes: 1e6 });
  cache.offer(feed, new Date());
  cache.accept(
    feed.id,
    { resolved_url: feed.url, etag: `"${n}"`, ...content, records: n },
    new Date(),
  );
}
