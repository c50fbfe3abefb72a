// Sources in, dataset out. Both families are walked run by run: `describe` decides the record of a run, tables number
// what the walk meets, and `numberRows` puts that into the order of the file.
import { oldestDay } from '../data-age.ts';
import type { Drive } from '../feeds/feed.ts';
import type { Compiled } from '../file/write.ts';
import { FLAG_SUBJECTS, type FlagSource, type FlagSources, type FlagSubject, type Source } from '../record.ts';
import { SCORING_DRIVES } from './describe/threat.ts';
import { FlaggedAccessNetworks } from './guard/flagged-access-networks.ts';
import { HeldOutAddresses } from './held-out/addresses.ts';
import { heldOutNetworkRows, labelledNetworkRows } from './held-out/networks.ts';
import { type CompileInput, type Progress, sourcesOf } from './input/compile-input.ts';
import type { CoveredPrefix } from './layers/covered-prefixes.ts';
import { familyLayers } from './layers/layers.ts';
import { type WalkedFamily, walkFamily } from './layers/walk.ts';
import { AttributeTable } from './records/attribute-table.ts';
import { FigureCounter } from './records/figures.ts';
import { NetworkTable } from './records/network-table.ts';
import { RecordTable } from './records/record-table.ts';
import { RunFacts } from './records/run-facts.ts';

