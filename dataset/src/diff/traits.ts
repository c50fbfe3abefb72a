/**
 * The fields of a tail that a comparison needs, parsed once per tail: there are a few thousand for half a million
 * prefixes.
 */
import type { Match } from '../file/format.ts';
import type { Dataset } from '../file/read.ts';
import { FLAGS, type ThreatLevel } from '../record.ts';

/** Bit i of `flags` is FLAGS[i]. A name that the record does not have is `''`. */
export type Traits = { country: string; flags: number; aiCompany: string; cloudProvider: string; level: ThreatLevel };

export class TailTraits {
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
