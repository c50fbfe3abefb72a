/**
 * The attributes that a comparison needs, parsed once per set of attributes: there are a few thousand sets for half a
 * million prefixes.
 */
import type { Match } from '../file/format.ts';
import type { Dataset } from '../file/read.ts';
import { FLAGS, type ThreatLevel } from '../record.ts';

/** Bit i of `flags` is FLAGS[i]. A name that the record does not have is `''`. */
export type Traits = { country: string; flags: number; aiCompany: string; cloudProvider: string; level: ThreatLevel };

export class TraitsCache {
  readonly #dataset: Dataset;
  readonly #known: (Traits | undefined)[] = [];

  constructor(dataset: Dataset) {
    this.#dataset = dataset;
  }

  at(match: Match): Traits {
    const set = this.#dataset.attributesOf(match);
    let traits = this.#known[set];
    if (traits === undefined) {
      const { country, detection, threat } = this.#dataset.attributes(set);
      traits = {
        country,
        flags: FLAGS.reduce((bits, flag, i) => (detection[flag] ? bits | (1 << i) : bits), 0),
        aiCompany: detection.ai_company ?? '',
        cloudProvider: detection.cloud_provider ?? '',
        level: threat.level,
      };
      this.#known[set] = traits;
    }
    return traits;
  }
}
