/**
 * Networks labelled by hand: connection type, cloud provider, VPN operator. Names of organisations can mislead (AS22394
 * is registered as Verizon Business and serves phones of Verizon Wireless), so this table comes before every rule. The
 * rows are in `networks/`, by region; each AS number is listed once.
 */

import type { ConnectionType } from '../record.ts';
import { africaAndMiddleEast } from './networks/africa-and-middle-east.ts';
import { cloud } from './networks/cloud.ts';
import { eastAsia } from './networks/east-asia.ts';
import { hosting } from './networks/hosting.ts';
import { latinAmerica } from './networks/latin-america.ts';
import { mixed } from './networks/mixed.ts';
import { northAmerica } from './networks/north-america.ts';
import { northAndEastEurope } from './networks/north-and-east-europe.ts';
import { smallHosting } from './networks/small-hosting.ts';
import { southAsiaAndOceania } from './networks/south-asia-and-oceania.ts';
import { vpn } from './networks/vpn.ts';
import { vpnHosts } from './networks/vpn-hosts.ts';
import { westernEurope } from './networks/western-europe.ts';

export const NETWORKS_AS_OF = '2026-11-15';

type Network = {
  readonly role: ConnectionType;
  readonly owner: string;
  readonly provider?: string;
  readonly vpn?: string;
};

export function networkByHand(asn: number): Network | undefined {
  return networks.get(asn);
}

/** All rows, with duplicates, so that a test can check that there are none. */
export const networkRows: readonly (readonly [asn: number, network: Network])[] = [
  ...[
    ...northAmerica,
    ...latinAmerica,
    ...westernEurope,
    ...northAndEastEurope,
    ...africaAndMiddleEast,
    ...eastAsia,
    ...southAsiaAndOceania,
    ...hosting,
    ...smallHosting,
    ...vpnHosts,
    ...mixed,
  ].map(([asn, role, owner]) => [asn, { role, owner }] as const),
  ...vpn.map(([asn, role, owner]) => [asn, { role, owner, vpn: owner }] as const),
  ...Object.entries(cloud).flatMap(([provider, asns]) =>
    asns.map((asn) => [asn, { role: 'datacenter', owner: provider, provider } as const] as const),
  ),
];

const networks: ReadonlyMap<number, Network> = new Map(networkRows);
