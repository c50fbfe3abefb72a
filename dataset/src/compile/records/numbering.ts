/** The order of the file: the largest network first, records by network, and every reference to them by row. */
import type { Compiled } from '../../file/write.ts';
import type { CoveredPrefix } from '../layers/covered-prefixes.ts';
import type { WalkedFamily } from '../layers/walk.ts';
import type { NetworkTable } from './network-table.ts';
import type { RecordTable } from './record-table.ts';

type Numbered = {
  readonly networks: NetworkTable;
  readonly records: RecordTable;
  readonly ipv4: WalkedFamily;
  readonly ipv6: WalkedFamily;
};

export function numberRows({
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
