/**
 * What a network is, written by hand: role, cloud provider, VPN operator. Organisation names mislead (AS22394 is registered
 * as Verizon Business and carries Verizon Wireless handsets), so this table comes before every rule. The rows lie by
 * region in `networks/`; an AS number stands in one place only.
 */
import { africaAndMiddleEast } from './networks/africa-and-middle-east.ts';
import { cloud } from './networks/cloud.ts';
import { eastAsia } from './networks/east-asia.ts';
import { hosting } from './networks/hosting.ts';
import { latinAmerica } from './networks/latin-america.ts';
import { mixed } from './networks/mixed.ts';
import type { Role } from './networks/network-row.ts';
import { northAmerica } from './networks/north-america.ts';
import { northAndEastEurope } from './networks/north-and-east-europe.ts';
import { southAsiaAndOceania } from './networks/south-asia-and-oceania.ts';
import { vpn } from './networks/vpn.ts';
import { westernEurope } from './networks/western-europe.ts';

export const NETWORKS_AS_OF = '2026-11-15';

export type Network = {
  readonly role: Role;
  readonly who: string;
  readonly provider?: string;
  readonly vpn?: string;
};

export function networkByHand(asn: number): Network | undefined {
  return networks.get(asn);
}

/** Every row, also one that repeats a number, for the test that there is none. */
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
    ...mixed,
  ].map(([asn, role, who]) => [asn, { role, who }] as const),
  ...vpn.map(([asn, role, who]) => [asn, { role, who, vpn: who }] as const),
  ...Object.entries(cloud).flatMap(([provider, asns]) =>
    asns.map((asn) => [asn, { role: 'datacenter', who: provider, provider } as const] as const),
  ),
];

const networks: ReadonlyMap<number, Network> = new Map(networkRows);
