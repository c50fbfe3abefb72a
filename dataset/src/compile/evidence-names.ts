/**
 * Names that the evidence shows and the record does not: the crawlers that fetch from an address, the VPN service or
 * privacy relay behind it, the operator of a Tor exit, the region of a cloud. Several sources may name the same address;
 * each gives a row.
 */
import type { Facts, Reason } from './describe.ts';
import type { Listing } from './overlays.ts';

export function evidenceNames({ connection: { vpn }, listings }: Pick<Facts, 'connection' | 'listings'>): Reason[] {
  const ofNetwork: Reason[] = vpn?.operator === undefined ? [] : [['vpn_service', vpn.source, vpn.operator]];
  const isExit = listings.some(({ overlay }) => overlay.drives.includes('is_tor_exit'));
  const operators = isExit ? listings.filter(({ overlay }) => overlay.namesTorOperators === true) : [];
  return [
    ...ofNetwork,
    ...listings.flatMap(namesOf),
    ...operators.flatMap(({ overlay: { source }, statement: { label } }): Reason[] =>
      label === undefined ? [] : [['tor_operator', source, label]],
    ),
  ];
}

function namesOf({ overlay: { source, drives, crawler, operator, isRelay }, statement }: Listing): Reason[] {
  const names: Reason[] = [];
  const add = (field: string, name: string | undefined) => {
    if (name !== undefined) names.push([field, source, name]);
  };
  add('crawler', crawler);
  if (drives.includes('is_vpn')) add(isRelay === true ? 'relay' : 'vpn_service', operator);
  if (drives.includes('cloud_provider')) add('cloud_region', statement.region);
  return names;
}
