/**
 * Refuses new requests while the process falls behind, so that accepted ones do not time out: a
 * timer that is late repeatedly. Once is no overload: code may be loading, or a virtual machine was
 * paused. Before that, new work of the classes with a queue is refused: while new connections wait
 * to be accepted, each turn of the event loop that is longer makes all of them wait longer.
 */
const TICK_MS = 100;
/**
 * A batch of a thousand takes about two milliseconds; a second means that hundreds of them are
 * waiting.
 */
const TOO_LATE_MS = 1_000;
/** Where the wait of connections cannot be measured. */
const LATE_MS = 500;
const LATE_TICKS = 2;

/** Whether new connections wait too long; undefined where that cannot be measured. */
type ConnectionWait = { readonly isLate: boolean | undefined };

export class Overload {
  readonly #connections: ConnectionWait;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = 0;
  #lagMs = 0;
  #lateTicks = 0;
  #tooLateTicks = 0;
  #worstMs = 0;
  #ticks = 0;

  constructor(connections: ConnectionWait = { isLate: undefined }) {
    this.#connections = connections;
  }

  start(): void {
    this.#dueMs = performance.now() + TICK_MS;
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  get isOverloaded(): boolean {
    return this.#tooLateTicks >= LATE_TICKS;
  }

  /** Whether new work that would wait in the queue of its cost class is refused. */
  get refusesQueuedWork(): boolean {
    return this.#connections.isLate ?? this.#lateTicks >= LATE_TICKS;
  }

  get lagSeconds(): number {
    return Math.max(this.#worstMs, this.#lagMs) / 1000;
  }

  #tick(): void {
    const nowMs = performance.now();
    this.#lagMs = Math.max(0, nowMs - this.#dueMs);
    this.#lateTicks = this.#lagMs > LATE_MS ? this.#lateTicks + 1 : 0;
    this.#tooLateTicks = this.#lagMs > TOO_LATE_MS ? this.#tooLateTicks + 1 : 0;
    this.#dueMs = nowMs + TICK_MS;
    this.#worstMs = ++this.#ticks % 10 === 0 ? this.#lagMs : Math.max(this.#worstMs, this.#lagMs);
  }
}
