/** docs/feeds.md: its tables match the program, its catalogues are parsed, its list is ingested. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { parseAddress } from '../address.ts';
import { liveInput } from '../compile/live.ts';
import { builtInFeeds } from '../feeds/catalogue.ts';
import { DRIVES } from '../feeds/feed.ts';
import { FeedCache } from '../feeds/feed-cache.ts';
import { FORMATS } from '../feeds/formats.ts';
import { ingestFeeds } from '../feeds/ingest.ts';
import { parseCatalogue } from '../feeds/read-catalogue.ts';
import { DocumentationPage, namesIn } from './documentation-page.ts';
import { datasetOf, sampleInput } from './sample-dataset.ts';

const page = new DocumentationPage('feeds.md');

test('feeds page: the README says how many feeds are on', () => {
  const on = builtInFeeds().filter(({ mode }) => mode === 'on').length;
  assert.ok(new DocumentationPage('../README.md').text.includes(`${on} feeds are on`));
});

test('feeds page: which feeds expire', () => {
  assert.deepEqual(
    builtInFeeds().flatMap(({ id, expire_hours }) =>
      expire_hours === undefined ? [] : [`${id} ${expire_hours}`],
    ),
    ['tor-onionoo 48', 'tor-exits 48', 'proxies-http 24', 'proxies-socks4 24', 'proxies-socks5 24'],
  );
});

test('feeds page: the formats for own lists exist, and every value of drives is explained', () => {
  for (const name of page.table('format', 'a row').flatMap(([name = '']) => namesIn(name)))
    assert.ok(FORMATS[name], name);
  assert.deepEqual(
    page.table('drives', 'decides').flatMap(([drives = '']) => namesIn(drives)),
    [...DRIVES],
  );
});

test('feeds page: every field, with its default', () => {
  const rows = page.table('field', 'default', 'meaning');
  const known = /known are (.*)$/.exec(refusalOf('[{"x":1}]'))?.[1]?.split(', ') ?? [];
  assert.deepEqual(rows.flatMap(([names = '']) => namesIn(names)).sort(), known.sort());
  const required = { id: 'a', url: 'file:///a', format: 'cidr-lines', drives: ['blocklist'] };
  const [feed] = parseCatalogue(JSON.stringify([required])) as unknown as Record<string, unknown>[];
  for (const [names = '', fallback = ''] of rows) {
    for (const name of namesIn(names)) {
      // Feeds without max_bytes get their limit where they are fetched.
      if (fallback === 'required' || name === 'max_bytes') continue;
      assert.deepEqual(feed?.[name], defaultIn(fallback), name);
    }
  }
});

function refusalOf(text: string): string {
  try {
    parseCatalogue(text);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

function defaultIn(cell: string): unknown {
  if (cell === 'none') return undefined;
  return /^[0-9]+$/.test(cell) ? Number(cell) : cell.replaceAll('`', '');
}

test('feeds page: the example of a catalogue is parsed as the page says', () => {
  const [example = ''] = page.blocks('json');
  const feeds = parseCatalogue(example);
  assert.equal(feeds.length, builtInFeeds().length + 2);
  assert.deepEqual(
    ['oxl-hosting', 'bgptools-vpn', 'feodo', 'cins', 'tor-exits', 'staff-vpn', 'dated-table'].map(
      (id) => feeds.find((feed) => feed.id === id)?.isOn,
    ),
    [true, true, false, false, true, true, false],
  );
  assert.equal(
    feeds.findIndex(({ id }) => id === 'tor-exits'),
    builtInFeeds().findIndex(({ id }) => id === 'tor-exits'),
  );
});

test('feeds page: an own list is ingested and shows in an answer', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'whence-feeds-page-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'our-list.txt');
  // Documentation addresses have no record, so the list is moved to some that do.
  const move = (text: string) =>
    text.replaceAll('198.51.100.', '1.0.9.').replaceAll('2001:db8:', '2a00:db8:');
  writeFileSync(path, move(written('our-list.txt')));
  const feeds = parseCatalogue(
    written('our-feeds.json').replace('file://$PWD/our-list.txt', pathToFileURL(path).href),
  );
  const own = feeds.slice(builtInFeeds().length);
  assert.deepEqual(
    own.map(({ id, isOn }) => [id, isOn]),
    [['our-list', true]],
  );

  const now = () => new Date('2026-11-15T12:00:00Z');
  const { ingested, refused } = await ingestFeeds(own, new FeedCache(folder), {
    now,
    sleep: async () => {},
  });
  assert.deepEqual(refused, []);
  assert.equal(ingested[0]?.parsed.records, 3);
  const routes = [
    ['1.0.0.0/16', 64500, 'Example'],
    ['2a00:db8::/32', 64500, 'Example'],
  ] as const;
  const dataset = datasetOf(liveInput(sampleInput({ routes }), ingested));
  const explained = ['1.0.9.7', '1.0.9.100', '2a00:db8:bad::1', '1.0.9.8'].map((text) => {
    const address = parseAddress(text);
    return address && dataset.record(address, dataset.find(address)).threat.explanation?.[0];
  });
  const line = /`(on a blocklist \(our-list, )[0-9-]{10}(\): \+15)`/.exec(page.text);
  const shown = `${line?.[1]}${ingested[0]?.source.as_of}${line?.[2]}`;
  assert.deepEqual(explained, [shown, shown, shown, undefined]);
});

/** The text that a command of the page writes to this file. */
function written(file: string): string {
  const script = page.blocks('sh').join('');
  const [, , text = ''] =
    new RegExp(`> ${file} <<(.*)\\n([\\s\\S]*?)^END$`, 'm').exec(script) ?? [];
  return text;
}
