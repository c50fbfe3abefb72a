// Fields of routing, privacy and scanner, loaded if named. Routing is not cached: there are a million prefixes.
import type { Address } from '@whence/dataset/address';
import type { Match } from '@whence/dataset/internal/file/format';
import type { Dataset } from '@whence/dataset/internal/file/read';
import { typeSourceOf } from '@whence/dataset/internal/lookup/type-source';
import type { Supplement } from '@whence/dataset/internal/supplement/supplement';
import { privacyOf } from '../address/privacy.ts';
import { originNumbers, recordState } from '../address/routing/routing.ts';
import { VrpTable } from '../address/routing/vrps.ts';
import { scannerOf } from '../address/scanner.ts';
import type { AddressMembers } from '../address/sections.ts';
import type { RoutingField, Value } from '../fields/fields.ts';

export type SectionSources = {
  readonly dataset: Dataset;
  readonly supplement?: Supplement | undefined;
  /** Rows of a VrpTable, which can be passed to a thread. */
  readonly vrpRows?: Uint32Array | undefined;
};

export class SectionValues {
  readonly #dataset: Dataset;
  readonly #supplement: Supplement | undefined;
  readonly #vrps: VrpTable | undefined;

  constructor({ dataset, supplement, vrpRows }: SectionSources) {
    this.#dataset = dataset;
    this.#supplement = supplement;
    this.#vrps = vrpRows && new VrpTable(vrpRows);
  }

  ofRecord(match: Match): AddressMembers {
    const [privacy, scanner] = [privacyOf(this.#dataset, match), scannerOf(this.#dataset, match)];
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
      case 'is_anycast':
        // Absent where no list has the address: that does not mean that it is not anycast.
        return this.#supplement?.isAnycast(address) === true ? true : undefined;
      case 'exchange':
        return this.#supplement?.exchange(address);
      case 'prefix_is_derived':
        return this.#dataset.isDerivedPrefix(match) ? true : undefined;
      case 'connection_type_source':
        return typeSourceOf(this.#dataset, match);
    }
  }
}