export function compile(input: CompileInput, progress: Progress = () => {}): Compiled {
  const sources = sourcesOf(input);
  const figures = new FigureCounter();
  const heldOut = new HeldOutAddresses();
  const accessNetworks = new FlaggedAccessNetworks();
  const networks = new NetworkTable(input);
  const attributes = new AttributeTable(sources, input);
  const records = new RecordTable();

  const compileFamily = (version: 4 | 6, familyProgress: (share: number) => void): WalkedFamily => {
    familyProgress(0);
    const family = familyLayers(input, version);
    const facts = new RunFacts(input, family);
    return walkFamily(family, {
      progress: familyProgress,
      announced: (addresses) => figures.announced(version, addresses),
      recordOf: (run, addresses) => {
        const network = networks.get(run.routes.value);
        networks.addSpace(network, version, addresses, facts.registeredCountry(run));
        if (version === 4) figures.compared(facts.countrySources, facts.countries(run), addresses);
        const set = attributes.get(facts.key(run, network), () => facts.of(run, network));
        figures.answered(version, addresses, set.figures, facts.isConfirmed(run, network.asn, set.figures.country));
        heldOut.visit(version, addresses, set.outcomes);
        if (version === 4) accessNetworks.visit(network.asn, addresses, set.figures);
        return records.number(network.asn, set.id);
      },
    });
  };

  const ipv4 = compileFamily(4, (share) => progress('merging IPv4', share * 0.6));
  const ipv6 = compileFamily(6, (share) => progress('merging IPv6', 0.6 + share * 0.3));
  progress('numbering records', 0.9);
  const flagSources = flagSourcesOf(input);
  return {
    sources,
    figures: figures.finish(),
    dataSources: figures.dataSources(),
    flagSources,
    threatLists: { ipv4: threatLists(input, 4), ipv6: threatLists(input, 6) },
    flaggedAccessNetworks: accessNetworks.finish(),
    heldOut: [
      ...heldOut.finish(flagSources),
      ...heldOutNetworkRows(networks.heldOut(), input.tables.networks),
      ...labelledNetworkRows(networks.labelled()),
    ],
    attributes: attributes.rows,
    ...numberRows({ networks, records, ipv4, ipv6 }),
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
  blocklists: ['blocklist', 'criminal_netblock'],
};
/** Flags that the table of networks, the rules on names and the signals decide as well. Signals do not know phones. */
const BY_NETWORK: readonly FlagSubject[] = ['is_datacenter', 'is_residential', 'is_mobile'];

export function flagSourcesOf(input: CompileInput): FlagSources {
  return Object.fromEntries(FLAG_SUBJECTS.map((subject) => [subject, flagSource(input, subject)])) as FlagSources;
}

function flagSource({ overlays, networkLists, tables }: CompileInput, subject: FlagSubject): FlagSource {
  const deciders: readonly string[] = DRIVES_OF[subject] ?? [subject];
  const isOf = (drives: readonly Drive[] = []) => drives.some((drive) => deciders.includes(drive));
  const decides = ({ drives }: { readonly drives: readonly Drive[] }) => isOf(drives);
  const lists = [...overlays.filter(({ isTable }) => isTable !== true), ...networkLists];
  const feeds = lists.filter(decides);
  const tooOld = lists.filter((list) => isOf(list.tooOld)).map(({ source }) => source);
  const own: Source[] = overlays
    .filter(({ isTable }) => isTable === true)
    .filter(decides)
    .map(({ source }) => source);
  if (BY_NETWORK.includes(subject)) own.push(tables.networks, tables['name-rules']);
  if (subject === 'is_datacenter' || subject === 'is_residential') own.push(tables['type-signals']);
  if (subject === 'is_vpn') own.push(tables.networks);
  const sources = [...feeds.map(({ source }) => source), ...own, ...tooOld];
  // A table beside a feed does not make the feed older: it only fills gaps.
  const deciding = feeds.length > 0 ? feeds.map(({ source }) => source) : own.length > 0 ? own : tooOld;
  const oldest = oldestDay(deciding.map(({ as_of }) => as_of));
  return {
    // Lists that are all too old are still lists: the flag is not unknown for want of a source.
    from: feeds.length > 0 ? 'feeds' : own.length > 0 ? 'tables' : tooOld.length > 0 ? 'feeds' : 'none',
    sources: [...new Set(sources.map(({ id }) => id))],
    ...(oldest === undefined ? {} : { as_of: oldest }),
  };
}

/** A list of networks is about both families. The addresses of a relay have no points. */
function threatLists({ overlays, networkLists }: CompileInput, version: 4 | 6): string[] {
  const ofAddresses = overlays.filter(
    ({ ranges, isTable, isRelay }) => ranges[version].length > 0 && isTable !== true && isRelay !== true,
  );
  return [...ofAddresses, ...networkLists].flatMap(({ source, drives }) =>
    drives.some((drive) => SCORING_DRIVES.includes(drive)) ? source.id : [],
  );
}

/** The order of the file: the largest network first, records by network, and every reference to them by row. */
type Numbered = {
  readonly networks: NetworkTable;
  readonly records: RecordTable;
  readonly ipv4: WalkedFamily;
  readonly ipv6: WalkedFamily;
};

function numberRows({
  networks,
  records,
  ipv4,
  ipv6,
}: Numbered): Pick<Compiled, 'ipv4' | 'ipv6' | 'records' | 'asns' | 'covered'> {
  // All prefixes of a network may be covered by others; the walk has not met such a network yet.
  for (const { asn } of [...ipv4.covered, ...ipv6.covered]) networks.get(asn);
  const ordered = networks.bySize();
  const rowOfAsn = new Map(ordered.map(({ asn }, row) => [asn, row]));
  const { records: sorted, renumber } = records.renumber(rowOfAsn);
  const covered = (version: 4 | 6, prefixes: readonly CoveredPrefix[]) =>
    prefixes.map(({ asn, base, length }) => ({ row: rowOfAsn.get(asn) as number, version, base, length }));
  return {
    ipv4: renumber(ipv4.intervals),
    ipv6: renumber(ipv6.intervals),
    records: sorted,
    asns: ordered.map((network) =>
      networks.compiled(network, ipv4.prefixCounts.get(network.asn) ?? 0, ipv6.prefixCounts.get(network.asn) ?? 0),
    ),
    covered: [...covered(4, ipv4.covered), ...covered(6, ipv6.covered)],
  };
}
