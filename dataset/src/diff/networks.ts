/** Networks (AS numbers) that only one version has, and those with another name. */
import type { Dataset } from '../file/read.ts';

type NetworkChange = { asn: number; asn_name: string; ipv4_addresses: number };
type NameChange = { asn: number; from: string; to: string; ipv4_addresses: number };
export type NetworkChanges = {
  appeared: { count: number; largest: NetworkChange[] };
  vanished: { count: number; largest: NetworkChange[] };
  renamed: { count: number; largest: NameChange[] };
};

/** Rows of a dataset are ordered by the number of IPv4 addresses, so the first ones are the largest. */
export function diffNetworks(before: Dataset, after: Dataset, limit: number): NetworkChanges {
  const appeared = new FirstFew<NetworkChange>(limit);
  const vanished = new FirstFew<NetworkChange>(limit);
  const renamed = new FirstFew<NameChange>(limit);
  for (let row = 0; row < after.networks.count; row++) {
    const formerRow = before.networks.rowOf(after.networks.numberAt(row));
    if (formerRow < 0) appeared.add(() => describe(after, row));
    else if (before.networks.escapedNameAt(formerRow) !== after.networks.escapedNameAt(row)) {
      renamed.add(() => {
        const { asn, asn_name: to, ipv4_addresses } = describe(after, row);
        return { asn, from: before.networks.at(formerRow).asn_name, to, ipv4_addresses };
      });
    }
  }
  for (let row = 0; row < before.networks.count; row++) {
    if (after.networks.rowOf(before.networks.numberAt(row)) < 0) vanished.add(() => describe(before, row));
  }
  return { appeared: appeared.counted(), vanished: vanished.counted(), renamed: renamed.counted() };
}

function describe(dataset: Dataset, row: number): NetworkChange {
  const { asn, asn_name, address_count } = dataset.networks.at(row);
  return { asn, asn_name, ipv4_addresses: address_count.ipv4 };
}

class FirstFew<T> {
  readonly #limit: number;
  readonly #entries: T[] = [];
  #count = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(make: () => T): void {
    if (this.#count++ < this.#limit) this.#entries.push(make());
  }

  counted(): { count: number; largest: T[] } {
    return { count: this.#count, largest: this.#entries };
  }
}
