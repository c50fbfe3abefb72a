// Writes statistics as numbered batches. An unconfirmed one is sent again first; storage knows its
// number.
import { randomUUID } from 'node:crypto';
import type { Batch } from '../storage/statistics-changes.ts';

export class BatchWriter<Content> {
  readonly #writer = randomUUID();
  readonly #add: (batch: Batch, content: Content) => Promise<void>;
  #number = 0;
  #unconfirmed: Content | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(add: (batch: Batch, content: Content) => Promise<void>) {
    this.#add = add;
  }

  /** Writes what `collect` returns, if anything. It is kept here until it is stored. */
  write(collect: () => Content | undefined): Promise<void> {
    const writing = this.#writing.then(() => this.#write(collect));
    this.#writing = writing.catch(() => {});
    return writing;
  }

  async #write(collect: () => Content | undefined): Promise<void> {
    if (this.#unconfirmed !== undefined) await this.#send(this.#unconfirmed);
    const content = collect();
    if (content === undefined) return;
    this.#number++;
    this.#unconfirmed = content;
    await this.#send(content);
  }

  async #send(content: Content): Promise<void> {
    await this.#add({ writer: this.#writer, number: this.#number }, content);
    this.#unconfirmed = undefined;
  }
}
