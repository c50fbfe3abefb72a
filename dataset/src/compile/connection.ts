/** What kind of network an AS is: what we know by hand comes first, then what its name gives away, then nothing. */
import type { ConnectionType } from '../record.ts';
import { roleByName } from '../tables/name-rules.ts';
import { networkByHand } from '../tables/networks.ts';

export type Connection = {
  type: ConnectionType;
  /** Which of our tables decided; absent when nothing is known and the type is the neutral default. */
  decidedBy?: 'networks' | 'name-rules';
  cloud_provider?: string;
  vpn?: string;
};

export function connectionOf(asn: number, name: string, handle?: string): Connection {
  const known = networkByHand(asn);
  if (known !== undefined) {
    const { role, provider, vpn } = known;
    return {
      type: role,
      decidedBy: 'networks',
      ...(provider === undefined ? {} : { cloud_provider: provider }),
      ...(vpn === undefined ? {} : { vpn }),
    };
  }
  const rule = roleByName(name, handle);
  if (rule !== undefined) return { type: rule.role, decidedBy: 'name-rules' };
  // `business` sets no flag at all: a missing flag harms less than a wrong one.
  return { type: 'business' };
}
