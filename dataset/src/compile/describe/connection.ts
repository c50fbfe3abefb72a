/**
 * What kind of network an AS is. The first of these that knows the AS decides: the hand-written table, lists that give
 * networks a role, lists of hosting networks, rules on names. If none does, weak signals are added up; where these are
 * not clear either, the type is assumed.
 */
import { labelledNetworks, scanners } from '../../data-files/data-files.ts';
import type { ConnectionType, Source, TypeSignal } from '../../record.ts';
import type { CompileInput, NetworkList, Stated } from '../input/compile-input.ts';
import type { NetworkSignals } from '../signals/network-signals.ts';
import { scoreType } from '../signals/type-score.ts';
import { roleByName } from './name-rules.ts';

export type Connection = {
  readonly type: ConnectionType;
  readonly decidedBy: Source;
  /** What decided, if the type is the sum of weak signals. */
  readonly signal?: TypeSignal;
  readonly isAssumed: boolean;
  /** The type was assigned to this network in particular, so a list of hosting prefixes does not overrule it. */
  readonly isLabelled: boolean;
  readonly cloud_provider?: string;
  readonly vpn?: { readonly operator: string | undefined; readonly source: Source };
  /** Who scans the internet from the whole network. */
  readonly scanner?: Stated<string>;
  /** The list that names the whole network as criminal. */
  readonly criminal?: Source;
  /** Lists that name the whole network and are too old to count. */
  readonly tooOld?: readonly Pick<NetworkList, 'source' | 'tooOld'>[];
};

type ConnectionTables = Pick<CompileInput['tables'], 'networks' | 'scanners' | 'name-rules' | 'type-signals'>;

/** What is known about a network besides lists. */
export type NamedNetwork = {
  readonly asn: number;
  readonly name: string;
  readonly handle: string | undefined;
  /** Only called if no list and no rule knows the network. */
  readonly signals: () => NetworkSignals;
};

export function connectionOf(
  network: NamedNetwork,
  lists: readonly NetworkList[],
  tables: ConnectionTables,
): Connection {
  const { asn } = network;
  const listing = lists.filter(({ networks }) => networks.has(asn));
  const vpnList = listing.find(({ drives }) => drives.includes('is_vpn'));
  const criminal = listing.find(({ drives }) => drives.includes('criminal_netblock'))?.source;
  const tooOld = listing.flatMap(({ source, tooOld: drives }) => (drives ? [{ source, tooOld: drives }] : []));
  const known = labelledNetworks.find(asn);
  const vpn =
    known?.vpn_operator !== undefined
      ? { operator: known.vpn_operator, source: tables.networks }
      : vpnList && { operator: vpnList.operator, source: vpnList.source };
  const scanner = scanners.find('', asn)?.operator;
  const marks = {
    ...(scanner === undefined ? {} : { scanner: { value: scanner, source: tables.scanners } }),
    ...(known?.cloud_provider === undefined ? {} : { cloud_provider: known.cloud_provider }),
    ...(vpn === undefined ? {} : { vpn }),
    ...(criminal === undefined ? {} : { criminal }),
    ...(tooOld.length === 0 ? {} : { tooOld }),
  };
  if (known !== undefined)
    return { type: known.connection_type, decidedBy: tables.networks, isLabelled: true, isAssumed: false, ...marks };
  return { ...typeWithoutTable(network, lists, tables), ...marks };
}

/** What lists, rules and signals say. For networks of the table it shows how good these are. */
export function typeWithoutTable(
  { asn, name, handle, signals }: NamedNetwork,
  lists: readonly NetworkList[],
  tables: ConnectionTables,
): Pick<Connection, 'type' | 'decidedBy' | 'signal' | 'isLabelled' | 'isAssumed'> {
  const listing = lists.filter(({ networks }) => networks.has(asn));
  for (const { source, drives, networks, role } of listing) {
    const type = networks.get(asn)?.role ?? role;
    if (drives.includes('connection_type') && type !== undefined)
      return { type, decidedBy: source, isLabelled: true, isAssumed: false };
  }
  const hosting = listing.find(({ drives }) => drives.includes('is_datacenter'));
  const guessed = { isLabelled: false, isAssumed: false };
  if (hosting !== undefined) return { type: 'datacenter', decidedBy: hosting.source, ...guessed };
  const rule = roleByName(name, handle);
  if (rule !== undefined) return { type: rule.role, decidedBy: tables['name-rules'], ...guessed };
  return {
    ...scoreType(signals()),
    decidedBy: tables['type-signals'],
    isLabelled: false,
  };
}
