/**
 * Programs that ask the DNS zone of the server, such as mail filters. They know nothing of swaps
 * and kills: a question may be repeated, because a datagram is lost with a worker that was killed,
 * but every one gets the right answer.
 */
import { Resolver } from 'node:dns/promises';

const ASK_EVERY_MS = 50;
const TRIES = { timeout: 1_000, tries: 4 };

/** A name of the zone, and how its text begins. */
export type ZoneQuestion = { readonly name: string; readonly start: string };

export class ZoneClients {
  readonly #resolver = new Resolver(TRIES);
  readonly #questions: readonly ZoneQuestion[];
  readonly #asked: Promise<void>[] = [];
  #timer: NodeJS.Timeout | undefined;
  answered = 0;
  /** What was answered instead. */
  readonly faults: string[] = [];

  constructor(port: number, questions: readonly ZoneQuestion[]) {
    this.#resolver.setServers([`127.0.0.1:${port}`]);
    this.#questions = questions;
  }

  start(): void {
    this.#timer = setInterval(() => this.#asked.push(this.#ask()), ASK_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async settle(): Promise<void> {
    this.stop();
    await Promise.all(this.#asked);
  }

  async #ask(): Promise<void> {
    const { name, start } = this.#questions[
      this.#asked.length % this.#questions.length
    ] as ZoneQuestion;
    const answer = await this.#resolver.resolveTxt(name).then(
      (records) => records.map((strings) => strings.join('')).join('\n'),
      ({ code }: NodeJS.ErrnoException) => code ?? 'failed',
    );
    if (answer.startsWith(start)) this.answered++;
    else this.faults.push(`${name}: ${answer}`);
  }
}
