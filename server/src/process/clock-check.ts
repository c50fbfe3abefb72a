// Whether the time may be used for what cannot be undone: removing rows and revoking keys. Two
// clocks must agree (`storage/postgres/database-clock`), and it must have run steadily, because
// database and machine may be one clock. With SQLite they are: it is compared with the monotonic
// clock.
import { HOUR_MS } from '../day.ts';
import type { Storage } from '../storage/storage.ts';

/**
 * After a start or a jump, for example when a laptop wakes up. Requests are refused in time without
 * it.
 */
const STEADY_MS = 600_000;

type ClockCheckOptions = {
  readonly storage: Pick<Storage, 'nowMs' | 'clockState'>;
  readonly machineMs: () => number;
  readonly monotonicMs?: () => number;
  readonly steadyMs?: number | undefined;
  /**
   * Once when the clock becomes wrong, with the difference, and once with 0 when it is right again.
   */
  readonly changed: (differenceMs: number) => void;
};

export class ClockCheck {
  readonly #options: ClockCheckOptions;
  readonly #monotonicMs: () => number;
  readonly #steadyMs: number;
  #last: { readonly nowMs: number; readonly monotonicMs: number };
  #steadySinceMs: number;
  #jumpMs = 0;
  #differenceMs = 0;

  constructor(options: ClockCheckOptions) {
    this.#options = options;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
    this.#steadyMs = options.steadyMs ?? STEADY_MS;
    this.#last = { nowMs: this.nowMs, monotonicMs: this.#monotonicMs() };
    this.#steadySinceMs = this.#last.monotonicMs;
    this.check();
  }

  /**
   * Replicas agree on the day that a request counts for, even if the clocks of their machines
   * differ.
   */
  get nowMs(): number {
    return this.#options.storage.nowMs() ?? this.#options.machineMs();
  }

  /** By how much the clock is wrong; 0 if it is used. */
  get differenceMs(): number {
    return this.#differenceMs;
  }

  get isSteady(): boolean {
    return this.#differenceMs === 0 && this.#monotonicMs() - this.#steadySinceMs >= this.#steadyMs;
  }

  /**
   * What this process records for others: the clock of its machine, if that agrees with the time in
   * use, and a new day.
   */
  get agreed(): { readonly machineAt?: Date; readonly newDay?: string } {
    const { storage, machineMs } = this.#options;
    const state = storage.clockState();
    if (state?.isAgreed !== true) return {};
    const at = machineMs();
    return {
      ...(Math.abs(at - this.nowMs) <= HOUR_MS && { machineAt: new Date(at) }),
      ...(state.newDay !== undefined && { newDay: state.newDay }),
    };
  }

  /** To be called every second. */
  check(): void {
    const { storage, changed } = this.#options;
    const now = { nowMs: this.nowMs, monotonicMs: this.#monotonicMs() };
    const byMs = now.nowMs - this.#last.nowMs - (now.monotonicMs - this.#last.monotonicMs);
    this.#last = now;
    if (Math.abs(byMs) > HOUR_MS) {
      this.#steadySinceMs = now.monotonicMs;
      this.#jumpMs += byMs;
    }
    // Back where it was, or steady since.
    if (
      Math.abs(this.#jumpMs) <= HOUR_MS ||
      now.monotonicMs - this.#steadySinceMs >= this.#steadyMs
    )
      this.#jumpMs = 0;
    const before = this.#differenceMs;
    this.#differenceMs = storage.clockState()?.differenceMs ?? this.#jumpMs;
    if ((before === 0) !== (this.#differenceMs === 0)) changed(this.#differenceMs);
  }
}
