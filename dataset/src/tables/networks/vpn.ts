import type { NetworkRow } from './network-row.ts';

/**
 * AS numbers that VPN operators run for their own exits, without hosting providers that VPNs rent from. As of 2026-11.
 */
export const vpn: readonly NetworkRow[] = [
  [209854, 'datacenter', 'Surfshark'],
  [136787, 'datacenter', 'NordVPN (PacketHub)'],
  [272096, 'datacenter', 'NordVPN (PacketHub)'],
  [207137, 'datacenter', 'NordVPN (PacketHub)'],
  [147049, 'datacenter', 'NordVPN (PacketHub)'],
  [141039, 'datacenter', 'NordVPN (PacketHub)'],
  [208172, 'datacenter', 'Proton VPN'],
  [199218, 'datacenter', 'Proton VPN'],
  [209103, 'datacenter', 'Proton VPN'],
  [216025, 'datacenter', 'Mullvad'],
  [397540, 'datacenter', 'Windscribe'],
  [203619, 'datacenter', 'IVPN'],
  [22781, 'datacenter', 'StrongVPN (Strong Technology)'],
  [62651, 'datacenter', 'StrongVPN, IPVanish (Strong Technology)'],
  [13926, 'datacenter', 'StrongVPN, IPVanish (Strong Technology)'],
  [140952, 'datacenter', 'StrongVPN, IPVanish (Strong Technology)'],
  [54203, 'datacenter', 'StrongVPN (Strong Technology)'],
  [46253, 'datacenter', 'IPVanish (Mudhook Marketing)'],
  [197640, 'datacenter', 'OverPlay'],
  [22363, 'datacenter', 'VyprVPN (Powerhouse Management)'],
  [394087, 'datacenter', 'PureVPN'],
  [201665, 'datacenter', 'Anonymizer'],
  [53559, 'datacenter', 'Anonymizer (KST Networks)'],
  [208765, 'datacenter', 'Bullet Proof VPN'],
  [213163, 'datacenter', 'Free Unlimited VPN'],
  [394104, 'datacenter', 'IPLockVPN'],
];
