/** Feed files as labels: the parsers of the update, on the files of its catalogue. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { fixtureFeeds } from '@whence/testing/fixture-catalogue';
import { fixture } from '@whence/testing/fixtures';
import { FORMATS } from '../../../dataset/dist/feeds/formats.js';
import type { Parsed } from '../../../dataset/dist/feeds/parsed.js';
import { bytesContent } from '../../../dataset/dist/feeds/sources/content.js';
import type { FamilyRanges } from '../../../dataset/dist/ranges.js';
import { countryOfRegion } from '../../../dataset/dist/tables/cloud-regions.js';

/** The value of a range is a position in `labels`; an empty label says nothing. */
export type LabelledRanges = { readonly ranges: FamilyRanges; readonly labels: readonly string[] };

type Row = { readonly id: string; readonly url: string; readonly format: string; readonly provider?: string };

export type Labels = { readonly rows: ReadonlyMap<string, Row>; path(file: string): string };

/** Undefined where the folder of feed files is missing. */
export function readLabels(): Labels | undefined {
  const feeds = fixtureFeeds() as readonly Row[] | undefined;
  if (feeds === undefined) return undefined;
  return { rows: new Map(feeds.map((feed) => [feed.id, feed])), path: (file) => fixture(file) ?? file };
}

export function listOf<S extends Parsed['shape']>(labels: Labels, id: string, shape: S): Extract<Parsed, { shape: S }> {
  const row = labels.rows.get(id);
  const format = FORMATS[row?.format ?? ''];
  if (row === undefined || format === undefined) throw new Error(`there is no list ${id}`);
  const path = fileURLToPath(row.url);
  const bytes = readFileSync(path);
  const parsed = format.parse(bytesContent(path.endsWith('.gz') ? gunzipSync(bytes) : bytes));
  if (parsed.shape !== shape) throw new Error(`${id} has the shape ${parsed.shape}`);
  return parsed as Extract<Parsed, { shape: S }>;
}

/** Countries by a geofeed, or by the regions of a cloud. */
export function countryLabels(labels: Labels, id: string): LabelledRanges {
  const provider = labels.rows.get(id)?.provider ?? '';
  const list = listOf(labels, id, 'prefixes');
  const isCountry = (label: string) => /^[A-Z]{2}$/.test(label);
  return {
    ranges: list.ranges,
    labels: list.labels.map((label) => (isCountry(label) ? label : (countryOfRegion(provider, label) ?? ''))),
  };
}
