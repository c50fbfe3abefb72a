// Fields of routing, privacy and scanner, loaded if named. Routing is not cached: there are a
// million prefixes.
import type { Address } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import { typeSourceOf } from '@whence/dataset/evidence';
import type { Match } from '@whence/dataset/match';
import { privacyOf } from '../address/privacy.ts';
import { originNumbers, recordState } from '../address/routing/routing.ts';
import type { VrpTable } from '../address/routing/vrps.ts';
import { scannerOf } from '../address/scanner.ts';
import type { AddressMembers } from '../address/sections.ts';
import type { RoutingField, Value } from '../fields/fields.ts';

export type SectionSources = {
  readonly dataset: Dataset;
  readonly vrps?: VrpTable | undefined;
};

export class SectionValues {
  readonly #dataset: Dataset;
  readonly #vrps: VrpTable | undefined;

  constructor({ dataset, vrps }: SectionSources) {
    this.#dataset = dataset;
    this.#vrps = vrps;
  }

  ofRecord(match: Match): AddressMembers {
    const privacy = privacyOf(this.#dataset, match);
    const scanner = scannerOf(this.#dataset, match);
    const labels = this.#dataset.labels(match);
    return {
      ...(privacy && { privacy }),
      ...(scanner && { scanner }),
      ...(labels.length > 0 && { labels: [...labels] }),
    };
  }

  routing(field: RoutingField, address: Address, match: Match): Value | undefined {
    switch (field) {
      case 'origins':
        return originNumbers(this.#dataset, address, match);
      case 'rpki':
        return this.#vrps && recordState(this.#dataset, address, match, this.#vrps);
      case 'prefix_is_derived':
        return this.#dataset.isDerivedPrefix(match) ? true : undefined;
      case 'connection_type_source':
        return typeSourceOf(this.#dataset, match);
    }
  }
}
