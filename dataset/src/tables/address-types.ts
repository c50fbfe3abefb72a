/**
 * Addresses inside a network of another kind: phones in the network of an operator that also connects homes, and IPv6
 * of homes that is announced by the operator's backbone. Written by hand. A range is here only if public data show
 * whose it is: an allocation of its own, or that the operator's own access network announced it before (RIPE RIS of
 * 2019-03-04).
 */
import type { ConnectionType } from '../record.ts';

export const ADDRESS_TYPES_AS_OF = '2026-11-16';

export const addressTypes: readonly (readonly [prefix: string, type: ConnectionType, whose: string])[] = [
  // Allocated to the operator as one block (AT&T: announced as one block), and known as the pool of its phones.
  ['80.187.0.0/16', 'mobile', 'Telekom Deutschland'],
  ['2a01:598::/29', 'mobile', 'Telekom Deutschland'],
  ['46.114.0.0/15', 'mobile', 'O2 Germany'],
  ['109.40.0.0/13', 'mobile', 'Vodafone Germany'],
  ['166.205.0.0/16', 'mobile', 'AT&T Mobility'],
  // One GB allocation each (/11 of 2010, /18 of 2002), announced by AS2856 (BT, which owns EE) today. Known as phones of
  // EE; the holder was not checked.
  ['31.64.0.0/11', 'mobile', 'EE'],
  ['213.205.192.0/18', 'mobile', 'EE'],
  // Known as pools of phones. Not confirmed by public data: to be removed if a label contradicts them.
  ['92.184.0.0/16', 'mobile', 'Orange France'],
  ['106.128.0.0/13', 'mobile', 'KDDI (au)'],
  ['182.248.0.0/14', 'mobile', 'KDDI (au)'],
  ['126.32.0.0/14', 'mobile', 'SoftBank'],
  ['126.152.0.0/13', 'mobile', 'SoftBank'],
  ['126.253.0.0/16', 'mobile', 'SoftBank'],
  ['126.254.0.0/15', 'mobile', 'SoftBank'],
  // As above; 2a00:1fa0::/32 and 95.153.128.0/18 are allocations of their own.
  ['2a00:20::/32', 'mobile', 'Vodafone Germany'],
  ['2a00:1fa0::/29', 'mobile', 'MTS Russia'],
  ['95.153.128.0/18', 'mobile', 'MTS Russia'],
  ['217.66.152.0/21', 'mobile', 'MTS Russia'],
  ['1.128.0.0/11', 'mobile', 'Telstra'],
  // Allocated in 2000, when MTS had phones only; parts are announced by its mobile networks AS13174, AS28884, AS39811.
  ['213.87.0.0/16', 'mobile', 'MTS Russia'],
  // One allocation, announced by AS12576 (EE) in 2019 and by AS2856 (BT, which owns EE) today.
  ['2a01:4c8::/29', 'mobile', 'EE'],
  // Announced by AS24378 (dtac, phones) in 2019, by AS10089 (dtac) today.
  ['2404:8d00::/29', 'mobile', 'dtac'],
  // Vivo: phones are in AS26599, which also announced this allocation in 2019.
  ['2804:18::/32', 'mobile', 'Vivo (Telefonica Brasil)'],
  // The peering LAN of Equinix Ashburn, which a member announces by mistake.
  ['206.126.236.0/22', 'business', 'Equinix Ashburn'],
  // In 2a00:2380::/25, announced by AS2856 (BT, homes) in 2019; by AS5400 (BT, business) within a /22 today.
  ['2a00:23c0::/26', 'residential', 'BT'],
  // Announced by AS3215 (Orange France, homes) as eight /30s in 2019; by AS5511 (Orange's backbone) within a /23 today.
  ['2a01:cb00::/27', 'residential', 'Orange France'],
  // Announced by AS12479, AS15962 and AS25454 in 2019; by AS5511 within 2a01:c000::/19 today.
  ['2a01:c500::/28', 'residential', 'Orange Spain'],
  ['2a01:c840::/28', 'residential', 'Orange Slovakia'],
  ['2a01:c8c0::/28', 'residential', 'Orange Moldova'],
  // Announced in parts by AS20115 and AS33588 (Charter, homes) and by regional networks of Charter.
  ['2600:6c00::/24', 'residential', 'Charter (Spectrum)'],
  // Announced by AS33363 (Charter, former Bright House) in 2019; in parts by AS22516 and AS23200 (Charter) today.
  ['2603:9000::/28', 'residential', 'Charter (Spectrum)'],
];
