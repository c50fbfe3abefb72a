/** Work under way that several may wait for: whoever comes while it is going on joins it, and it is aborted when the last one leaves. */
export class InFlight<T> {
  readonly #flights = new Map<string, Flight<T>>();

  /** `start` must not reject. It runs only if nobody else has started the same already. */
  join(key: string, start: (signal: AbortSignal) => Promise<T>): Seat<T> {
    const joined = this.#flights.get(key);
    const flight = joined ?? this.#depart(key, start);
    flight.seats++;
    const leave = () => {
      if (--flight.seats > 0) return;
      // Off the list at once: whoever comes next must not join what is being aborted.
      this.#remove(key, flight);
      flight.controller.abort();
    };
    return { result: flight.result, isFirst: joined === undefined, leave };
  }

  abortAll(): void {
    for (const flight of this.#flights.values()) flight.controller.abort();
    this.#flights.clear();
  }

  #depart(key: string, start: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController();
    const flight: Flight<T> = { controller, seats: 0, result: start(controller.signal) };
    this.#flights.set(key, flight);
    void flight.result.then(() => this.#remove(key, flight));
    return flight;
  }

  #remove(key: string, flight: Flight<T>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}

/** `leave` is for those who stop waiting before the result is there, once each. */
export type Seat<T> = { readonly result: Promise<T>; readonly isFirst: boolean; readonly leave: () => void };

type Flight<T> = { readonly controller: AbortController; readonly result: Promise<T>; seats: number };
