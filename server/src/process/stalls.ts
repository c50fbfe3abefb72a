/**
 * Finds stalls of the event loop, by a timer that is late, and the route that caused each. The route follows from when
 * requests begin and end: if a stall is between two of these moments, the work was that of the request that ends, or else
 * of the one that began. Lookups on the fast path, which take microseconds, are not noted. A stall without a route is
 * work of the process itself, such as loading code, or a machine without processor time.
 */
export const STALL_MS = 200;
/** A stall begins at any time between two checks, so its length is known to half of this. */
const CHECK_MS = 50;

type Route = { readonly name: string; readonly path: string };
export type Stall = {
  /** `none` if no request caused it. */
  readonly route: Route;
  readonly ms: number;
  /** Processor time of the process meanwhile: much less means that it waited for a disk or for a processor. */
  readonly cpuMs: number;
};

/** As Fastify has it. */
type Request = { readonly routeOptions: { readonly url?: string | undefined; readonly config: { name?: string } } };

export class Stalls {
  readonly #onStall: (stall: Stall) => void;
  #timer: NodeJS.Timeout | undefined;
  #checkedMs = 0;
  #lastMs = 0;
  /** The request that began last, until another one begins or ends. */
  #begun: Request | undefined;
  /** The longest time between two moments since the last check. */
  #longest: { ms: number; cause: Request | undefined } = { ms: 0, cause: undefined };
  #cpu = process.cpuUsage();

  constructor(onStall: (stall: Stall) => void) {
    this.#onStall = onStall;
  }

  start(): void {
    this.#checkedMs = performance.now();
    this.#lastMs = this.#checkedMs;
    this.#timer = setInterval(() => this.#check(), CHECK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  began(request: Request, nowMs: number): void {
    this.#note(nowMs, this.#begun);
    this.#begun = request;
  }

  ended(request: Request, nowMs: number): void {
    this.#note(nowMs, request);
    this.#begun = undefined;
  }

  #note(nowMs: number, cause: Request | undefined): void {
    const ms = nowMs - this.#lastMs;
    this.#lastMs = nowMs;
    if (ms > this.#longest.ms) this.#longest = { ms, cause };
  }

  #check(): void {
    const nowMs = performance.now();
    this.#note(nowMs, this.#begun);
    const { cause } = this.#longest;
    const ms = nowMs - this.#checkedMs - CHECK_MS / 2;
    const { user, system } = process.cpuUsage(this.#cpu);
    if (ms > STALL_MS) {
      const { url = '', config } = cause?.routeOptions ?? { config: {} };
      const route = { name: config.name ?? 'none', path: url };
      this.#onStall({ route, ms: Math.round(ms), cpuMs: Math.round((user + system) / 1000) });
    }
    this.#checkedMs = nowMs;
    this.#longest = { ms: 0, cause: undefined };
    this.#begun = undefined;
    this.#cpu = process.cpuUsage();
  }
}
