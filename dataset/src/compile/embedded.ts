// The input of the embedded default: three pinned npm packages and the tables of this repository.
import { latest } from '../data-files/csv-table.ts';
import {
  addressCountries,
  addressTypes,
  cloudCountries,
  cloudRanges,
  crawlers,
  knownGood,
  labelledNetworks,
  lastingRanges,
  mistakenCountries,
  nameRules,
  registryAsNumbers,
  scanners,
  torExits,
  typePoints,
} from '../data-files/data-files.ts';
import { type Drive, MAX_AGE_DAYS } from '../feeds/feed.ts';
import type { Range } from '../prefix.ts';
import { type FamilyRanges, Ranges } from '../ranges.ts';
import type { Source } from '../record.ts';
import type {
  CompileInput,
  Overlay,
  Progress,
  RangeSource,
  Statement,
} from './input/compile-input.ts';
import {
  type FamilyFiles,
  type NpmPackage,
  type PackageUse,
  packageFolders,
  packageFor,
  readFamilies,
  readFamily,
  USES,
} from './npm-packages.ts';

export function readEmbedded(
  locate: (packageName: string) => string | undefined,
  progress: Progress = () => {},
): CompileInput {
  const folders = packageFolders(locate);
  const read = (version: 4 | 6, from: number) =>
    readFamily(folders, version, USES, (step, share) => progress(step, from + share / 2));
  return inputOf({ 4: read(4, 0), 6: read(6, 0.5) });
}

/** As `readEmbedded`, with the routes of IPv6 read in a thread. */
export async function readEmbeddedBeside(
  locate: (packageName: string) => string | undefined,
  progress: Progress,
): Promise<CompileInput> {
  return inputOf(await readFamilies(packageFolders(locate), progress));
}

function inputOf({ 4: ipv4, 6: ipv6 }: Readonly<Record<4 | 6, FamilyFiles>>): CompileInput {
  const statedBy = (use: PackageUse): RangeSource => ({
    source: counted(packageFor(use), ipv4[use].records + ipv6[use].records),
    ranges: { 4: ipv4[use].ranges[4], 6: ipv6[use].ranges[6] },
  });
  const routes = statedBy('asn');
  const names = new Map(
    [...ipv6.asn.names, ...ipv4.asn.names].map(([asn, name]) => [asn, { name }]),
  );
  const ofScanners = table('scanners', scanners.asOf, scanners.rows.length);
  const ofTor = table('tor-blocks', torExits.asOf, torExits.rows.length);
  const ofTypes = table('address-types', addressTypes.asOf, addressTypes.rows.length);
  const ofCountries = table(
    'address-countries',
    addressCountries.asOf,
    addressCountries.rows.length,
  );
  const scanning = scanners.rows.flatMap(({ prefix, operator }) =>
    prefix === undefined ? [] : [{ prefix, operator }],
  );
  return {
    routes: [{ ...routes, otherOrigins: [], isDerived: true }],
    names: [{ source: routes.source, names }],
    countries: [{ ...statedBy('country'), isMistaken: isDbipMistaken }],
    delegations: [],
    delegated: statedBy('delegated'),
    networkLists: [],
    overlays: [
      ...regionOverlays(),
      ...rentedOverlays(),
      ...crawlerOverlays(),
      // Monitoring, payments and the like: one overlay per list that a feed can replace, and one
      // for the other rows.
      ...groups(knownGood.rows, ({ feed }) => feed ?? 'known-good').map(([, rows, id]) =>
        tableOverlay('known_good', table(id, latest(rows), rows.length), rows, ({ service }) => ({
          label: service,
        })),
      ),
      tableOverlay('scanner', ofScanners, scanning, ({ operator }) => ({ label: operator })),
      {
        ...tableOverlay('is_tor_exit', ofTor, torExits.rows, ({ operator }) => ({
          label: operator,
        })),
        namesTorOperators: true,
      },
      ...lastingOverlays(),
      tableOverlay('connection_type', ofTypes, addressTypes.rows, ({ connection_type: type }) => ({
        type,
      })),
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

function counted({ id, as_of, licence, credit }: NpmPackage, records: number): Source {
  return { id, as_of, licence, credit, records };
}

/** `drive`: what it lists, if that changes: it decides how long the table counts. */
function table(id: string, as_of: string, records = 0, drive?: Drive): Source {
  const max_age_days = drive && MAX_AGE_DAYS[drive];
  const source: Source = {
    id,
    as_of,
    licence: 'Apache-2.0',
    credit: 'Whence',
    records,
    is_table: true,
  };
  return max_age_days === undefined ? source : { ...source, max_age_days };
}

/** Whether DB-IP is known to be wrong here, and the country of registration to be right. */
export function isDbipMistaken(asn: number, country: string): boolean {
  return mistakenNetworks().has(asn) && mistakenCountries.find(asn, country) !== undefined;
}

/** A build asks a million times, and few networks have a row. */
const mistakenNetworks = mistakenCountries.derived((rows) => new Set(rows.map(({ asn }) => asn)));

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

/** What can be rented in networks of mixed use, and what in them is their owner's. */
function rentedOverlays(): Overlay[] {
  return groups(cloudRanges.rows, ({ feed }) => feed ?? 'own-services').map(
    ([{ provider }, rows, id]) => ({
      ...tableOverlay('cloud_provider', table(id, latest(rows), rows.length), rows, () => ({})),
      provider,
    }),
  );
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
      source: table(
        name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
        latest(rows),
        rows.length,
        'crawler',
      ),
      ranges: rangesOf(rows, () => 0),
    }),
  );
}

