/**
 * How much of the announced IPv4 space the hand-written table of networks, rules on names and
 * signals decide, and which large networks have no row in the table yet: where a correction of the
 * table is worth most.
 */
import { labelledNetworks } from '../../data-files/data-files.ts';
import type { Dataset } from '../../file/read.ts';
import {
  type AsnRecord,
  CONNECTION_TYPES,
  type ConnectionType,
  TYPE_SIGNALS,
} from '../../record.ts';

/**
 * What decided the connection type of a network: its row in the table, a word in its name, the sum
 * of weak signals, a list of a feed, or the default.
 */
export const DECIDERS = ['table', 'name', 'signals', 'list', 'default'] as const;
export type Decider = (typeof DECIDERS)[number];

export type TableCoverage = {
  readonly version: number;
  readonly networks: number;
  readonly ipv4_addresses: number;
  readonly decided_by: Readonly<
    Record<Decider, { readonly networks: number; readonly ipv4_addresses: number }>
  >;
  /** How many of the `networks` largest have a row. */
  readonly largest: readonly { readonly networks: number; readonly in_table: number }[];
  readonly table_rows: Readonly<Record<ConnectionType, number>>;
  /**
   * Networks with IPv4 addresses that are flagged as VPN or proxy, and how many of them the table
   * lists as hosting.
   */
  readonly vpn_or_proxy: { readonly networks: number; readonly in_table_as_datacenter: number };
  /** The largest networks without a row. */
  readonly not_in_table: readonly UnlistedNetwork[];
};

type UnlistedNetwork = Pick<AsnRecord, 'asn' | 'asn_name' | 'country' | 'connection_type'> & {
  readonly ipv4_addresses: number;
  /** Where its row belongs: a file in the repository, and the line after which it is added. */
  readonly file: string;
  readonly after_line: number;
};

const LARGEST = [1_000, 2_000, 5_000, 10_000];

export function tableCoverage(dataset: Dataset, limit: number): TableCoverage {
  // Rows are ordered by size.
  const networks = Array.from({ length: dataset.networks.count }, (_, row) =>
    dataset.networks.at(row),
  );
  const isListed = ({ asn }: AsnRecord) => labelledNetworks.find(asn) !== undefined;
  const deciders = decidersOf(dataset);
  const { rows } = labelledNetworks;
  const decided = DECIDERS.map((decider) => {
    const members = networks.filter(({ asn }) => (deciders.get(asn) ?? 'default') === decider);
    return [decider, { networks: members.length, ipv4_addresses: addressesOf(members) }] as const;
  });
  return {
    version: dataset.meta.version,
    networks: networks.length,
    ipv4_addresses: addressesOf(networks),
    // An entry for every decider, hence the cast.
    decided_by: Object.fromEntries(decided) as TableCoverage['decided_by'],
    largest: LARGEST.filter((count) => count <= networks.length).map((count) => ({
      networks: count,
      in_table: networks.slice(0, count).filter(isListed).length,
    })),
    // An entry for every type, hence the cast.
    table_rows: Object.fromEntries(
      CONNECTION_TYPES.map((type) => [
        type,
        rows.filter((row) => row.connection_type === type).length,
      ]),
    ) as TableCoverage['table_rows'],
    vpn_or_proxy: countVpnNetworks(dataset),
    not_in_table: networks
      .filter((network) => !isListed(network))
      .slice(0, limit)
      .map(({ asn, asn_name, country, connection_type, address_count }) => ({
        asn,
        asn_name,
        country,
        connection_type,
        ipv4_addresses: address_count.ipv4,
        file: labelledNetworks.path,
        after_line: labelledNetworks.lineOf(asn),
      })),
  };
}

/**
 * By AS number. Lists and tables of addresses may decide parts of a network; what decides most of
 * its runs counts. A network that announces nothing has no entry.
 */
function decidersOf(dataset: Dataset): Map<number, Decider> {
  const bySet = new Map<number, Decider>();
  const runs = new Map<number, Map<Decider, number>>();
  for (const version of [4, 6] as const)
    for (const { match } of dataset.runs(version)) {
      if (match === 0) continue;
      const set = dataset.attributesOf(match);
      let decider = bySet.get(set);
      if (decider === undefined) {
        decider = deciderOf(dataset, set);
        bySet.set(set, decider);
      }
      const asn = dataset.asnNumber(match);
      const counts = runs.get(asn) ?? new Map<Decider, number>();
      runs.set(asn, counts.set(decider, (counts.get(decider) ?? 0) + 1));
    }
  return new Map(
    [...runs].map(([asn, counts]) => [
      asn,
      [...counts].reduce((most, entry) => (entry[1] > most[1] ? entry : most))[0],
    ]),
  );
}

const DECIDER_OF_SOURCE: Readonly<Record<string, Decider>> = {
  networks: 'table',
  'name-rules': 'name',
  'type-signals': 'signals',
};

function deciderOf(dataset: Dataset, set: number): Decider {
  const decisions = dataset.decisions(set);
  const decision = decisions.find(([field]) => field === 'connection_type');
  const isAssumed = decisions.some(
    ([field, , value]) => field === 'type_signal' && value === TYPE_SIGNALS.assumed,
  );
  if (decision === undefined || isAssumed) return 'default';
  return DECIDER_OF_SOURCE[dataset.meta.sources[decision[1]]?.id ?? ''] ?? 'list';
}

function countVpnNetworks(dataset: Dataset): TableCoverage['vpn_or_proxy'] {
  const flagged = new Map<number, boolean>();
  const asns = new Set<number>();
  for (const { match } of dataset.runs(4)) {
    if (match === 0) continue;
    const attributes = dataset.attributesOf(match);
    let isFlagged = flagged.get(attributes);
    if (isFlagged === undefined) {
      const { is_vpn, is_proxy } = dataset.attributes(attributes).detection;
      isFlagged = is_vpn || is_proxy;
      flagged.set(attributes, isFlagged);
    }
    if (isFlagged) asns.add(dataset.asnNumber(match));
  }
  const hosting = [...asns].filter(
    (asn) => labelledNetworks.find(asn)?.connection_type === 'datacenter',
  );
  return { networks: asns.size, in_table_as_datacenter: hosting.length };
}

function addressesOf(networks: readonly AsnRecord[]): number {
  return networks.reduce((sum, { address_count }) => sum + address_count.ipv4, 0);
}
