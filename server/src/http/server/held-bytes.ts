/**
 * Bytes of unread answers and incomplete bodies. Beyond the limit, connections that held theirs
 * longest are closed.
 */
export class HeldBytes<Connection> {
  readonly #maxBytes: number;
  readonly #close: (connection: Connection) => void;
  /** In the order in which they began to hold bytes. */
  readonly #held = new Map<Connection, number>();
  #total = 0;

  constructor(maxBytes: number, close: (connection: Connection) => void) {
    this.#maxBytes = maxBytes;
    this.#close = close;
  }

  get total(): number {
    return this.#total;
  }

  add(connection: Connection, bytes: number): void {
    this.#total += bytes;
    this.#held.set(connection, (this.#held.get(connection) ?? 0) + bytes);
    for (const [longest] of this.#held) {
      if (this.#total <= this.#maxBytes) return;
      this.remove(longest);
      this.#close(longest);
    }
  }

  subtract(connection: Connection, bytes: number): void {
    const held = this.#held.get(connection);
    if (held === undefined) return;
    if (held <= bytes) {
      this.remove(connection);
      return;
    }
    this.#total -= bytes;
    this.#held.set(connection, held - bytes);
  }

  remove(connection: Connection): void {
    this.#total -= this.#held.get(connection) ?? 0;
    this.#held.delete(connection);
  }
}
