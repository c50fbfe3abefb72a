/**
 * Refuses new requests while the process falls behind, so that accepted ones do not time out: a timer that is late
 * repeatedly. Once is no overload: code may be loading, or a virtual machine was paused.
 */
const TICK_MS = 100;
/** A batch of a thousand takes about two milliseconds; a second means that hundreds of them are waiting. */
const TOO_LATE_MS = 1_000;
const LATE_TICKS = 2;

export class Overload {
  #timer: NodeJS.Timeout | undefined;
  #dueMs = 0;
  #lagMs = 0;
  #lateTicks = 0;
  #worstMs = 0;
  #ticks = 0;

  start(): void {
    this.#dueMs = performance.now() + TICK_MS;
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  get isOverloaded(): boolean {
    return this.#lateTicks >= LATE_TICKS;
  }

  get lagSeconds(): number {
    return Math.max(this.#worstMs, this.#lagMs) / 1000;
  }

  #tick(): void {
    const nowMs = performance.now();
    this.#lagMs = Math.max(0, nowMs - this.#dueMs);
    this.#lateTicks = this.#lagMs > TOO_LATE_MS ? this.#lateTicks + 1 : 0;
    this.#dueMs = nowMs + TICK_MS;
    this.#worstMs = ++this.#ticks % 10 === 0 ? this.#lagMs : Math.max(this.#worstMs, this.#lagMs);
  }
}
