// What a request may cost beyond a lookup. Every bounded resource is a CostQueue: few slots, which
// clients share fairly. Routes declare the classes that their requests may use.
//
// A request has one deadline, the latest of its classes, which begins once its body is read. The
// wait in every queue and all work are parts of it, so every request ends with a status before its
// connection would be closed as stalled (STALLED_MS).
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairSlots, type SlotLimits } from './fair-slots.ts';

type ClassLimits = SlotLimits & {
  /** From entering the queue to the end of the work. A stream is read after it. */
  readonly deadlineMs: number;
};

/**
 * Undefined for what is done at once: at most a few milliseconds, in memory or by a query of
 * storage.
 */
export const COST_CLASSES = {
  /** A record of the dataset. */
  lookup: undefined,
  /** Up to fifty of them. */
  batch: undefined,
  /**
   * Milliseconds that cannot be divided: more records than that, long lists of prefixes. One per
   * turn of the event loop.
   */
  turn: {
    slots: 1,
    slotsPerKey: 1,
    waitingPerKey: 256,
    waiting: 1_024,
    waitMs: 10_000,
    deadlineMs: 15_000,
  },
  /** A scan over the names of all networks, in slices. */
  search: {
    slots: 1,
    slotsPerKey: 1,
    waitingPerKey: 256,
    waiting: 1_024,
    waitMs: 10_000,
    deadlineMs: 15_000,
  },
  /** Rows of storage, a page of them at a time. */
  storage: undefined,
  /** A walk over the records of a prefix or network, or the lines of a log, in slices. */
  scan: {
    slots: 1,
    slotsPerKey: 1,
    waitingPerKey: 32,
    waiting: 128,
    waitMs: 10_000,
    deadlineMs: 20_000,
  },
  /** DNS queries about an address. The wait is also the time limit of the complete lookup. */
  hostname: { slots: 64, slotsPerKey: 16, waitingPerKey: 256, waitMs: 4_000, deadlineMs: 6_000 },
  /** About fifty DNS queries. The wait is also the time limit of the complete check. */
  email_check: { slots: 64, slotsPerKey: 8, waitingPerKey: 256, waitMs: 8_000, deadlineMs: 10_000 },
  /** Sessions with up to five mail servers, ten seconds in all, after an email check. */
  smtp_probe: {
    slots: 16,
    slotsPerKey: 2,
    waitingPerKey: 32,
    waiting: 128,
    waitMs: 10_000,
    deadlineMs: 30_000,
  },
  /** A lookup in files of earlier versions, in a thread. */
  past_version: {
    slots: 1,
    slotsPerKey: 1,
    waitingPerKey: 16,
    waiting: 128,
    waitMs: 10_000,
    deadlineMs: 20_000,
  },
  /**
   * A body of up to 10 MiB with reports, read in a thread: 6 s for 200,000 rows. Those that wait
   * are in memory.
   */
  report_import: {
    slots: 1,
    slotsPerKey: 1,
    waitingPerKey: 4,
    waiting: 8,
    waitMs: 15_000,
    deadlineMs: 30_000,
  },
  /**
   * The reports of a domain, added up and judged in a thread: 5 s for millions of rows. A request
   * also waits for the check of the domain.
   */
  judgement: {
    slots: 1,
    slotsPerKey: 1,
    waitingPerKey: 8,
    waiting: 32,
    waitMs: 15_000,
    deadlineMs: 30_000,
  },
  /** As many passwords wait as are served in the time that one of them waits. */
  password: {
    slots: 1,
    slotsPerKey: 1,
    waitingPerKey: 4,
    waiting: 40,
    waitMs: 10_000,
    deadlineMs: 15_000,
  },
  /** A file of rows, for as long as its client reads it. */
  export: {
    slots: 8,
    slotsPerKey: 2,
    waitingPerKey: 4,
    waiting: 32,
    waitMs: 10_000,
    deadlineMs: 20_000,
  },
  /** A file of the disk, for as long as its client reads it: 64 kB of memory for each. */
  download: {
    slots: 256,
    slotsPerKey: 128,
    waitingPerKey: 1_024,
    waiting: 4_096,
    waitMs: 10_000,
    deadlineMs: 20_000,
  },
} as const satisfies Record<string, ClassLimits | undefined>;

export type CostClass = keyof typeof COST_CLASSES;
type QueuedClass = {
  [Name in CostClass]: (typeof COST_CLASSES)[Name] extends undefined ? never : Name;
}[CostClass];

export type Requester = {
  /**
   * An API key, an account, or the network of a client: requests with the same one share its slots.
   */
  readonly fairnessKey: string;
  /**
   * A client without a key or an account: such clients are served only when no other client waits.
   */
  readonly isAnonymous?: boolean;
  /** New work is refused as if the queue were full, because the process is overloaded. */
  readonly isRefused?: boolean;
  readonly signal: AbortSignal;
  /**
   * What the route of the request has declared; all classes for commands, which work for one
   * person.
   */
  readonly costs?: readonly CostClass[];
  /** As `performance.now()` counts; that of each class alone for commands. */
  readonly deadlineMs?: number;
};

/** The deadline of a request that begins now and uses these classes. */
export function deadlineOf(costs: readonly CostClass[]): number {
  const longestMs = costs.map((cost) => COST_CLASSES[cost]?.deadlineMs ?? 0);
  return performance.now() + Math.max(0, ...longestMs);
}

