/**
 * The clock of the database, read at intervals and continued with the monotonic clock of this machine. The day that a
 * request counts for must not depend on the wall clock of a replica, which may be wrong or be changed.
 *
 * Neither must it depend on the clock of the database alone: limits would be reset, keys revoked and statistics removed by
 * a clock that is wrong for a minute. A reading that differs from the expected time by more than an hour is used only if
 * the wall clock agrees with it; until then, time continues from the last reading that was used.
 */
import { StorageUnavailable } from '../storage-unavailable.ts';

const INTERVAL_MS = 10_000;
/** While the clock was never read. */
const RETRY_MS = 250;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What the database answers: its time, and when a process of the deployment last removed old rows, if it is known. */
export type ClockReading = { readonly databaseMs: number; readonly lastSeenMs?: number | undefined };

type Clocks = { readonly monotonicMs: () => number; readonly machineMs: () => number };

export class DatabaseClock {
  readonly #read: () => Promise<ClockReading>;
  readonly #monotonicMs: () => number;
  readonly #machineMs: () => number;
  /** Added to the monotonic clock; undefined until the first reading. */
  #offsetMs: number | undefined;
  #refusedMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(
    read: () => Promise<ClockReading>,
    { monotonicMs, machineMs }: Clocks = { monotonicMs: () => performance.now(), machineMs: () => Date.now() },
  ) {
    this.#read = read;
    this.#monotonicMs = monotonicMs;
    this.#machineMs = machineMs;
  }

  /** Resolves when the clock is known, or, where it may fail, has been asked. Later failed readings do not change it. */
  async start({ mayFail = false } = {}): Promise<void> {
    await this.#synchronize().catch((error) => {
      if (!mayFail) throw error;
    });
    this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Undefined until it has been read once. */
  nowMs(): number | undefined {
    return this.#offsetMs === undefined ? undefined : Math.floor(this.#monotonicMs() + this.#offsetMs);
  }

  /** By how much the last reading differs from the time in use, if it was refused. */
  get refusedMs(): number | undefined {
    return this.#refusedMs;
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(
      () => {
        this.#synchronize()
          .catch(() => {})
          .finally(() => this.#schedule());
      },
      this.#offsetMs === undefined ? RETRY_MS : INTERVAL_MS,
    ).unref();
  }

  async #synchronize(): Promise<void> {
    const sentMs = this.#monotonicMs();
    const { databaseMs, lastSeenMs } = await this.#read();
    if (!Number.isFinite(databaseMs)) throw new StorageUnavailable('the database did not answer with its time');
    // The database read its clock between request and response; the middle halves the possible error.
    const readAtMs = (sentMs + this.#monotonicMs()) / 2;
    const machineMs = this.#machineMs();
    const expectedMs =
      this.#offsetMs === undefined ? firstTime(databaseMs, machineMs, lastSeenMs) : readAtMs + this.#offsetMs;
    const isUsed = isNear(databaseMs, expectedMs) || isNear(databaseMs, machineMs);
    this.#offsetMs = (isUsed ? databaseMs : expectedMs) - readAtMs;
    this.#refusedMs = isUsed ? undefined : databaseMs - expectedMs;
  }
}

const isNear = (aMs: number, bMs: number) => Math.abs(aMs - bMs) <= HOUR_MS;

/** If the two clocks differ, the database's is used, unless only the other one fits what the deployment has seen. */
function firstTime(databaseMs: number, machineMs: number, lastSeenMs: number | undefined): number {
  const fits = (ms: number) => lastSeenMs === undefined || (ms > lastSeenMs - HOUR_MS && ms < lastSeenMs + DAY_MS);
  return !fits(databaseMs) && fits(machineMs) ? machineMs : databaseMs;
}
