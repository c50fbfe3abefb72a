/**
 * The ranges that providers publish in their SPF records, as one sorted list: reports have tens of
 * thousands of addresses, and each is looked up in the ranges of fifty providers.
 */
import type { Resolver } from '../../dns/answer.ts';
import { publishedRanges } from '../../providers.ts';
import { type AddressRange, createSpfEvaluator, parseAddress } from '../../spf/evaluate.ts';
import { checkSpf } from '../../spf/lookups.ts';

export type ProviderOfAddress = (address: string) => string | undefined;

type NamedRange = AddressRange & { readonly service: string };

/** A provider whose record DNS does not answer for is left out. */
export async function findProviderRanges(resolver: Resolver): Promise<ProviderOfAddress> {
  const published = await Promise.all(
    publishedRanges().map(async ({ service, include }): Promise<NamedRange[]> => {
      const { tree } = await checkSpf(include, await resolver.txt(include), resolver);
      const { ranges } = await createSpfEvaluator(tree, resolver);
      return ranges.map(({ version, first, last }) => ({ version, first, last, service }));
    }),
  );
  const ranges = published.flat();
  const byVersion = {
    4: new RangeList(ranges.filter(({ version }) => version === 4)),
    6: new RangeList(ranges.filter(({ version }) => version === 6)),
  };
  return (text) => {
    const address = parseAddress(text);
    return address && byVersion[address.version].find(address.number);
  };
}

/** Ranges may contain each other, and then have the provider of the smallest one. */
class RangeList {
  readonly #ranges: readonly NamedRange[];
  /** By position: the highest address of the ranges up to it, which ends a search. */
  readonly #reach: (number | bigint)[] = [];

  constructor(ranges: readonly NamedRange[]) {
    this.#ranges = ranges.toSorted((a, b) => {
      if (a.first !== b.first) return a.first < b.first ? -1 : 1;
      return a.last > b.last ? -1 : 1;
    });
    for (const { last } of this.#ranges) {
      const before = this.#reach.at(-1);
      this.#reach.push(before !== undefined && before > last ? before : last);
    }
  }

  find(address: number | bigint): string | undefined {
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ranges[middle]?.first ?? 0) <= address) low = middle + 1;
      else high = middle;
    }
    for (let at = low - 1; at >= 0; at--) {
      const range = this.#ranges[at];
      const reach = this.#reach[at];
      if (range === undefined || reach === undefined || reach < address) return undefined;
      if (range.last >= address) return range.service;
    }
    return undefined;
  }
}
