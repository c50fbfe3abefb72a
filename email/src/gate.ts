/**
 * Lets a number of holders in at a time, and only some of them in one turn of the event loop; the others wait in line. Who enters must leave.
 * The turns matter: 500 queries sent in one go overflow the receive buffer of a common resolver, and each one lost costs a timeout.
 */
export class Gate {
  readonly #line: (() => void)[] = [];
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
      this.#line.push(resolve);
      this.#admit();
    });
  }

  leave(): void {
    this.#free++;
    this.#admit();
  }

  #admit(): void {
    while (this.#free > 0 && this.#leftThisTurn > 0) {
      const next = this.#line.shift();
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
