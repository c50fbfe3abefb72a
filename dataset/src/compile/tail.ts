/**
 * The second half of a record, from `country` on: the part that many prefixes share. Its JSON text is made here, once, in
 * ASCII, so that the server puts an answer together from pieces and a character is a byte. It comes in two pieces, because threats vary
 * with the lists an address is on and the rest with its network: together there are many, apart there are few. The country stands before them.
 */
import { asciiJson } from '../ascii-json.ts';
import type { ConnectionType, Detection, Rir, Threat } from '../record.ts';

export type Tail = {
  readonly country: string;
  readonly rir: Rir;
  readonly connection_type: ConnectionType;
  readonly tor: boolean;
  readonly proxy: boolean;
  readonly vpn: boolean;
  readonly ai_company: string | undefined;
  readonly cloud_provider: string | undefined;
  readonly threat: Threat;
};

/** Put together, the members of a record after `country`. */
export function tailTexts(tail: Tail): { network: string; threat: string } {
  const { rir, connection_type, threat } = tail;
  return {
    network: `${asciiJson({ rir, connection_type, detection: detectionOf(tail) }).slice(1, -1)},`,
    threat: asciiJson({ threat }).slice(1, -1),
  };
}

function detectionOf({ connection_type, tor, proxy, vpn, ai_company, cloud_provider }: Tail): Detection {
  return {
    is_datacenter: connection_type === 'datacenter',
    is_tor_exit: tor,
    is_proxy: proxy,
    is_vpn: vpn,
    is_residential: connection_type === 'residential',
    is_mobile: connection_type === 'mobile',
    is_ai_crawler: ai_company !== undefined,
    ...(ai_company === undefined ? {} : { ai_company }),
    ...(cloud_provider === undefined ? {} : { cloud_provider }),
  };
}
