// Finds stalls of the event loop, by a late timer, and their route: that of the longest callback,
// by asynchronous context. Tracking slows down every promise, so it is on for a minute after a
// stall, at most a tenth of the time. A stall without a route is the process itself, such as
// loading code, or a lack of processor time.
import { AsyncLocalStorage, createHook } from 'node:async_hooks';

export const STALL_MS = 200;
/** A stall begins at any time between two checks, so its length is known to half of this. */
const CHECK_MS = 50;
const TRACKED_MS = 60_000;
/** An overloaded process would otherwise track all the time, and be slower for it. */
const UNTRACKED_MS = 9 * TRACKED_MS;

type Route = { readonly name: string; readonly path: string };
export type Stall = {
  /**
   * `none` if no request caused it. While callbacks are not tracked, that of the request which
   * began last and was not answered before the stall.
   */
  readonly route: Route;
  readonly ms: number;
  /**
   * Processor time of the process meanwhile: much less means that it waited for a disk or for a
   * processor.
   */
  readonly cpuMs: number;
};

/**
 * Whether the process had less than half of the time to compute, or would not have stalled on a
 * processor of its own: other programs kept the processors busy, or a disk was slow, and no request
 * is the cause.
 */
export const isWaiting = ({ ms, cpuMs }: Pick<Stall, 'ms' | 'cpuMs'>): boolean =>
  cpuMs < Math.max(STALL_MS, ms / 2);

/** As Fastify has it. */
type Request = {
  readonly routeOptions: { readonly url?: string | undefined; readonly config: { name?: string } };
};

export class Stalls {
  readonly #onStall: (stall: Stall) => void;
  readonly #context = new AsyncLocalStorage<Request>();
  readonly #hook = createHook({
    before: () => {
      this.#note();
      this.#running = this.#context.getStore();
    },
    after: () => {
      this.#running = this.#context.getStore();
      this.#note();
      this.#running = undefined;
    },
  });
  #timer: NodeJS.Timeout | undefined;
  #checkedMs = 0;
  #notedMs = 0;
  /** The end of tracking; 0 while callbacks are not tracked. */
  #trackedUntilMs = 0;
  /** The earliest start of tracking. */
  #trackedFromMs: number;
  #running: Request | undefined;
  /** Requests in flight, in the order in which they began. */
  readonly #open = new Set<Request>();
  /** The last of them that has ended since the last check. */
  #lastEnded: Request | undefined;
  /** The longest time between two callbacks, or of one, since the last check. */
  #longest: { ms: number; cause: Request | undefined } = { ms: 0, cause: undefined };
  #cpu = process.cpuUsage();

  /** `startsForMs`: code is loaded and compiled at first, and no request is the cause. */
  constructor(onStall: (stall: Stall) => void, startsForMs = 0) {
    this.#onStall = onStall;
    this.#trackedFromMs = performance.now() + startsForMs;
  }

  start(): void {
    this.#checkedMs = performance.now();
    this.#timer = setInterval(() => this.#check(), CHECK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#hook.disable();
    this.#context.disable();
  }

  /** To be called in the asynchronous context of the request. */
  began(request: Request): void {
    this.#open.add(request);
    if (this.#trackedUntilMs === 0) return;
    this.#context.enterWith(request);
    this.#note();
    this.#running = request;
  }

  /** Its answer was sent, or its client has left. */
  ended(request: Request): void {
    // A stall ends with the answer of its request, before the timer sees it.
    if (this.#open.delete(request)) this.#lastEnded = request;
  }

  #note(): void {
    const nowMs = performance.now();
    const ms = nowMs - this.#notedMs;
    this.#notedMs = nowMs;
    if (ms > this.#longest.ms) this.#longest = { ms, cause: this.#running };
  }

  #check(): void {
    const nowMs = performance.now();
    const ms = nowMs - this.#checkedMs - CHECK_MS / 2;
    const { user, system } = process.cpuUsage(this.#cpu);
    if (ms > STALL_MS) {
      this.#onStall({
        route: this.#causeOf(),
        ms: Math.round(ms),
        cpuMs: Math.round((user + system) / 1000),
      });
      if (nowMs >= this.#trackedFromMs) {
        this.#hook.enable();
        this.#trackedUntilMs = nowMs + TRACKED_MS;
        this.#trackedFromMs = this.#trackedUntilMs + UNTRACKED_MS;
      }
    } else if (this.#trackedUntilMs !== 0 && nowMs > this.#trackedUntilMs) {
      this.#hook.disable();
      this.#context.disable();
      this.#trackedUntilMs = 0;
    }
    this.#checkedMs = nowMs;
    this.#notedMs = nowMs;
    this.#longest = { ms: 0, cause: undefined };
    this.#lastEnded = undefined;
    this.#cpu = process.cpuUsage();
  }

  #causeOf(): Route {
    const isTracked = this.#trackedUntilMs !== 0;
    const cause = isTracked ? this.#longest.cause : (this.#lastEnded ?? [...this.#open].at(-1));
    const { url = '', config } = cause?.routeOptions ?? { config: {} };
    return { name: config.name ?? 'none', path: url };
  }
}
