// Access networks of which a list flags a large part. A list can be plausible by itself and name
// all of one provider.

import { labelledNetworks } from '../../data-files/data-files.ts';
import type { FlaggedAccessNetwork } from '../../file/write.ts';
import { getOrInsert } from '../../get-or-insert.ts';

const FLAGS: ReadonlySet<string> = new Set(['is_datacenter', 'is_tor_exit', 'is_proxy', 'is_vpn']);
/** Stands for the score of a criminal netblock or more. */
const THREAT = 'threat';
export const CRIMINAL_SCORE = 75;
export const MAX_FLAGGED_SHARE = 0.25;
/** In a smaller network a quarter is few addresses, which may be rented out to servers. */
const FEW_ADDRESSES = 65_536;

export class FlaggedAccessNetworks {
  readonly #networks = new Map<
    number,
    { addresses: number; flagged: Map<string, number> } | null
  >();

  visit(
    asn: number,
    addresses: number,
    { flags, score }: { flags: readonly string[]; score: number },
  ): void {
    const network = getOrInsert(this.#networks, asn, () => {
      const type = labelledNetworks.find(asn)?.connection_type;
      return type === 'residential' || type === 'mobile'
        ? { addresses: 0, flagged: new Map() }
        : null;
    });
    if (network === null) return;
    network.addresses += addresses;
    for (const flag of flags)
      if (FLAGS.has(flag)) network.flagged.set(flag, (network.flagged.get(flag) ?? 0) + addresses);
    if (score >= CRIMINAL_SCORE)
      network.flagged.set(THREAT, (network.flagged.get(THREAT) ?? 0) + addresses);
  }

  finish(): FlaggedAccessNetwork[] {
    return [...this.#networks].flatMap(([asn, network]) =>
      network === null || network.addresses < FEW_ADDRESSES
        ? []
        : [...network.flagged].flatMap(([flag, flagged]) =>
            flagged > network.addresses * MAX_FLAGGED_SHARE
              ? [{ asn, flag, flagged, addresses: network.addresses }]
              : [],
          ),
    );
  }
}
