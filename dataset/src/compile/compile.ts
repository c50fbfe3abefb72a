// Sources in, dataset out. Each family is walked run by run; `describe` decides the records of the
// groups of runs that the walks found, tables number them, and `numberRows` puts them into the
// order of the file.
import { oldestDay } from '../data-age.ts';
import type { Drive } from '../feeds/feed.ts';
import type { Compiled } from '../file/write.ts';
import { getOrInsert } from '../get-or-insert.ts';
import { runBeside } from '../io/thread.ts';
import { addressBits } from '../prefix.ts';
import {
  FLAG_SUBJECTS,
  type FlagSource,
  type FlagSources,
  type FlagSubject,
  type Source,
} from '../record.ts';
import {
  describeNetworks,
  type NetworkDescription,
  networkStatements,
  withSourcesOf,
} from './describe/describe-networks.ts';
import { SCORING_DRIVES } from './describe/threat.ts';
import { FlaggedAccessNetworks } from './guard/flagged-access-networks.ts';
import {
  type CompileInput,
  type Overlay,
  type Progress,
  sourcesOf,
  withoutExpired,
} from './input/compile-input.ts';
import type { CoveredPrefix } from './layers/covered-prefixes.ts';
import { familyLayers } from './layers/layers.ts';
import { type WalkedFamily, walkFamily } from './layers/walk.ts';
import { type AttributeSet, AttributeTable } from './records/attribute-table.ts';
import { FigureCounter } from './records/figures.ts';
import { NetworkTable } from './records/network-table.ts';
import { RecordTable } from './records/record-table.ts';
import { type FamilyStatements, RunFacts } from './records/run-facts.ts';

export function compile(given: CompileInput, progress: Progress = () => {}): Compiled {
  const input = withoutExpired(given);
  const descriptions = describeNetworks(networkStatements(input));
  return describeFamilies(input, mergeFamilies(input, progress), descriptions, progress);
}

/** As `compile`, with the networks described in a thread while the families are merged here. */
export async function compileBeside(given: CompileInput, progress: Progress): Promise<Compiled> {
  const input = withoutExpired(given);
  const module = new URL('./describe/describe-networks.js', import.meta.url);
  const args = [networkStatements(input)];
  const described = runBeside<ReadonlyMap<number, NetworkDescription>>({
    module,
    name: 'describeNetworks',
    args,
  });
  const families = mergeFamilies(input, progress);
  progress('describing networks', 0.6);
  const descriptions = withSourcesOf(input, await described);
  return describeFamilies(input, families, descriptions, progress);
}

function mergeFamilies(input: CompileInput, progress: Progress): MergedFamilies {
  return {
    4: mergeFamily(input, 4, (share) => progress('merging IPv4', share * 0.4)),
    6: mergeFamily(input, 6, (share) => progress('merging IPv6', 0.4 + share * 0.2)),
  };
}

type MergedFamily = WalkedFamily & { readonly statements: FamilyStatements };
type MergedFamilies = Readonly<Record<4 | 6, MergedFamily>>;

/** The layers, which take most of the memory, are gone when this returns. */
function mergeFamily(
  input: CompileInput,
  version: 4 | 6,
  progress: (share: number) => void,
): MergedFamily {
  progress(0);
  const layers = familyLayers(input, version);
  const { routeSources, holders, combinations } = layers;
  const statements = { version, routeSources, holders, combinations };
  return { ...walkFamily(layers, progress), statements };
}

function describeFamilies(
  input: CompileInput,
  families: MergedFamilies,
  descriptions: ReadonlyMap<number, NetworkDescription>,
  progress: Progress,
): Compiled {
  const sources = sourcesOf(input);
  const figures = new FigureCounter();
  const accessNetworks = new FlaggedAccessNetworks();
  const networks = new NetworkTable(input, descriptions);
  const attributes = new AttributeTable(sources, input);
  const records = new RecordTable();

  const describeFamily = (version: 4 | 6): Uint32Array => {
    const { announced, groups, statements } = families[version];
    figures.announced(version, announced);
    const facts = new RunFacts(input, statements);
    const setOfKey = new Map<number, AttributeSet>();
    return Uint32Array.from(groups, (group) => {
      const { asn, values, space } = group;
      const network = networks.get(asn);
      networks.addSpace(network, version, group, facts.registeredCountry(values));
      if (version === 4) figures.compared(facts.countrySources, facts.countries(values), space);
      const set = getOrInsert(setOfKey, facts.key(group, network), () =>
        attributes.of(facts.of(group, network)),
      );
      figures.answered(version, group, set.figures, facts.isConfirmed(group, set.figures.country));
      if (version === 4) accessNetworks.visit(asn, space, set.figures);
      return records.number(asn, set.id);
    });
  };
  const recordOfGroup = { 4: describeFamily(4), 6: describeFamily(6) };
  progress('numbering records', 0.9);
  return {
    sources,
    figures: figures.finish(),
    dataSources: figures.dataSources(),
    flagSources: flagSourcesOf(input),
    threatLists: { ipv4: threatLists(input, 4), ipv6: threatLists(input, 6) },
    flaggedAccessNetworks: accessNetworks.finish(),
    attributes: attributes.rows,
    ...numberRows({ networks, records, families, recordOfGroup }),
    otherOrigins: input.routes.flatMap(({ source, otherOrigins }) =>
      otherOrigins.map((origin) => ({ ...origin, source: sources.indexOf(source) })),
    ),
  };
}

