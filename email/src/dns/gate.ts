// A semaphore that also limits how many enter in one turn of the event loop: 500 queries at once
// overflow the receive buffer of a typical resolver, and each lost query costs a timeout.
export class Gate {
  readonly #queue: (() => void)[] = [];
  readonly #perTurn: number;
  #free: number;
  #leftThisTurn: number;

  constructor({ places, perTurn }: { places: number; perTurn: number }) {
    this.#free = places;
    this.#perTurn = perTurn;
    this.#leftThisTurn = perTurn;
  }

  enter(): Promise<void> {
    return new Promise((resolve) => {
      this.#queue.push(resolve);
      this.#admit();
    });
  }

  leave(): void {
    this.#free++;
    this.#admit();
  }

  #admit(): void {
    while (this.#free > 0 && this.#leftThisTurn > 0) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      if (this.#leftThisTurn === this.#perTurn) setImmediate(() => this.#startTurn());
      this.#leftThisTurn--;
      this.#free--;
      next();
    }
  }

  #startTurn(): void {
    this.#leftThisTurn = this.#perTurn;
    this.#admit();
  }
}
