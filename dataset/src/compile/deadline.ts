/** The two patiences with a download: how long nothing may come, and how long all of it may take. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #idleMs: number;
  readonly #whole: NodeJS.Timeout;
  #idle: NodeJS.Timeout | undefined;

  constructor({ idleTimeoutMs, totalTimeoutMs }: { readonly idleTimeoutMs: number; readonly totalTimeoutMs: number }) {
    this.#idleMs = idleTimeoutMs;
    this.#whole = setTimeout(
      () => this.#controller.abort(new TooLate(`not done within ${formatSeconds(totalTimeoutMs)}`)),
      totalTimeoutMs,
    );
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Something came: waiting begins anew. `missing` is what does not come if the time runs out: "no answer". */
  restart(missing: string): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(
      () => this.#controller.abort(new TooLate(`${missing} within ${formatSeconds(this.#idleMs)}`)),
      this.#idleMs,
    );
  }

  /** While we are the ones to wait for. */
  pause(): void {
    clearTimeout(this.#idle);
  }

  end(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#whole);
  }
}

export class TooLate extends Error {
  override readonly name = 'TooLate';
}

function formatSeconds(ms: number): string {
  return `${Number((ms / 1000).toPrecision(3))} s`;
}
