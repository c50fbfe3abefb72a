/** Work that is repeated as long as it is wanted; one run at a time is under way. */
export class Polling {
  readonly #work: () => Promise<void>;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(work: () => Promise<void>, everyMs: number) {
    this.#work = work;
    this.#everyMs = everyMs;
  }

  /** Resolves after the first run. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.run(), this.#everyMs).unref();
    await this.run();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  /** Joins the run that is under way. */
  async run(): Promise<void> {
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }
}
