/**
 * Keeps repeated log lines from filling a disk: in each window the first few lines of a kind are written, the others are
 * counted, and the count is written when the window ends. Lines that clients can cause have only a few different texts.
 */

const WINDOW_MS = 10_000;
/** On average one line per second and kind, so that a kind takes less than 100 MB a day. */
export const MAX_LINES = 10;
/** Log texts are constants, so there are few; this is a bound in case one is not. */
const MAX_KINDS = 500;

type Kind = { lines: number; skipped: number; writeCount: (skipped: number) => void };

export class RepeatedLines {
  readonly #kinds = new Map<string, Kind>();
  #timer: NodeJS.Timeout | undefined;
  #skipped = 0;

  /** Lines that were counted instead of written. */
  get skipped(): number {
    return this.#skipped;
  }

  /** Whether the line is to be written. If not, `writeCount` writes the number of such lines later. */
  admits(name: string, writeCount: (skipped: number) => void): boolean {
    const kind = this.#find(name, writeCount);
    if (kind.lines++ < MAX_LINES) return true;
    kind.skipped++;
    this.#skipped++;
    return false;
  }

  /** Ends the window. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const kinds = [...this.#kinds.values()];
    this.#kinds.clear();
    for (const { skipped, writeCount } of kinds) if (skipped > 0) writeCount(skipped);
  }

  #find(name: string, writeCount: (skipped: number) => void): Kind {
    const key = this.#kinds.size < MAX_KINDS || this.#kinds.has(name) ? name : '';
    let kind = this.#kinds.get(key);
    if (kind === undefined) {
      kind = { lines: 0, skipped: 0, writeCount };
      this.#kinds.set(key, kind);
    }
    this.#timer ??= setTimeout(() => this.flush(), WINDOW_MS).unref();
    return kind;
  }
}
