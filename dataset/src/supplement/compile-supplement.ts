// Feeds in, supplement out, if any drives one of its fields. Geofeeds of operators are laid over locations of a
// database, each for what its operator announces.

import type { Address } from '../address.ts';
import { AddressRows, type FamilyRows, type ReadRows, wordsOfAddress } from '../address-rows.ts';
import type { FeedCache } from '../feeds/feed-cache.ts';
import type { IngestedFeed } from '../feeds/ingest.ts';
import type { Locations, PrefixList } from '../feeds/parsed.ts';
import { parseGeofeedPlaces } from '../feeds/sources/locations/geofeed-places.ts';
import { countryWord, type Place } from '../feeds/sources/locations/place-list.ts';
import type { Dataset } from '../file/read.ts';
import { Numbers } from '../get-or-insert.ts';
import { fileContent } from '../io/content.ts';
import { fromBigInt } from '../prefix.ts';
import { flatten, Ranges } from '../ranges.ts';
import type { Source } from '../record.ts';
import { overlay } from './intervals.ts';
import { ABSENT, encodeSupplement, MAX_SOURCES, type SupplementContent } from './supplement.ts';

type Tables = SupplementContent['tables'];

/** Undefined if no feed has anything for it. `dataset` says who announces an address. */
export function compileSupplement(
  ingested: readonly IngestedFeed[],
  cache: Pick<FeedCache, 'contentPath'>,
  dataset: Pick<Dataset, 'find' | 'asnNumber'>,
): Buffer | undefined {
  const sources: Source[] = [];
  // Text 0 is empty.
  const texts = new Numbers([['', 0]]);
  // Place 0 is unused.
  const places: PlaceOfSource[] = [{ place: NOWHERE, source: 0 }];
  const loc = locations(ingested, cache, dataset, sources, places);
  const any = anycast(ingested, sources);
  const ix = exchanges(ingested, sources, texts);
  if (loc === undefined && any === undefined && ix === undefined) return undefined;
  return encodeSupplement({
    meta: { sources, places: places.length - 1 },
    tables: { ...(loc && { loc }), ...(any && { any }), ...(ix && { ix }) },
    places: encodePlaces(places, texts),
    texts: [...texts.keys()],
  });
}

function locations(
  ingested: readonly IngestedFeed[],
  cache: Pick<FeedCache, 'contentPath'>,
  dataset: Pick<Dataset, 'find' | 'asnNumber'>,
  sources: Source[],
  places: PlaceOfSource[],
): Tables['loc'] {
  // The first database decides: there is one today.
  const database = ingested.find(
    ({ parsed, feed }) => parsed.shape === 'locations' && feed.drives.includes('location'),
  );
  if (database === undefined) return undefined;
  const { rows, places: listed } = database.parsed as Locations;
  const source = addSource(sources, database.source);
  const numbers = listed.map((place) => places.push({ place, source }) - 1);
  const base = { 4: numbered(rows[4], numbers), 6: numbered(rows[6], numbers) };
  const stated = operatorRows(ingested, cache, dataset, sources, places, new CityCoordinates(listed));
  const resolve = (above: number, below: number): number => {
    const { place = NOWHERE } = places[above] ?? {};
    if (place.city !== '' || place.region !== '') return above;
    // The operator names the country only: the database may know more, unless it contradicts that.
    return below !== 0 && place.country !== '' && places[below]?.place.country === place.country ? below : 0;
  };
  return { 4: overlay(base[4], stated[4], resolve), 6: overlay(base[6], stated[6], resolve) };
}

/** The rows with the numbers of the places in the file. */
function numbered(rows: ReadRows, numbers: readonly number[]): ReadRows {
  const { width, length, starts, ends } = rows;
  return { width, length, starts, ends, values: rows.values.map((value) => numbers[value] as number) };
}

/** All geofeeds together. Where rows overlap, the narrowest decides. */
function operatorRows(
  ingested: readonly IngestedFeed[],
  cache: Pick<FeedCache, 'contentPath'>,
  dataset: Pick<Dataset, 'find' | 'asnNumber'>,
  sources: Source[],
  places: PlaceOfSource[],
  cities: CityCoordinates,
): FamilyRows {
  const all = { 4: new Ranges(), 6: new Ranges() };
  for (const { feed, source, parsed } of ingested) {
    if (feed.format !== 'geofeed' || !feed.drives.includes('country') || parsed.shape !== 'prefixes') continue;
    const path = cache.contentPath(feed.id);
    if (path === undefined) continue;
    const geofeed = parseGeofeedPlaces(fileContent(path));
    const number = addSource(sources, source);
    const numbers = geofeed.places.map((place) => places.push({ place: cities.complete(place), source: number }) - 1);
    const asns = feed.asns === undefined ? undefined : new Set(feed.asns);
    for (const version of [4, 6] as const) {
      geofeed.ranges[version].forEach((start, end, value) => {
        if (asns === undefined || isAnnouncedBy(asns, dataset, fromBigInt(start, version)))
          all[version].add(start, end, numbers[value] as number);
      });
    }
  }
  return { 4: rowsOf(all[4], 4), 6: rowsOf(all[6], 6) };
}

