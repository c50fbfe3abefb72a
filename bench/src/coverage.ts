/**
 * Share of the announced IPv4 space that the hand-written table and the name rules cover, and the largest networks not
 * in the table.
 */

import { fromBigInt } from '@whence/dataset/prefix';
import { openCurrent } from '@whence/dataset/publish';
import type { Dataset } from '@whence/dataset/read';
import type { AsnRecord } from '@whence/dataset/record';
import { roleByName } from '../../dataset/dist/tables/name-rules.js';
import { networkByHand, networkRows } from '../../dataset/dist/tables/networks.js';
import { printable } from '../../server/dist/terminal/printable.js';
import { listOf, readLabels } from './accuracy/labels.ts';

const LISTED_NETWORKS = 40;
const MILESTONES = [1000, 2000, 5000, 10_000];

export async function coverage(): Promise<void> {
  const dataset = openCurrent(process.env['WHENCE_DATA_DIR'] ?? './whence-data');
  if (dataset === undefined) throw new Error('there is no dataset; build one with: npm run dataset');
  const networks = Array.from({ length: dataset.asnCount }, (_, row) => dataset.asnAt(row));
  const total = addressesOf(networks);
  for (const by of ['by hand', 'by name', 'by default'] as const) {
    const members = networks.filter((network) => decidedBy(network) === by);
    const share = ((100 * addressesOf(members)) / total).toFixed(1);
    console.log(`${by.padEnd(10)} ${String(members.length).padStart(6)} networks ${share.padStart(5)} % of IPv4 space`);
  }
  for (const count of MILESTONES) {
    const labelled = networks.slice(0, count).filter(({ asn }) => networkByHand(asn) !== undefined).length;
    console.log(`of the ${count} largest, ${labelled} are labelled by hand`);
  }
  const roles = new Map<string, number>();
  for (const [, { role }] of networkRows) roles.set(role, (roles.get(role) ?? 0) + 1);
  console.log(`rows: ${[...roles].map(([role, rows]) => `${rows} ${role}`).join(', ')}`);
  sayVpnHosts(dataset);
  console.log('\nlargest networks without a row in the table:');
  const unlabelled = networks.filter(({ asn }) => networkByHand(asn) === undefined).slice(0, LISTED_NETWORKS);
  for (const { asn, asn_name, country, connection_type, address_count } of unlabelled) {
    console.log(
      `${`AS${asn}`.padEnd(9)} ${country} ${String(address_count.ipv4).padStart(8)} ${connection_type.padEnd(11)} ${printable(asn_name)}`,
    );
  }
}

/** Networks with addresses on lists of VPNs and proxies: homes too, but only hosting networks are counted as labelled. */
function sayVpnHosts(dataset: Dataset): void {
  const labels = readLabels();
  if (labels === undefined) return;
  const listed = new Set<number>();
  for (const id of ['x4b-vpn-v4', 'proxies-http', 'proxies-socks4', 'proxies-socks5']) {
    for (const start of listOf(labels, id, 'prefixes').ranges[4].starts) {
      const match = dataset.find(fromBigInt(start, 4));
      if (match !== 0) listed.add(dataset.asnNumber(match));
    }
  }
  const servers = [...listed].filter((asn) => networkByHand(asn)?.role === 'datacenter').length;
  console.log(
    `networks with addresses on lists of VPNs and proxies: ${listed.size}, ${servers} of them labelled as hosting`,
  );
}

function decidedBy({ asn, asn_name, handle }: AsnRecord): 'by hand' | 'by name' | 'by default' {
  if (networkByHand(asn) !== undefined) return 'by hand';
  return roleByName(asn_name, handle) === undefined ? 'by default' : 'by name';
}

function addressesOf(networks: readonly AsnRecord[]): number {
  return networks.reduce((sum, { address_count }) => sum + address_count.ipv4, 0);
}