/** Lists of this program that count for a limited time. */
export const bundledLists = (): readonly Source[] =>
  crawlerOverlays()
    .map(({ source }) => source)
    .filter(({ max_age_days }) => max_age_days !== undefined);

/** Ranges that VPN services, relays and crawlers have for themselves: one overlay per operator. */
function lastingOverlays(): Overlay[] {
  return groups(lastingRanges.rows, ({ use }) => use).flatMap(([{ use }, all]) => {
    const source = table(`${use.replace('_', '-')}-ranges`, latest(all), all.length);
    return groups(all, ({ operator }) => operator).map(([{ crawler }, rows, operator]) =>
      use === 'ai_crawler'
        ? {
            ...tableOverlay('is_ai_crawler', source, rows, () => ({})),
            company: operator,
            crawler,
          }
        : {
            ...tableOverlay('is_vpn', source, rows, () => ({})),
            operator,
            isRelay: use === 'relay',
          },
    );
  });
}

function tableOverlay<Row extends { readonly prefix: Range }>(
  drive: Drive,
  source: Source,
  rows: readonly Row[],
  statementOf: (row: Row) => Statement,
): Overlay {
  return {
    drives: [drive],
    isTable: true,
    statements: rows.map(statementOf),
    source,
    ranges: rangesOf(rows),
  };
}

/** Rows with the same name, in the order of the file: the first of them, all, and the name. */
function groups<T>(
  rows: readonly T[],
  nameOf: (row: T) => string,
): [first: T, rows: T[], name: string][] {
  const groups = new Map<string, [first: T, rows: T[], name: string]>();
  for (const row of rows) {
    const name = nameOf(row);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row, [row], name]);
    else group[1].push(row);
  }
  return [...groups.values()];
}

/** `statementOf`: the position of a row's statement, by the position of the row. */
function rangesOf(
  rows: readonly { readonly prefix: Range }[],
  statementOf = (at: number) => at,
): FamilyRanges {
  const ranges = { 4: new Ranges(), 6: new Ranges() };
  for (const [at, { prefix }] of rows.entries())
    ranges[prefix.version].add(prefix.start, prefix.end, statementOf(at));
  return ranges;
}
