import type { NetworkRow } from './network-row.ts';

/**
 * Large networks that serve offices, homes, phones and servers alike, or whose use is unknown. `business` sets no flag,
 * so it is not wrong for any of them. As of 2026-11.
 */
export const mixed: readonly NetworkRow[] = [
  [2497, 'business', 'Internet Initiative Japan'],
  [2514, 'business', 'NTT PC Communications'],
  [2116, 'business', 'GlobalConnect Norway'],
  [12091, 'business', 'MTN Business South Africa'],
  [17561, 'business', 'Larus, addresses for lease'],
  [3216, 'business', 'Vimpelcom, former Sovam'],
  [36994, 'business', 'Vodacom Business'],
  [9457, 'business', 'Dreamline'],
  [20011, 'business', 'Dimension Data South Africa'],
  [8011, 'business', 'MongoDB'],
  [10201, 'business', 'Dishnet Wireless'],
  [9919, 'business', 'New Century InfoComm'],
  [12312, 'business', 'ecotel'],
  [398781, 'business', 'Oculus Networks'],
  [4670, 'business', 'Shinbiro'],
  [18302, 'business', 'SK Telecom backbone'],
  [12663, 'business', 'Fastweb, former Vodafone group'],
  [9814, 'business', 'FibrLINK'],
  [17709, 'business', 'Asia Pacific Telecom'],
  [3233, 'business', 'ICI Bucharest'],
  [34397, 'business', 'Cyberia Saudi Arabia'],
  [12301, 'business', 'Invitech'],
  [20485, 'business', 'TransTeleCom backbone'],
  [11489, 'business', 'Bell Canada'],
  [38264, 'business', 'Wateen'],
  [9931, 'business', 'National Telecom Thailand'],
  [12684, 'business', 'SES Astra'],
  [29208, 'business', 'Quantcom'],
  [41012, 'business', 'The Cloud, public Wi-Fi'],
  [2711, 'business', 'Spirit Communications'],
  [20960, 'business', 'TK Telekom'],
];
