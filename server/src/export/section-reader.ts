// What rows have beside the record, on request. Origins belong to the announced prefix, and the
// rest to the record.

import type { Address } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import { typeSourceOf } from '@whence/dataset/evidence';
import { getOrInsert } from '@whence/dataset/get-or-insert';
import type { Match } from '@whence/dataset/match';
import {
  type Origin,
  originNumbers,
  type Routing,
  recordState,
} from '../address/routing/routing.ts';
import type { VrpTable } from '../address/routing/vrps.ts';
import { type AddressMembers, recordMembers } from '../address/sections.ts';
import type { ExportableSection } from '../vocabulary.ts';
import type { Fields } from './fields.ts';

export type SectionSources = {
  readonly dataset: Dataset;
  readonly sections: ReadonlySet<ExportableSection>;
  readonly vrps?: VrpTable | undefined;
};

/**
 * Consecutive addresses with one record and the same sections, in one announced prefix; both ends
 * inclusive.
 */
export type ExportRun = {
  readonly version: 4 | 6;
  readonly start: bigint;
  readonly end: bigint;
  readonly prefixLength: number;
  readonly fields: Fields;
  /** The sections: the same object for the same content. Absent if none is requested. */
  readonly members?: AddressMembers | undefined;
};

type RecordMembers = ReturnType<typeof recordMembers>;

export class SectionReader {
  readonly #selection: SectionSources;
  /** By a text that is the same for the same content. */
  readonly #members = new Map<string, AddressMembers>();
  /** By the number of the attributes. */
  readonly #recordMembers = new Map<number, RecordMembers>();

  constructor(selection: SectionSources) {
    this.#selection = selection;
  }

  /** Members of the run that starts at this address; the same object for the same content. */
  membersOf(address: Address, match: Match): AddressMembers {
    const ofRecord = this.#ofRecord(match);
    const routing = this.#routingOf(address, match);
    const members = { ...(routing && { routing }), ...ofRecord };
    return getOrInsert(this.#members, JSON.stringify(members), () => members);
  }

  #routingOf(address: Address, match: Match): Routing | undefined {
    const { dataset, sections, vrps } = this.#selection;
    if (!sections.has('routing')) return undefined;
    const origins = originNumbers(dataset, address, match).map((asn): Origin => ({ asn }));
    const [first] = origins;
    const rpki = vrps && recordState(dataset, address, match, vrps);
    if (first !== undefined && rpki !== undefined) first.rpki = rpki;
    return {
      origins,
      ...(dataset.isDerivedPrefix(match) && { prefix_is_derived: true as const }),
      connection_type_source: typeSourceOf(dataset, match),
    };
  }

  #ofRecord(match: Match): RecordMembers {
    const { dataset, sections } = this.#selection;
    return getOrInsert(this.#recordMembers, dataset.attributesOf(match), () =>
      recordMembers({ dataset, match }, sections),
    );
  }
}
