/**
 * Slots that keys share fairly: a total, a maximum per key, and waiting requests that are served in turn by key. A key
 * with a thousand waiting requests delays another key's first request by one slot, not by a thousand.
 */
export type SlotLimits = {
  readonly slots: number;
  readonly slotsPerKey: number;
  readonly waitingPerKey: number;
  /** Of all keys together; unlimited by default. */
  readonly waiting?: number;
  readonly waitMs: number;
};

type KeyState = { held: number; readonly waiting: Set<() => void> };

export class FairSlots {
  readonly #limits: SlotLimits;
  /** In the order in which keys are served. A key is here while it holds a slot or waits for one. */
  readonly #keys = new Map<string, KeyState>();
  #held = 0;
  #waiting = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  get held(): number {
    return this.#held;
  }

  /** Whether the queue of this key, or of all keys together, is full. */
  isFull(key: string): boolean {
    const { waitingPerKey, waiting = Number.POSITIVE_INFINITY } = this.#limits;
    return this.#waiting >= waiting || (this.#keys.get(key)?.waiting.size ?? 0) >= waitingPerKey;
  }

  /** True once the key holds a slot, which it must release. False after `waitMs`, or when the signal aborts. */
  acquire(key: string, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    const state = this.#keys.get(key) ?? { held: 0, waiting: new Set() };
    this.#keys.set(key, state);
    return new Promise((resolve) => {
      const settle = (hasSlot: boolean) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        state.waiting.delete(take);
        this.#waiting--;
        if (!hasSlot) this.#forgetIfIdle(key, state);
        resolve(hasSlot);
      };
      const take = () => settle(true);
      const giveUp = () => settle(false);
      const timer = setTimeout(giveUp, this.#limits.waitMs);
      signal.addEventListener('abort', giveUp, { once: true });
      state.waiting.add(take);
      this.#waiting++;
      this.#serve();
    });
  }

  release(key: string): void {
    const state = this.#keys.get(key);
    if (state === undefined || state.held === 0) throw new Error(`no slot is held under ${JSON.stringify(key)}`);
    state.held--;
    this.#held--;
    this.#forgetIfIdle(key, state);
    this.#serve();
  }

  #serve(): void {
    while (this.#held < this.#limits.slots) {
      const next = this.#nextKey();
      if (next === undefined) return;
      const { key, state, take } = next;
      // To the end of the queue: the other keys are served first.
      this.#keys.delete(key);
      this.#keys.set(key, state);
      state.held++;
      this.#held++;
      take();
    }
  }

  #nextKey(): { key: string; state: KeyState; take: () => void } | undefined {
    for (const [key, state] of this.#keys) {
      const [take] = state.waiting;
      if (take !== undefined && state.held < this.#limits.slotsPerKey) return { key, state, take };
    }
    return undefined;
  }

  #forgetIfIdle(key: string, state: KeyState): void {
    if (state.held === 0 && state.waiting.size === 0) this.#keys.delete(key);
  }
}
