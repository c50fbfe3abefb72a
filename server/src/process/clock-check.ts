/**
 * Whether the time may be used for what cannot be undone: removing rows, and revoking keys as scheduled. Nothing of that
 * may follow from one clock. On PostgreSQL the clocks of database and machine are compared (`storage/postgres/database-clock`).
 * With SQLite there is one wall clock, which is compared with the monotonic clock: after a jump, it must run steadily for
 * some time.
 */
import type { Storage } from '../storage/storage.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** After a jump, for example when a laptop wakes up. Requests are refused in time without it. */
const STEADY_MS = 600_000;

type ClockCheckOptions = {
  readonly storage: Pick<Storage, 'nowMs' | 'refusedClockMs'>;
  readonly machineMs: () => number;
  readonly monotonicMs?: () => number;
  /** Once when the clock becomes wrong, with the difference, and once with 0 when it is right again. */
  readonly changed: (differenceMs: number) => void;
};

export class ClockCheck {
  readonly #options: ClockCheckOptions;
  readonly #monotonicMs: () => number;
  #last: { readonly machineMs: number; readonly monotonicMs: number };
  #jump = { byMs: 0, untilMs: 0 };
  #differenceMs = 0;

  constructor(options: ClockCheckOptions) {
    this.#options = options;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
    this.#last = { machineMs: options.machineMs(), monotonicMs: this.#monotonicMs() };
  }

  /** By how much the clock is wrong; 0 if it may be used. */
  get differenceMs(): number {
    return this.#differenceMs;
  }

  /** Rows are removed by days, so a smaller difference between the clocks does no harm. */
  get mayRemoveRows(): boolean {
    const { storage, machineMs } = this.#options;
    const databaseMs = storage.nowMs();
    return this.#differenceMs === 0 && (databaseMs === undefined || Math.abs(databaseMs - machineMs()) <= DAY_MS);
  }

  /** To be called every second. */
  check(): void {
    const { storage, changed } = this.#options;
    const before = this.#differenceMs;
    this.#differenceMs = storage.nowMs() === undefined ? this.#jumpMs() : (storage.refusedClockMs() ?? 0);
    if ((before === 0) !== (this.#differenceMs === 0)) changed(this.#differenceMs);
  }

  #jumpMs(): number {
    const now = { machineMs: this.#options.machineMs(), monotonicMs: this.#monotonicMs() };
    const byMs = now.machineMs - this.#last.machineMs - (now.monotonicMs - this.#last.monotonicMs);
    this.#last = now;
    if (Math.abs(byMs) > HOUR_MS) this.#jump = { byMs: this.#jump.byMs + byMs, untilMs: now.monotonicMs + STEADY_MS };
    // Back where it was, or steady since.
    if (Math.abs(this.#jump.byMs) <= HOUR_MS || now.monotonicMs >= this.#jump.untilMs)
      this.#jump = { byMs: 0, untilMs: 0 };
    return this.#jump.byMs;
  }
}
