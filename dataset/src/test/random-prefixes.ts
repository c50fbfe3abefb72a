/** Random prefixes in 256 units of addresses, so few that a test can look up each of them. */
import { formatPrefix, fromBigInt } from '../prefix.ts';

export const UNITS = 256;
/** A unit is an IPv4 address or an IPv6 /52, so that some networks are smaller than a /48. */
export const UNIVERSES = {
  4: { base: 0x01000000n, unit: 1n, unitLength: 32 },
  6: { base: 0x20014860n << 96n, unit: 1n << 76n, unitLength: 52 },
} as const;

export type RandomValues = {
  readonly pick: <T>(values: readonly T[]) => T;
  /** Aligned, of 1 to 64 units, so that many are nested. */
  readonly prefix: () => string;
};

export function randomValues(random: () => number): RandomValues {
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  const prefix = (): string => {
    const version = pick([4, 6] as const);
    const { base, unit, unitLength } = UNIVERSES[version];
    const bits = below(7);
    const first = (below(UNITS) >> bits) << bits;
    return formatPrefix(fromBigInt(base + BigInt(first) * unit, version), unitLength - bits);
  };
  return { pick, prefix };
}
