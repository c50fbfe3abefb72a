/** What a comparison looks at in the second half of a record, read once per tail: a dataset has a few thousand of them for half a million prefixes. */
import type { Match } from '../format.ts';
import type { Dataset } from '../read.ts';
import { FLAGS, type ThreatLevel } from '../record.ts';

/** `flags` has bit i set where FLAGS[i] is true. A name that the record leaves out is `''`. */
export type Traits = { country: string; flags: number; aiCompany: string; cloudProvider: string; level: ThreatLevel };

export class TraitsOf {
  readonly #dataset: Dataset;
  readonly #known: (Traits | undefined)[] = [];

  constructor(dataset: Dataset) {
    this.#dataset = dataset;
  }

  at(match: Match): Traits {
    const tail = this.#dataset.tailOf(match);
    let traits = this.#known[tail];
    if (traits === undefined) {
      const { country, detection, threat } = this.#dataset.tail(tail);
      traits = {
        country,
        flags: FLAGS.reduce((bits, flag, i) => (detection[flag] ? bits | (1 << i) : bits), 0),
        aiCompany: detection.ai_company ?? '',
        cloudProvider: detection.cloud_provider ?? '',
        level: threat.level,
      };
      this.#known[tail] = traits;
    }
    return traits;
  }
}
