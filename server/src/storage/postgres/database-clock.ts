// The time that replicas share, from the database and continued with the monotonic clock. One wrong
// clock would reset limits, revoke keys and remove statistics, so two must agree within an hour:
// the database, this machine, those of other processes as recorded in the last minutes, and, with
// half a vote, the time used so far. While no two agree, time stays within the last recorded day.
import { type Day, dayAt, dayOfMs, HOUR_MS } from '../../day.ts';
import type { ClockState } from '../engine.ts';
import { StorageUnavailable } from '../storage-unavailable.ts';

const INTERVAL_MS = 10_000;
/** While the clock was never read. */
const RETRY_MS = 250;

/**
 * Records are written every ten seconds. Those from the future count: the clock of the database was
 * turned back.
 */
const RECENT_MS = 300_000;

export type ClockReading = {
  readonly databaseMs: number;
  readonly recordedDay?: string | undefined;
  /**
   * The clocks of machines as their processes recorded them, and that of the database when they
   * did.
   */
  readonly records?: readonly { readonly machineMs: number; readonly storedMs: number }[];
};

type Clocks = { readonly monotonicMs: () => number; readonly machineMs: () => number };

export class DatabaseClock {
  readonly #read: () => Promise<ClockReading>;
  readonly #monotonicMs: () => number;
  readonly #machineMs: () => number;
  /** Added to the monotonic clock; undefined until the first reading. */
  #offsetMs: number | undefined;
  /**
   * The same for the time on which two clocks last agreed: a clock that only stays near the time in
   * use cannot lead it away.
   */
  #agreedOffsetMs: number | undefined;
  /** While no two clocks agree. */
  #heldDay: Day | undefined;
  #differenceMs = 0;
  #recordedDay: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(
    read: () => Promise<ClockReading>,
    { monotonicMs, machineMs }: Clocks = {
      monotonicMs: () => performance.now(),
      machineMs: () => Date.now(),
    },
  ) {
    this.#read = read;
    this.#monotonicMs = monotonicMs;
    this.#machineMs = machineMs;
  }

  /**
   * Resolves when the clock is known, or, where it may fail, has been asked. Later failed readings
   * do not change it.
   */
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

  nowMs(): number | undefined {
    if (this.#offsetMs === undefined) return undefined;
    const nowMs = Math.floor(this.#monotonicMs() + this.#offsetMs);
    return this.#heldDay === undefined ? nowMs : within(this.#heldDay, nowMs);
  }

  state(): ClockState {
    const nowMs = this.nowMs();
    const isAgreed = nowMs !== undefined && this.#heldDay === undefined;
    const day = isAgreed ? dayOfMs(nowMs) : undefined;
    return {
      differenceMs: this.#differenceMs,
      isAgreed,
      newDay: day === this.#recordedDay ? undefined : day,
    };
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
    const { databaseMs, recordedDay, records = [] } = await this.#read();
    if (!Number.isFinite(databaseMs))
      throw new StorageUnavailable('the database did not answer with its time');
    // The database read its clock between request and response; the middle halves the possible
    // error.
    const readAtMs = (sentMs + this.#monotonicMs()) / 2;
    const machineMs = this.#machineMs();
    const usedMs = this.#agreedOffsetMs === undefined ? undefined : readAtMs + this.#agreedOffsetMs;
    const others = records
      .map((record) => ({ ...record, ageMs: databaseMs - record.storedMs }))
      .filter(({ ageMs }) => ageMs <= RECENT_MS)
      .map((record) => record.machineMs + Math.max(0, record.ageMs));
    const votes = (ms: number) =>
      [databaseMs, machineMs, ...others].filter((other) => isNear(other, ms)).length;
    const isUsed = (ms: number) => usedMs !== undefined && isNear(ms, usedMs);
    const weight = (ms: number) => votes(ms) + (isUsed(ms) ? 0.5 : 0);
    const best = weight(machineMs) > weight(databaseMs) ? machineMs : databaseMs;
    this.#recordedDay = recordedDay;
    if (weight(best) > 1) {
      // Replicas share the clock of the database. Without it, time goes on as before.
      const otherMs = isUsed(best) ? (usedMs as number) : best;
      const nowMs = isNear(databaseMs, best) ? databaseMs : otherMs;
      this.#offsetMs = nowMs - readAtMs;
      if (votes(best) > 1) this.#agreedOffsetMs = this.#offsetMs;
      this.#differenceMs = isNear(databaseMs, best) ? 0 : databaseMs - nowMs;
      this.#heldDay = undefined;
      return;
    }
    // Where nothing was recorded, the earlier day: that of tomorrow must not be begun.
    const candidates = [
      usedMs ?? [],
      Math.min(databaseMs, machineMs),
      Math.max(databaseMs, machineMs),
    ].flat();
    const day = dayAt(
      recordedDay === undefined ? (candidates[0] as number) : Date.parse(recordedDay),
    );
    this.#heldDay = day;
    this.#offsetMs =
      (candidates.find((ms) => within(day, ms) === ms) ?? (candidates[0] as number)) - readAtMs;
    this.#differenceMs = databaseMs - machineMs;
  }
}

const isNear = (aMs: number, bMs: number) => Math.abs(aMs - bMs) <= HOUR_MS;
const within = (day: Day, ms: number) => Math.min(Math.max(ms, day.startMs), day.endMs - 1);