/** What decides these; any other flag is what a list decides. */
const DRIVES_OF: Partial<Record<FlagSubject, readonly Drive[]>> = {
  is_datacenter: ['is_datacenter', 'cloud_provider', 'connection_type'],
  is_residential: ['connection_type'],
  is_mobile: ['connection_type'],
  blocklists: ['blocklist'],
  criminal_netblocks: ['criminal_netblock'],
  relay: ['is_vpn'],
};
/**
 * Flags that the table of networks, the rules on names and the signals decide as well. Signals do
 * not know phones.
 */
const BY_NETWORK: readonly FlagSubject[] = ['is_datacenter', 'is_residential', 'is_mobile'];

export function flagSourcesOf(input: CompileInput): FlagSources {
  return Object.fromEntries(
    FLAG_SUBJECTS.map((subject) => [subject, flagSource(input, subject)]),
  ) as FlagSources;
}

function flagSource(
  { overlays, networkLists, tables }: CompileInput,
  subject: FlagSubject,
): FlagSource {
  const deciders: readonly string[] = DRIVES_OF[subject] ?? [subject];
  const isOf = (drives: readonly Drive[] = []) => drives.some((drive) => deciders.includes(drive));
  const decides = ({ drives }: { readonly drives: readonly Drive[] }) => isOf(drives);
  // Relays are listed like VPNs, and are none.
  const isOfKind = ({ isRelay = false }: Overlay) =>
    !deciders.includes('is_vpn') || isRelay === (subject === 'relay');
  const ofAddresses = overlays.filter(isOfKind);
  const lists = [
    ...ofAddresses.filter(({ isTable }) => isTable !== true),
    ...(subject === 'relay' ? [] : networkLists),
  ];
  const feeds = lists.filter(decides);
  const tooOld = [...lists, ...ofAddresses].filter((list) => isOf(list.tooOld));
  const own: Source[] = ofAddresses
    .filter(({ isTable }) => isTable === true)
    .filter(decides)
    .map(({ source }) => source);
  if (BY_NETWORK.includes(subject)) own.push(tables.networks, tables['name-rules']);
  if (subject === 'is_datacenter' || subject === 'is_residential') own.push(tables['type-signals']);
  if (subject === 'is_vpn') own.push(tables.networks);
  const expired = tooOld.map(({ source }) => source);
  // A table beside a feed does not make the feed older: it only fills gaps.
  const current = feeds.map(({ source }) => source);
  const deciding = [current, own, expired].find((list) => list.length > 0) ?? [];
  const oldest = oldestDay(deciding.map(({ as_of }) => as_of));
  // Lists that are all too old are still lists: the flag is not unknown for want of a source.
  const origin = deciding === own ? 'tables' : 'feeds';
  return {
    from: deciding.length === 0 ? 'none' : origin,
    sources: [...new Set([...current, ...own, ...expired].map(({ id }) => id))],
    ...(oldest === undefined ? {} : { as_of: oldest }),
  };
}

/** A list of networks is about both families. The addresses of a relay have no points. */
function threatLists({ overlays, networkLists }: CompileInput, version: 4 | 6): string[] {
  const ofAddresses = overlays.filter(
    ({ ranges, isTable, isRelay }) =>
      ranges[version].length > 0 && isTable !== true && isRelay !== true,
  );
  return [...ofAddresses, ...networkLists].flatMap(({ source, drives }) =>
    drives.some((drive) => SCORING_DRIVES.includes(drive)) ? source.id : [],
  );
}

/**
 * The order of the file: the largest network first, records by network, and every reference to them
 * by row.
 */
type Numbered = {
  readonly networks: NetworkTable;
  readonly records: RecordTable;
  readonly families: Readonly<Record<4 | 6, WalkedFamily>>;
  readonly recordOfGroup: Readonly<Record<4 | 6, Uint32Array>>;
};

function numberRows({
  networks,
  records,
  families: { 4: ipv4, 6: ipv6 },
  recordOfGroup,
}: Numbered): Pick<Compiled, 'ipv4' | 'ipv6' | 'records' | 'asns' | 'covered'> {
  // All prefixes of a network may be covered by others; the walk has not met such a network yet.
  for (const { asn } of [...ipv4.covered, ...ipv6.covered]) networks.get(asn);
  const ordered = networks.bySize();
  const rowOfAsn = new Map(ordered.map(({ asn }, row) => [asn, row]));
  const { records: sorted, renumber } = records.renumber(rowOfAsn);
  const covered = (version: 4 | 6, prefixes: readonly CoveredPrefix[]) =>
    prefixes.map(({ asn, base, length }) => ({
      row: rowOfAsn.get(asn) as number,
      version,
      base,
      length,
    }));
  return {
    ipv4: renumber(ipv4.intervals, recordOfGroup[4], addressBits(4)),
    ipv6: renumber(ipv6.intervals, recordOfGroup[6], addressBits(6)),
    records: sorted,
    asns: ordered.map((network) =>
      networks.compiled(
        network,
        ipv4.prefixCounts.get(network.asn) ?? 0,
        ipv6.prefixCounts.get(network.asn) ?? 0,
      ),
    ),
    covered: [...covered(4, ipv4.covered), ...covered(6, ipv6.covered)],
  };
}
