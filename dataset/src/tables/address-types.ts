/**
 * Addresses inside a network of another kind: phones in the network of an operator that also connects homes, and IPv6 of
 * homes that is announced by the operator's backbone. Written by hand. A range is here only if public data show whose it
 * is: an allocation of its own, or that the operator's own access network announced it before (RIPE RIS of 2019-03-04).
 */
import type { ConnectionType } from '../record.ts';

export const ADDRESS_TYPES_AS_OF = '2026-11-15';

export const addressTypes: readonly (readonly [prefix: string, type: ConnectionType, whose: string])[] = [
  // Allocated to the operator as one block (AT&T: announced as one block), and known as the pool of its phones.
  ['80.187.0.0/16', 'mobile', 'Telekom Deutschland'],
  ['2a01:598::/29', 'mobile', 'Telekom Deutschland'],
  ['46.114.0.0/15', 'mobile', 'O2 Germany'],
  ['109.40.0.0/13', 'mobile', 'Vodafone Germany'],
  ['166.205.0.0/16', 'mobile', 'AT&T Mobility'],
  ['1.128.0.0/11', 'mobile', 'Telstra'],
  // Allocated in 2000, when MTS had phones only; parts are announced by its mobile networks AS13174, AS28884, AS39811.
  ['213.87.0.0/16', 'mobile', 'MTS Russia'],
  // One allocation, announced by AS12576 (EE) in 2019 and by AS2856 (BT, which owns EE) today.
  ['2a01:4c8::/29', 'mobile', 'EE'],
  // Announced by AS24378 (dtac, phones) in 2019, by AS10089 (dtac) today.
  ['2404:8d00::/29', 'mobile', 'dtac'],
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
