/**
 * Addresses inside a network of another kind: phones in the network of an operator that also connects homes, and IPv6 of
 * homes that is announced by the operator's backbone. Facts about how operators number their customers, written by hand.
 */
import type { ConnectionType } from '../record.ts';

export const ADDRESS_TYPES_AS_OF = '2026-11-15';

export const addressTypes: readonly (readonly [prefix: string, type: ConnectionType, whose: string])[] = [
  ['80.187.0.0/16', 'mobile', 'Telekom Deutschland'],
  ['2a01:598::/29', 'mobile', 'Telekom Deutschland'],
  ['46.114.0.0/15', 'mobile', 'O2 Germany'],
  ['109.40.0.0/13', 'mobile', 'Vodafone Germany'],
  ['92.184.96.0/19', 'mobile', 'Orange France'],
  ['178.197.0.0/16', 'mobile', 'Swisscom'],
  ['2a01:4c8::/32', 'mobile', 'EE'],
  ['213.87.0.0/16', 'mobile', 'MTS Russia'],
  ['46.211.0.0/16', 'mobile', 'Kyivstar'],
  ['166.205.0.0/16', 'mobile', 'AT&T Mobility'],
  ['1.128.0.0/11', 'mobile', 'Telstra'],
  ['2a00:23c0::/26', 'residential', 'BT'],
  ['2a01:cb00::/24', 'residential', 'Orange France'],
  ['2600:6c00::/24', 'residential', 'Charter (Spectrum)'],
];
