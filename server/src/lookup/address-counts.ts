/** Numbers of addresses by value, such as a country: what a walk adds up and a page shows. */
export type AddressCount<Value extends string> = { value: Value; addresses: number };

export class AddressCounts<Value extends string> {
  readonly #counts = new Map<Value, number>();

  add(value: Value, addresses: number): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + addresses);
  }

  /** Largest first; the first `most` of them. */
  sorted(most = Number.POSITIVE_INFINITY): AddressCount<Value>[] {
    const all = [...this.#counts].map(([value, addresses]) => ({ value, addresses }));
    return all.sort((a, b) => b.addresses - a.addresses).slice(0, most);
  }
}
