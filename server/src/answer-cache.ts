/** Finished answers by the text that was asked for, the least recently used dropped first. It belongs to one dataset version and goes with it. */
const ENTRIES = 20_000;

export class AnswerCache {
  readonly #entries = new Map<string, string>();

  get(text: string): string | undefined {
    const answer = this.#entries.get(text);
    if (answer !== undefined) {
      // A Map keeps the order of insertion: what is put in again is the youngest.
      this.#entries.delete(text);
      this.#entries.set(text, answer);
    }
    return answer;
  }

  set(text: string, answer: string): void {
    if (this.#entries.size >= ENTRIES) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(text, answer);
  }
}
