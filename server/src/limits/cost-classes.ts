// What a request may cost beyond a lookup. Every bounded resource is a CostQueue: few slots, which clients share
// fairly. Routes declare the classes that their requests may use.
import type { Readable } from 'node:stream';
import { FairSlots, type SlotLimits } from './fair-slots.ts';

/** Undefined for what is done at once: at most a few milliseconds, in memory or by a query of storage. */
export const COST_CLASSES = {
  /** A record of the dataset. */
  lookup: undefined,
  /** Up to fifty of them. */
  batch: undefined,
  /** Milliseconds that cannot be divided: more records than that, long lists of prefixes. One per turn of the event loop. */
  turn: { slots: 1, slotsPerKey: 1, waitingPerKey: 256, waiting: 1_024, waitMs: 10_000 },
  /** Names of networks. */
  search: undefined,
  /** Rows of storage, a page of them at a time. */
  storage: undefined,
  /** A walk over the records of a prefix or network, in slices. */
  scan: { slots: 1, slotsPerKey: 1, waitingPerKey: 32, waiting: 128, waitMs: 10_000 },
  /** Questions to DNS about an address. The time is that of the whole lookup. */
  hostname: { slots: 64, slotsPerKey: 16, waitingPerKey: 256, waitMs: 4_000 },
  /** A question to a registry, which answers one per second: a queue for each of them. */
  registration: { slots: 1, slotsPerKey: 1, waitingPerKey: 16, waiting: 32, waitMs: 5_000 },
  /** About fifty questions to DNS. The time is that of the whole check. */
  email_check: { slots: 64, slotsPerKey: 8, waitingPerKey: 256, waitMs: 8_000 },
  /** Sessions with up to five mail servers, ten seconds in all, after an email check. */
  smtp_probe: { slots: 16, slotsPerKey: 2, waitingPerKey: 32, waiting: 128, waitMs: 10_000 },
  /** A lookup in files of earlier versions, in a thread. */
  past_version: { slots: 1, slotsPerKey: 1, waitingPerKey: 16, waiting: 128, waitMs: 10_000 },
  /** A comparison of two versions, in a thread: 2 s for two default datasets. */
  comparison: { slots: 1, slotsPerKey: 1, waitingPerKey: 4, waiting: 64, waitMs: 60_000 },
  /** A body of up to 10 MiB with reports, read in a thread: 6 s for 200,000 rows. Those that wait are in memory. */
  report_import: { slots: 1, slotsPerKey: 1, waitingPerKey: 4, waiting: 8, waitMs: 30_000 },
  /** As many passwords wait as are served in the time that one of them waits. */
  password: { slots: 1, slotsPerKey: 1, waitingPerKey: 4, waiting: 40, waitMs: 10_000 },
  /** A file of rows, for as long as its client reads it. */
  export: { slots: 8, slotsPerKey: 2, waitingPerKey: 4, waiting: 32, waitMs: 10_000 },
  /** A file of the disk, for as long as its client reads it: 64 kB of memory for each. */
  download: { slots: 256, slotsPerKey: 128, waitingPerKey: 1_024, waiting: 4_096, waitMs: 10_000 },
} as const satisfies Record<string, SlotLimits | undefined>;

export type CostClass = keyof typeof COST_CLASSES;
type QueuedClass = { [Name in CostClass]: (typeof COST_CLASSES)[Name] extends undefined ? never : Name }[CostClass];

export type Requester = {
  /** An API key, an account, or the network of a client: requests with the same one share its slots. */
  readonly fairnessKey: string;
  /** A client without a key or an account: such clients are served only when no other client waits. */
  readonly isAnonymous?: boolean;
  readonly signal: AbortSignal;
  /** What the route of the request has declared; all classes for commands, which work for one person. */
  readonly costs?: readonly CostClass[];
};

/** `full`: too many requests wait. `late`: none of the slots became free in time, or the client has left. */
export type NoSlot = 'full' | 'late';

/** What a client has to read of a stream while others wait for its slot: 64 kB/s. Half of the time that they wait. */
const READ_CHECK_MS = 5_000;
const MIN_READ_BYTES = 320_000;

export class CostQueue {
  readonly #cost: QueuedClass;
  readonly #slots: FairSlots;

  /** `limits` replace those of the class, for tests. */
  constructor(cost: QueuedClass, limits: Partial<SlotLimits> = {}) {
    this.#cost = cost;
    this.#slots = new FairSlots({ ...COST_CLASSES[cost], ...limits });
  }

  get held(): number {
    return this.#slots.held;
  }

  /** Does the work in a slot, in the requester's turn. */
  async run<T, Refusal>(
    requester: Requester,
    work: () => Promise<T>,
    refuse: (reason: NoSlot) => Refusal,
  ): Promise<T | Refusal> {
    const release = await this.enter(requester);
    if (typeof release === 'string') return refuse(release);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Holds a slot until the stream closes. While others wait, a stream whose client reads too little is ended. */
  hold(stream: Readable, bytesRead: () => number, release: () => void): void {
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

  async enter({ fairnessKey: key, isAnonymous = false, signal, costs }: Requester): Promise<(() => void) | NoSlot> {
    if (costs !== undefined && !costs.includes(this.#cost))
      throw new Error(`a route that does not declare ${this.#cost} has asked for it`);
    if (this.#slots.isFull({ key, isAnonymous })) return 'full';
    if (!(await this.#slots.acquire({ key, isAnonymous }, signal))) return 'late';
    return () => this.#slots.release(key);
  }
}
