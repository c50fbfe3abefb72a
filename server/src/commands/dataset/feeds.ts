/** `wh dataset feeds`: the catalogue in use, and the state of each feed. */
import { DatasetError } from '@whence/dataset/dataset-error';
import { FeedCache } from '@whence/dataset/feeds/cache';
import { type ActiveFeed, defaultFeeds, parseCatalogue } from '@whence/dataset/feeds/catalogue';
import type { ProxyVariables } from '@whence/dataset/io/proxy';
import { fetchText } from '@whence/dataset/io/text-requests';
import { masking, secretsInUrl } from '../../log/masking.ts';
import { type ExitCode, SettingError } from '../../terminal/exit.ts';
import { jsonLine } from '../../terminal/printable.ts';
import { readSettingFile } from '../../terminal/setting-errors.ts';
import { fit, type Terminal } from '../../terminal/style.ts';
import { type Cell, formatCount, formatTable } from '../../terminal/table.ts';
import { FEEDS_VARIABLE, isHttp, pathOf } from './feeds-file.ts';

export type FeedSettings = {
  /**
   * WHENCE_FEEDS: a path, a `file:` URL or an `http(s):` URL; without it the built-in catalogue is
   * used.
   */
  readonly feeds: string | undefined;
  readonly contact: string | undefined;
  readonly proxies: ProxyVariables;
};

const CATALOGUE_LIMITS = { maxBytes: 1_000_000, idleTimeoutMs: 30_000, totalTimeoutMs: 30_000 };

export async function readFeeds(settings: FeedSettings): Promise<ActiveFeed[]> {
  const { feeds } = settings;
  if (feeds === undefined) return defaultFeeds();
  const text = await readText(feeds, settings);
  try {
    return parseCatalogue(text);
  } catch (error) {
    if (!(error instanceof DatasetError)) throw error;
    // The rest of a URL may contain a password or token.
    const place = isHttp(feeds) ? new URL(feeds).origin : pathOf(feeds);
    throw new SettingError(`${FEEDS_VARIABLE}: ${place}: ${error.message}`);
  }
}

export async function datasetFeeds(
  settings: FeedSettings & { readonly dataDir: string },
  { json }: { json?: boolean },
  terminal: Terminal,
): Promise<ExitCode> {
  const { stdout } = terminal;
  const feeds = await readFeeds(settings);
  const cache = new FeedCache(settings.dataDir);
  const states = feeds.map(({ id }) => cache.state(id));
  if (json === true) {
    const rows = feeds.map(({ isOn, ...feed }, i) => ({
      ...feed,
      is_on: isOn,
      ...(states[i] && { state: states[i] }),
    }));
    // Feeds of a subscription have their key in the URL.
    const mask = masking(feeds.flatMap(({ url }) => secretsInUrl(url)));
    stdout.write(mask(jsonLine({ feeds: rows })));
    return 0;
  }
  const style = fit(terminal);
  const rows = feeds.map(({ id, isOn, drives, format, refresh_hours, licence }, i): Cell[] => {
    const { as_of = '', records, error } = states[i] ?? {};
    const count = records === undefined ? '' : formatCount(records);
    return [
      isOn ? ['on', style.green] : ['off', style.dim],
      id,
      drives.join(','),
      format,
      `${refresh_hours} h`,
      as_of,
      count,
      error === undefined ? licence : [error, style.red],
    ];
  });
  const head = [
    '',
    'feed',
    'drives',
    'format',
    'refresh',
    'copy of',
    'records',
    'licence or error',
  ];
  stdout.write(formatTable(rows, style, { head }));
  return 0;
}

async function readText(location: string, { contact, proxies }: FeedSettings): Promise<string> {
  if (!isHttp(location))
    return readSettingFile(FEEDS_VARIABLE, pathOf(location), CATALOGUE_LIMITS.maxBytes);
  if (!URL.canParse(location)) throw new SettingError(`${FEEDS_VARIABLE} must be a path or a URL`);
  const url = new URL(location);
  const fetched = await fetchText(url, { limits: CATALOGUE_LIMITS, contact, network: { proxies } });
  if (fetched.kind === 'fetched') return fetched.text;
  throw new DatasetError(
    `cannot read the feed catalogue at ${url.origin}${url.pathname}: ${fetched.reason}`,
  );
}
