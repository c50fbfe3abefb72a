/**
 * What kind of network an AS is. The first of these that knows the AS decides: the hand-written table, lists that give
 * networks a role, lists of hosting networks, rules on names. If none does, the type is a neutral default.
 */
import type { ConnectionType, Source } from '../../record.ts';
import { roleByName } from '../../tables/name-rules.ts';
import { networkByHand } from '../../tables/networks.ts';
import type { NetworkList } from '../input/compile-input.ts';

export type Connection = {
  readonly type: ConnectionType;
  /** Absent where the type is the default. */
  readonly decidedBy?: Source;
  /** The type was assigned to this network in particular, so a list of hosting prefixes does not overrule it. */
  readonly isLabelled: boolean;
  readonly cloud_provider?: string;
  readonly vpn?: { readonly operator: string | undefined; readonly source: Source };
  /** The list that names the whole network as criminal. */
  readonly criminal?: Source;
};

type ConnectionTables = Readonly<Record<'networks' | 'name-rules', Source>>;

export function connectionOf(
  asn: number,
  { name, handle }: { name: string; handle: string | undefined },
  lists: readonly NetworkList[],
  tables: ConnectionTables,
): Connection {
  const listing = lists.filter(({ networks }) => networks.has(asn));
  const vpnList = listing.find(({ drives }) => drives.includes('is_vpn'));
  const criminal = listing.find(({ drives }) => drives.includes('criminal_netblock'))?.source;
  const known = networkByHand(asn);
  const vpn =
    known?.vpn !== undefined
      ? { operator: known.vpn, source: tables.networks }
      : vpnList && { operator: vpnList.operator, source: vpnList.source };
  const marks = {
    ...(known?.provider === undefined ? {} : { cloud_provider: known.provider }),
    ...(vpn === undefined ? {} : { vpn }),
    ...(criminal === undefined ? {} : { criminal }),
  };
  if (known !== undefined) return { type: known.role, decidedBy: tables.networks, isLabelled: true, ...marks };
  return { ...typeWithoutTable(asn, { name, handle }, lists, tables), ...marks };
}

/** What lists, rules and the default say. For networks of the table it shows how good these are. */
export function typeWithoutTable(
  asn: number,
  { name, handle }: { name: string; handle: string | undefined },
  lists: readonly NetworkList[],
  tables: ConnectionTables,
): Pick<Connection, 'type' | 'decidedBy' | 'isLabelled'> {
  const listing = lists.filter(({ networks }) => networks.has(asn));
  for (const { source, drives, networks, role } of listing) {
    const type = networks.get(asn)?.role ?? role;
    if (drives.includes('connection_type') && type !== undefined) return { type, decidedBy: source, isLabelled: true };
  }
  const hosting = listing.find(({ drives }) => drives.includes('is_datacenter'));
  if (hosting !== undefined) return { type: 'datacenter', decidedBy: hosting.source, isLabelled: false };
  const rule = roleByName(name, handle);
  if (rule !== undefined) return { type: rule.role, decidedBy: tables['name-rules'], isLabelled: false };
  // `business` sets no flag: a missing flag does less harm than a wrong one.
  return { type: 'business', isLabelled: false };
}