/**
 * `full`: too many requests wait. `late`: none of the slots became free in time, or the client has
 * left. `overdue`: the work has not ended at the deadline.
 */
export type NoResult = 'full' | 'late' | 'overdue';

/** What work in a slot may use. */
export type Slot = {
  /** Aborts when the client has left or the deadline has passed. The work must end soon after. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline. */
  leftMs(): number;
  /** From now on the slot is held until the function that this returns is called. */
  hold(): () => void;
};

/**
 * What a client has to read of a stream while others wait for its slot: 64 kB/s. Half of the time
 * that they wait.
 */
const READ_CHECK_MS = 5_000;
const MIN_READ_BYTES = 320_000;
/**
 * After a stall of the process many timers are due at once: work that has ended in time needs some
 * turns of the event loop to say so.
 */
const TURNS_TO_END = 8;

type QueueState = { waiting: number; working: number };

/** Queues of this process: they are made where their work is done. */
const STATES: ReadonlyMap<string, QueueState> = new Map(
  Object.entries(COST_CLASSES).flatMap(([name, limits]) =>
    limits === undefined ? [] : [[name, { waiting: 0, working: 0 }]],
  ),
);

/** Gauges of `/metrics`: requests that wait for a slot of each class, and that hold one. */
export function queueGauges(): Record<string, number> {
  return Object.fromEntries(
    [...STATES].flatMap(([name, { waiting, working }]) => [
      [`whence_queue_waiting{class="${name}"}`, waiting],
      [`whence_queue_working{class="${name}"}`, working],
    ]),
  );
}

export class CostQueue {
  readonly #cost: QueuedClass;
  readonly #limits: ClassLimits;
  readonly #slots: FairSlots;
  readonly #state: QueueState;

  /** `limits` replace those of the class, for tests. */
  constructor(cost: QueuedClass, limits: Partial<ClassLimits> = {}) {
    this.#cost = cost;
    this.#limits = { ...COST_CLASSES[cost], ...limits };
    this.#slots = new FairSlots(this.#limits);
    this.#state = STATES.get(cost) ?? { waiting: 0, working: 0 };
  }

  get held(): number {
    return this.#slots.held;
  }

  get waiting(): number {
    return this.#slots.waiting;
  }

  /** Does the work in a slot, in the requester's turn, and waits for it until the deadline. */
  async run<T, Refusal>(
    requester: Requester,
    work: (slot: Slot) => Promise<T>,
    refuse: (reason: NoResult) => Refusal,
  ): Promise<T | Refusal> {
    const { fairnessKey: key, isAnonymous = false, isRefused = false, signal, costs } = requester;
    if (costs !== undefined && !costs.includes(this.#cost))
      throw new Error(`a route that does not declare ${this.#cost} has asked for it`);
    if (isRefused || this.#slots.isFull({ key, isAnonymous })) return refuse('full');
    const { waitMs, deadlineMs } = this.#limits;
    const endsMs = Math.min(
      requester.deadlineMs ?? Number.POSITIVE_INFINITY,
      performance.now() + deadlineMs,
    );
    const leftMs = () => endsMs - performance.now();
    if (leftMs() <= 0) return refuse('late');
    const longestMs = Math.min(waitMs, leftMs());
    this.#state.waiting++;
    const hasSlot = await this.#slots.acquire({ key, isAnonymous }, signal, longestMs);
    this.#state.waiting--;
    if (!hasSlot) return refuse('late');
    this.#state.working++;
    return this.#workInSlot(requester, leftMs, work, refuse);
  }

  async #workInSlot<T, Refusal>(
    { fairnessKey: key, signal }: Requester,
    leftMs: () => number,
    work: (slot: Slot) => Promise<T>,
    refuse: (reason: NoResult) => Refusal,
  ): Promise<T | Refusal> {
    const ended = new AbortController();
    const leave = () => ended.abort(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    let isHeld = false;
    const release = () => {
      this.#state.working--;
      this.#slots.release(key);
    };
    const hold = () => {
      isHeld = true;
      return release;
    };
    let timer: NodeJS.Timeout | undefined;
    const overdue = new Promise<typeof OVERDUE>((resolve) => {
      const end = async () => {
        for (let turn = 0; turn < TURNS_TO_END; turn++) await nextTurn();
        resolve(OVERDUE);
      };
      timer = setTimeout(() => void end(), leftMs());
    });
    try {
      const working = work({ signal: ended.signal, leftMs, hold });
      const outcome = await Promise.race([working, overdue]);
      if (outcome !== OVERDUE) return outcome;
      // What it fails with afterwards follows from the abort.
      working.catch(() => {});
      ended.abort(new Error('the deadline of the request has passed'));
      return refuse('overdue');
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
      if (!isHeld) release();
    }
  }

  /**
   * Holds a slot until the stream closes. While others wait, a stream whose client reads too little
   * is ended.
   */
  holdWhileRead(stream: Readable, bytesRead: () => number, { hold }: Slot): void {
    const release = hold();
    let before = 0;
    const end = () => {
      clearInterval(timer);
      stream.off('close', end);
      release();
    };
    const timer = setInterval(() => {
      const bytes = bytesRead();
      const isSlow = bytes - before < MIN_READ_BYTES;
      before = bytes;
      if (!isSlow || !this.#slots.isExhausted) return;
      end();
      stream.destroy(new Error('the client reads too slowly while others wait'));
    }, READ_CHECK_MS).unref();
    stream.once('close', end);
  }
}

const OVERDUE = Symbol('overdue');
