/** A small supplement made from rows that a test gives, as a file of the feeds would have them. */
import type { Feed } from '../feeds/feed.ts';
import { FORMATS } from '../feeds/formats.ts';
import type { IngestedFeed } from '../feeds/ingest.ts';
import { bytesContent } from '../io/content.ts';
import { compileSupplement } from '../supplement/compile-supplement.ts';
import { Supplement } from '../supplement/supplement.ts';
import { ownBuffer, source } from './sample-dataset.ts';

export type SupplementSample = {
  /** Rows of DB-IP City Lite without the continent: `first,last,country,region,city,latitude,longitude`. */
  readonly locations?: readonly string[];
  /** Prefixes. */
  readonly anycast?: readonly string[];
  readonly exchanges?: readonly (readonly [prefix: string, name: string])[];
};

export function sampleSupplement({ locations, anycast, exchanges }: SupplementSample): Buffer {
  const rows = exchanges?.map(([prefix], i) => ({ prefix, ixlan_id: i }));
  const names = exchanges?.map(([, name], i) => ({ id: i, name }));
  const feeds = [
    ...(locations === undefined
      ? []
      : [parsedFeed('dbip-city-lite', 'dbip-city-csv', 'location', withContinents(locations).join('\n'))]),
    ...(anycast === undefined ? [] : [parsedFeed('anycast', 'cidr-lines', 'is_anycast', anycast.join('\n'))]),
    ...(exchanges === undefined
      ? []
      : [
          parsedFeed('peeringdb-ixpfx', 'peeringdb-ixpfx', 'exchange', JSON.stringify({ data: rows })),
          parsedFeed('peeringdb-ix', 'peeringdb-ix', 'exchange', JSON.stringify({ data: names })),
        ]),
  ];
  const bytes = compileSupplement(feeds, { contentPath: () => undefined }, NO_ROUTES);
  if (bytes === undefined) throw new Error('a supplement needs at least one kind of rows');
  return bytes;
}

export function openSample(sample: SupplementSample): Supplement {
  return new Supplement(ownBuffer(sampleSupplement(sample)));
}

/** Only geofeeds ask who announces an address. */
const NO_ROUTES = { find: () => 0, asnNumber: () => 0 };

const withContinents = (rows: readonly string[]) => rows.map((row) => row.replace(/^([^,]+,[^,]+,)/, '$1XX,'));

export function parsedFeed(id: string, format: string, drive: Feed['drives'][number], text: string): IngestedFeed {
  const parsed = FORMATS[format]?.parse(bytesContent(text));
  if (parsed === undefined) throw new Error(`there is no format ${format}`);
  const feed: Feed = {
    id,
    format,
    drives: [drive],
    url: 'file:///sample',
    licence: 'none',
    credit: 'none',
    refresh_hours: 24,
    mode: 'on',
    min_records: 0,
    max_records: 1_000,
  };
  return { feed, parsed, source: { ...source(id), records: parsed.records } };
}
