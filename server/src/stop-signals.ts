/** SIGTERM and SIGINT in the order they come: the first asks for an orderly end, later ones for a quicker one. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
export type StopSignal = (typeof SIGNALS)[number];

export class StopSignals {
  readonly #received: StopSignal[] = [];
  readonly #waiting: { number: number; resolve: (signal: StopSignal) => void }[] = [];

  /** From now on signals do not end the process by themselves. */
  constructor() {
    for (const signal of SIGNALS) process.on(signal, () => this.#receive(signal));
  }

  get count(): number {
    return this.#received.length;
  }

  /** Resolves with the signal of that number, counted from 1. */
  nth(number: number): Promise<StopSignal> {
    const received = this.#received[number - 1];
    if (received !== undefined) return Promise.resolve(received);
    return new Promise((resolve) => this.#waiting.push({ number, resolve }));
  }

  #receive(signal: StopSignal): void {
    this.#received.push(signal);
    for (const { number, resolve } of this.#waiting) if (number === this.count) resolve(signal);
  }
}
