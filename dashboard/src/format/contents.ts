/**
 * What is remarkable in a prefix or a network: `160 Tor exits, 57 critical`. Empty if nothing is.
 */
import { FLAG_FACTS } from '@whence/dataset/record';
import { FLAGS } from './names.ts';
import { formatNumber } from './number.ts';

type Share = { readonly value: string; readonly addresses: number };
export type Contents = {
  readonly flags: readonly Share[];
  readonly threat_levels: readonly Share[];
};

/** The kinds of the other addresses are those of the network. */
export const INSIDE = FLAGS.filter((flag) => FLAG_FACTS[flag].isShortLived);
const LEVELS = ['critical', 'high'] as const;

export function contentWords({ flags, threat_levels }: Contents): string {
  const amount = (shares: readonly Share[], wanted: string) =>
    shares.find(({ value }) => value === wanted)?.addresses ?? 0;
  const parts = [
    ...INSIDE.map((flag): [number, string] => {
      const addresses = amount(flags, flag);
      return [addresses, addresses === 1 ? FLAG_FACTS[flag].word : FLAG_FACTS[flag].many];
    }),
    ...LEVELS.map((level): [number, string] => [amount(threat_levels, level), level]),
  ];
  return parts
    .filter(([addresses]) => addresses > 0)
    .map(([addresses, words]) => `${formatNumber(addresses)} ${words}`)
    .join(', ');
}
