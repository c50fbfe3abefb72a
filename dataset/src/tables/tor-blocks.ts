/**
 * Blocks that have been Tor exits for years, for the time before the first download of the exit list. Every row
 * contains exits of the list of 2024-02-27, and every IPv4 row also exits of a list of 2026. Of all single exits of the
 * older list only about a third were left in 2026, because most are rented servers that change their tenant; these
 * blocks are stable. A row is either a block that a relay organisation uses for exits only, as the longest prefix that
 * contains the listed ones, or a single address of an operator that has run an exit there for many years.
 *
 * 192.42.116.0/24 is listed as a whole because its exits have been renumbered within it repeatedly. No longer in use in
 * 2026 and therefore not listed: the blocks of the Calyx Institute (162.247.74.0/24, 185.220.103.0/28), Digitale
 * Gesellschaft (185.195.71.0/28) and Unredacted (23.154.177.0/27).
 */
export const TOR_BLOCKS_AS_OF = '2024-02-27';

export const torBlocks: readonly (readonly [prefix: string, operator: string])[] = [
  // Blocks in use for exits only.
  ['109.70.100.0/28', 'Foundation for Applied Privacy'],
  ['185.129.61.0/28', 'DotSrc'],
  ['185.220.100.240/28', 'F3 Netze'],
  ['185.220.101.0/25', 'Stiftung Erneuerbare Freiheit'],
  ['185.220.101.128/26', 'Stiftung Erneuerbare Freiheit'],
  ['192.42.116.0/24', 'Nothing to Hide'],
  ['193.189.100.192/28', 'KeFF Networks'],
  ['2001:67c:89c:702::/64', 'DotSrc'],
  ['2a03:e600:100::/64', 'Foundation for Applied Privacy'],
  ['2a0b:f4c0:16c::/59', 'F3 Netze'],
  ['2a0b:f4c2::/64', 'Stiftung Erneuerbare Freiheit'],
  ['2a0b:f4c2:1::/64', 'Stiftung Erneuerbare Freiheit'],
  ['2a0b:f4c2:4::/64', 'Stiftung Erneuerbare Freiheit'],
  ['2a0f:df00:0:255::/64', 'KeFF Networks'],

  // Relay organisations with single addresses.
  ['80.67.167.81/32', 'Nos oignons'],
  ['80.67.172.162/32', 'Nos oignons'],
  ['87.118.110.27/32', 'Artikel 5'],
  ['87.118.116.90/32', 'Artikel 5'],
  ['87.118.116.103/32', 'Artikel 5'],
  ['87.118.122.30/32', 'Artikel 5'],
  ['87.118.122.51/32', 'Artikel 5'],
  ['89.234.157.254/32', 'Nos oignons'],
  ['94.142.241.194/32', 'Vrij-Heid'],
  ['94.230.208.147/32', 'Digitale Gesellschaft'],
  ['94.230.208.148/32', 'Digitale Gesellschaft'],
  ['171.25.193.20/32', 'DFRI'],
  ['171.25.193.25/32', 'DFRI'],
  ['171.25.193.77/32', 'DFRI'],
  ['171.25.193.79/32', 'DFRI'],
  ['171.25.193.80/32', 'DFRI'],
  ['171.25.193.234/31', 'DFRI'],
  ['178.20.55.16/32', 'Nos oignons'],
  ['185.34.33.2/32', 'La Quadrature du Net'],
  ['185.67.82.114/32', 'Electronic Frontier Finland'],
  ['185.129.61.129/32', 'DotSrc'],
  ['185.129.62.62/31', 'Zencurity'],
  ['185.233.100.23/32', 'Nos oignons'],
  ['195.176.3.23/32', 'Digitale Gesellschaft'],
  ['195.176.3.24/32', 'Digitale Gesellschaft'],

  // Universities.
  ['128.31.0.13/32', 'MIT CSAIL'],
  ['198.96.155.3/32', 'University of Waterloo'],
  ['204.8.156.142/32', 'Boston University'],
  ['204.85.191.7/32', 'University of North Carolina'],
  ['204.85.191.8/31', 'University of North Carolina'],
  ['204.194.29.4/32', 'Carnegie Mellon University'],

  // Network operators, and single operators at a network; the latter were already listed at the end of 2016.
  ['66.146.193.33/32', 'onShore'],
  ['82.221.139.190/32', 'lone operator at Advania'],
  ['85.93.218.204/32', 'lone operator at Visual Online'],
  ['94.142.244.16/32', 'member of Coloclue'],
  ['95.128.43.164/32', 'Aqua Ray'],
  ['109.169.33.163/32', 'lone operator at iomart'],
  ['166.70.207.2/32', 'XMission'],
  ['185.100.85.132/32', 'lone operator at FlokiNET'],
  ['198.58.107.53/32', 'lone operator at Linode'],
  ['212.21.66.6/32', 'all.de'],
  ['216.239.90.19/32', 'VIF Internet'],
];
