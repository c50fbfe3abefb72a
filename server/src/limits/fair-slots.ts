/**
 * Slots that keys share fairly: a total, a maximum per key, and waiting requests served in turn by
 * key. In a full queue, the last request of the key with most of them makes room. Anonymous
 * clients, who can have any number of keys, are served only when no other client is waiting, and
 * make room first.
 */
export type SlotLimits = {
  readonly slots: number;
  readonly slotsPerKey: number;
  readonly waitingPerKey: number;
  /** Maximum for all keys together; unlimited by default. */
  readonly waiting?: number;
  readonly waitMs: number;
};

type SlotKey = { readonly key: string; readonly isAnonymous?: boolean };

/** Waiting requests: how each takes a slot, and how it gives up. */
type KeyState = {
  held: number;
  readonly isAnonymous: boolean;
  readonly waiting: Map<() => void, () => void>;
};

type Turn = { readonly key: string; readonly state: KeyState; readonly take: () => void };

export class FairSlots {
  readonly #limits: SlotLimits;
  /**
   * In the order in which keys are served. A key is here while it holds a slot or waits for one.
   */
  readonly #keys = new Map<string, KeyState>();
  #held = 0;
  #waiting = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  get held(): number {
    return this.#held;
  }

  get isExhausted(): boolean {
    return this.#waiting > 0 && this.#held >= this.#limits.slots;
  }

  /**
   * Whether this key has as many requests waiting as it may, or no more than any other key while
   * the queue is full.
   */
  isFull({ key, isAnonymous = false }: SlotKey): boolean {
    const { waitingPerKey, waiting = Number.POSITIVE_INFINITY } = this.#limits;
    const own = this.#keys.get(key)?.waiting.size ?? 0;
    if (own >= waitingPerKey) return true;
    if (this.#waiting < waiting) return false;
    const longest = this.#longest();
    if (longest !== undefined && longest.isAnonymous !== isAnonymous) return isAnonymous;
    return (longest?.waiting.size ?? 0) <= own + 1;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * True once the key holds a slot, which it must release. False after `waitMs`, or when the signal
   * aborts.
   */
  acquire(
    { key, isAnonymous = false }: SlotKey,
    signal: AbortSignal,
    waitMs = this.#limits.waitMs,
  ): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    const state = this.#keys.get(key) ?? { held: 0, isAnonymous, waiting: new Map() };
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
      const timer = setTimeout(giveUp, waitMs);
      signal.addEventListener('abort', giveUp, { once: true });
      state.waiting.set(take, giveUp);
      this.#waiting++;
      this.#serve();
      if (this.#waiting > (this.#limits.waiting ?? Number.POSITIVE_INFINITY)) this.#makeRoom();
    });
  }

  release(key: string): void {
    const state = this.#keys.get(key);
    if (state === undefined || state.held === 0)
      throw new Error(`no slot is held under ${JSON.stringify(key)}`);
    state.held--;
    this.#held--;
    this.#moveToEnd(key, state);
    this.#forgetIfIdle(key, state);
    this.#serve();
  }

  #serve(): void {
    while (this.#held < this.#limits.slots) {
      const next = this.#nextKey();
      if (next === undefined) return;
      const { key, state, take } = next;
      this.#moveToEnd(key, state);
      state.held++;
      this.#held++;
      take();
    }
  }

  #nextKey(): Turn | undefined {
    let anonymous: Turn | undefined;
    for (const [key, state] of this.#keys) {
      const [take] = state.waiting.keys();
      if (take === undefined || state.held >= this.#limits.slotsPerKey) continue;
      if (!state.isAnonymous) return { key, state, take };
      anonymous ??= { key, state, take };
    }
    return anonymous;
  }

  /**
   * Other keys are served first: those that waited before it was served, and those that came while
   * it was.
   */
  #moveToEnd(key: string, state: KeyState): void {
    this.#keys.delete(key);
    this.#keys.set(key, state);
  }

  #makeRoom(): void {
    const giveUp = [...(this.#longest()?.waiting.values() ?? [])].at(-1);
    giveUp?.();
  }

  /**
   * The key with the most waiting requests, of anonymous clients if any of them waits. Looked for
   * only when the queue is full.
   */
  #longest(): KeyState | undefined {
    let longest: KeyState | undefined;
    for (const state of this.#keys.values()) {
      const { isAnonymous, waiting } = state;
      const isOther = longest !== undefined && longest.isAnonymous !== isAnonymous;
      if (waiting.size > 0 && (isOther ? isAnonymous : waiting.size > (longest?.waiting.size ?? 0)))
        longest = state;
    }
    return longest;
  }

  #forgetIfIdle(key: string, state: KeyState): void {
    if (state.held === 0 && state.waiting.size === 0) this.#keys.delete(key);
  }
}
