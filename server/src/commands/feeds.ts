/** `whence dataset feeds`: the catalogue in use, and how each of its feeds is doing. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FeedCache } from '@whence/dataset/compile/feed-cache';
import { type ActiveFeed, defaultFeeds, parseCatalogue } from '@whence/dataset/compile/read-catalogue';
import { DatasetError } from '@whence/dataset/format';
import { type ExitCode, formatCount, formatTable, type Output } from '../terminal.ts';

const MAX_CATALOGUE_BYTES = 1_000_000;
const TIMEOUT_MS = 30_000;

/** `location` is a path, a `file:` URL or an `http(s):` URL; without one the built-in catalogue is used. */
export async function readFeeds(location: string | undefined): Promise<ActiveFeed[]> {
  return location === undefined ? defaultFeeds() : parseCatalogue(await readText(location));
}

export async function datasetFeeds(
  dataDir: string,
  location: string | undefined,
  { json }: { json?: boolean },
  stdout: Output,
): Promise<ExitCode> {
  const feeds = await readFeeds(location);
  const cache = new FeedCache(dataDir);
  const states = feeds.map(({ id }) => cache.state(id));
  if (json === true) {
    const rows = feeds.map(({ isOn, ...feed }, i) => ({
      ...feed,
      is_on: isOn,
      ...(states[i] && { state: states[i] }),
    }));
    stdout.write(`${JSON.stringify({ feeds: rows })}\n`);
    return 0;
  }
  const rows = feeds.map(({ id, isOn, drives, format, refresh_hours, licence }, i) => {
    const { as_of = '', records, error } = states[i] ?? {};
    const count = records === undefined ? '' : formatCount(records);
    return [isOn ? 'on' : 'off', id, drives.join(','), format, `${refresh_hours} h`, as_of, count, error ?? licence];
  });
  const head = ['', 'feed', 'drives', 'format', 'refresh', 'copy of', 'records', 'licence, or what is wrong'];
  stdout.write(formatTable([head, ...rows]));
  return 0;
}

async function readText(location: string): Promise<string> {
  try {
    if (/^https?:/.test(location)) {
      const response = await fetch(location, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (!response.ok) throw new Error(`the server answered ${response.status}`);
      const pieces: Uint8Array[] = [];
      let bytes = 0;
      for await (const piece of response.body ?? []) {
        bytes += piece.length;
        if (bytes > MAX_CATALOGUE_BYTES) throw new Error('it is larger than 1 MB');
        pieces.push(piece);
      }
      return Buffer.concat(pieces).toString();
    }
    return readFileSync(location.startsWith('file:') ? fileURLToPath(location) : location, 'utf8');
  } catch (error) {
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? cause.message : message;
    throw new DatasetError(`the catalogue of feeds at ${location} cannot be read: ${why}`);
  }
}