/** An operator may be wrong, or outdated, about addresses that others announce. */
function isAnnouncedBy(
  asns: ReadonlySet<number>,
  dataset: Pick<Dataset, 'find' | 'asnNumber'>,
  address: Address,
): boolean {
  const match = dataset.find(address);
  return match !== 0 && asns.has(dataset.asnNumber(match));
}

function rowsOf(ranges: Ranges, version: 4 | 6): AddressRows {
  const rows = new AddressRows(version);
  const layer = flatten(ranges);
  for (let run = 0; run < layer.starts.length; run++) {
    const value = ranges.values[layer.rows[run] as number] as number;
    const start = wordsOfAddress(fromBigInt(layer.starts[run] as bigint, version));
    rows.add(start, wordsOfAddress(fromBigInt(layer.ends[run] as bigint, version)), value);
  }
  return rows;
}

function anycast(ingested: readonly IngestedFeed[], sources: Source[]): Tables['any'] {
  const lists = listsOf(ingested, 'is_anycast');
  return lists.length === 0 ? undefined : listed(lists, sources, () => 1);
}

/** An exchange without a name is left out. */
function exchanges(ingested: readonly IngestedFeed[], sources: Source[], texts: Numbers): Tables['ix'] {
  const lists = listsOf(ingested, 'exchange');
  const named = ingested.flatMap(({ parsed, source }) =>
    parsed.shape === 'exchanges' ? [{ names: parsed.names, source }] : [],
  );
  if (lists.length === 0 || named.length === 0) return undefined;
  for (const { source } of named) addSource(sources, source);
  return listed(lists, sources, (label) => {
    const name = named.map(({ names }) => names.get(label)).find((text) => text !== undefined);
    return name === undefined ? 0 : texts.of(name);
  });
}

type List = { readonly parsed: PrefixList; readonly source: Source };

function listsOf(ingested: readonly IngestedFeed[], drive: 'is_anycast' | 'exchange'): List[] {
  return ingested.flatMap(({ parsed, feed, source }) =>
    parsed.shape === 'prefixes' && feed.drives.includes(drive) ? [{ parsed, source }] : [],
  );
}

function listed(lists: readonly List[], sources: Source[], numberOf: (label: string) => number): Tables['any'] {
  const all = { 4: new Ranges(), 6: new Ranges() };
  for (const { parsed, source } of lists) {
    addSource(sources, source);
    const values = parsed.labels.map(numberOf);
    for (const version of [4, 6] as const) {
      parsed.ranges[version].forEach((start, end, label) => {
        const value = values[label] as number;
        if (value !== 0) all[version].add(start, end, value);
      });
    }
  }
  const intervals = (version: 4 | 6) =>
    overlay(new AddressRows(version), rowsOf(all[version], version), (value) => value);
  return { 4: intervals(4), 6: intervals(6) };
}

function addSource(sources: Source[], source: Source): number {
  if (sources.length === MAX_SOURCES) throw new Error(`more than ${MAX_SOURCES} sources of locations`);
  return sources.push(source) - 1;
}

/** For geofeeds, which have none (RFC 8805): by country and name, unless namesakes are far apart. */
class CityCoordinates {
  readonly #cities = new Map<string, Place | null>();

  constructor(places: readonly Place[]) {
    for (const place of places) {
      if (place.city === '' || place.latitude === undefined) continue;
      const known = this.#cities.get(cityKey(place));
      if (known === undefined) this.#cities.set(cityKey(place), place);
      else if (known !== null && !isNear(known, place)) this.#cities.set(cityKey(place), null);
    }
  }

  complete(place: Place): Place {
    if (place.city === '' || place.latitude !== undefined) return place;
    const { latitude, longitude } = this.#cities.get(cityKey(place)) ?? {};
    return latitude === undefined || longitude === undefined ? place : { ...place, latitude, longitude };
  }
}

const cityKey = ({ country, city }: Place): string =>
  `${country} ${city.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()}`;

/** Parts of one city have places of their own, some kilometres apart. */
const NEAR_MICRODEGREES = 500_000;
const isNear = (a: Place, b: Place): boolean =>
  Math.abs(degreesOf(a.latitude) - degreesOf(b.latitude)) < NEAR_MICRODEGREES &&
  Math.abs(degreesOf(a.longitude) - degreesOf(b.longitude)) < NEAR_MICRODEGREES;
const degreesOf = (microdegrees = 0): number => microdegrees | 0;

type PlaceOfSource = { readonly place: Place; readonly source: number };

function encodePlaces(places: readonly PlaceOfSource[], texts: Numbers): Uint32Array {
  const words = places.flatMap(({ place, source }) => [
    texts.of(place.city),
    texts.of(place.region),
    place.latitude ?? ABSENT,
    place.longitude ?? ABSENT,
    (countryWord(place) << 16) | source,
  ]);
  return Uint32Array.from(words);
}

const NOWHERE: Place = { country: '', region: '', city: '' };
