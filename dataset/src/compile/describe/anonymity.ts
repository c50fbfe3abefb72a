/** VPNs and privacy relays: who says that people reach the internet through the addresses, and who is believed. */
import type { Source } from '../../record.ts';
import type { Listing } from '../layers/overlays.ts';
import type { Connection } from './connection.ts';

type Tunnel = { readonly operator: string | undefined; readonly source: Source };

/**
 * Providers whose addresses deliver content. Generic VPN lists name them because privacy relays and security products
 * for companies leave from there; no VPN service does.
 */
const CDNS: ReadonlySet<string> = new Set(['Akamai', 'Bunny', 'Cloudflare', 'Fastly']);

export const isCdn = (provider: string | undefined) => provider !== undefined && CDNS.has(provider);

export const isRelayed = (listings: readonly Listing[]) => listings.some(({ overlay }) => overlay.isRelay === true);

/**
 * Who says that the addresses are exits of a VPN: the network, else a list, those of the services first. A relay that
 * hides addresses for privacy (iCloud Private Relay) is not a VPN, whatever other lists say.
 */
export function tunnelOf(
  connection: Connection,
  listings: readonly Listing[],
  provider: string | undefined,
): Tunnel | undefined {
  if (isRelayed(listings)) return undefined;
  if (connection.vpn !== undefined) return connection.vpn;
  // A network that only weak signals call a datacenter may connect homes.
  const isHosting = connection.type === 'datacenter' && connection.signal === undefined;
  const overlays = listings
    .filter(({ statement }) => statement.isNeighbour !== true || isHosting)
    .map(({ overlay }) => overlay)
    .filter(({ drives }) => drives.includes('is_vpn'));
  const generic = isCdn(provider) ? undefined : overlays[0];
  const overlay = overlays.find(({ isGeneric }) => isGeneric !== true) ?? generic;
  return overlay && { operator: overlay.operator, source: overlay.source };
}
