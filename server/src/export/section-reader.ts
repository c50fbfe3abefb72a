// What rows have beside the record, on request. Places, anycast prefixes and peering LANs divide runs; origins belong
// to the announced prefix, and the rest to the record.

import type { Address } from '@whence/dataset/address';
import type { Match } from '@whence/dataset/internal/file/format';
import type { Dataset } from '@whence/dataset/internal/file/read';
import { getOrInsert } from '@whence/dataset/internal/get-or-insert';
import { typeSourceOf } from '@whence/dataset/internal/lookup/type-source';
import type { Supplement } from '@whence/dataset/internal/supplement/supplement';
import { fromBigInt } from '@whence/dataset/prefix';
import { locationOf } from '../address/location.ts';
import { type Origin, originNumbers, type Routing, recordState } from '../address/routing/routing.ts';
import type { VrpTable } from '../address/routing/vrps.ts';
import { type AddressMembers, recordMembers } from '../address/sections.ts';
import type { LocalAddressSection } from '../vocabulary.ts';
import type { Fields } from './fields.ts';

export type SectionSources = {
  readonly dataset: Dataset;
  readonly sections: ReadonlySet<LocalAddressSection>;
  /** Given if a section needs it and the version has one. */
  readonly supplement?: Supplement | undefined;
  readonly vrps?: VrpTable | undefined;
};

/** Consecutive addresses with one record and the same sections, in one announced prefix; both ends inclusive. */
export type ExportRun = {
  readonly version: 4 | 6;
  readonly start: bigint;
  readonly end: bigint;
  readonly prefixLength: number;
  readonly fields: Fields;
  /** The sections: the same object for the same content. Absent if none is asked for. */
  readonly members?: AddressMembers | undefined;
};

/** What all addresses of a run have in common. */
type OfRun = { readonly routing?: Routing; readonly ofRecord: OfRecord; readonly key: string };
type OfRecord = ReturnType<typeof recordMembers>;

export class SectionReader {
  readonly #selection: SectionSources;
  /** By a text that is the same for the same content. */
  readonly #members = new Map<string, AddressMembers>();
  /** By the number of the attributes. */
  readonly #ofRecords = new Map<number, OfRecord>();

  constructor(selection: SectionSources) {
    this.#selection = selection;
  }

  /** `match` is that of the run. Adjacent parts with the same content are one. */
  *split(run: ExportRun, match: Match): Generator<ExportRun> {
    const ofRun = this.#ofRun(fromBigInt(run.start, run.version), match);
    let open: ExportRun | undefined;
    for (let start = run.start; start <= run.end; ) {
      const address = fromBigInt(start, run.version);
      const last = this.#endOf(address);
      const end = last === undefined || last > run.end ? run.end : last;
      const members = this.#membersOf(address, match, run, ofRun);
      if (open === undefined || open.members !== members) {
        if (open !== undefined) yield open;
        open = { ...run, start, end, members };
      } else open = { ...open, end };
      start = end + 1n;
    }
    if (open !== undefined) yield open;
  }

  #ofRun(address: Address, match: Match): OfRun {
    const { dataset, sections, vrps } = this.#selection;
    const ofRecord = this.#ofRecord(match);
    const key = JSON.stringify(ofRecord);
    if (!sections.has('routing')) return { ofRecord, key };
    const origins = originNumbers(dataset, address, match).map((asn): Origin => ({ asn }));
    const [first] = origins;
    const rpki = vrps && recordState(dataset, address, match, vrps);
    if (first !== undefined && rpki !== undefined) first.rpki = rpki;
    const routing = {
      origins,
      ...(dataset.isDerivedPrefix(match) && { prefix_is_derived: true as const }),
      connection_type_source: typeSourceOf(dataset, match),
    };
    const ofRouting = `${rpki ?? ''} ${routing.prefix_is_derived ?? ''} ${routing.connection_type_source}`;
    return { routing, ofRecord, key: `${key} ${origins.map(({ asn }) => asn)} ${ofRouting}` };
  }

  #ofRecord(match: Match): OfRecord {
    const { dataset, sections } = this.#selection;
    return getOrInsert(this.#ofRecords, dataset.attributesOf(match), () => recordMembers({ dataset, match }, sections));
  }

  /** The last address around this one of which the same is known; undefined if the supplement divides nothing. */
  #endOf(address: Address): bigint | undefined {
    const { sections, supplement } = this.#selection;
    const ends = [
      ...(supplement !== undefined && sections.has('location') ? [supplement.placeRun(address).end] : []),
      ...(supplement !== undefined && sections.has('routing') ? [supplement.routingEnd(address)] : []),
    ];
    return ends.reduce<bigint | undefined>(
      (least, end) => (least === undefined || end < least ? end : least),
      undefined,
    );
  }

  #membersOf(address: Address, match: Match, { fields }: ExportRun, { routing, ofRecord, key }: OfRun): AddressMembers {
    const { dataset, sections, supplement } = this.#selection;
    const place = sections.has('location') ? (supplement?.placeOf(address) ?? 0) : 0;
    const shown = supplement?.isPlaceIn(place, fields.country) === true ? place : 0;
    const isAnycast = routing !== undefined && supplement?.isAnycast(address) === true;
    const exchange = routing && supplement?.exchange(address);
    const text = `${shown} ${isAnycast} ${exchange ?? ''} ${key}`;
    return getOrInsert(this.#members, text, () => {
      const location = shown === 0 ? undefined : locationOf({ dataset, supplement, address, match });
      const more = { ...(isAnycast && { is_anycast: true as const }), ...(exchange !== undefined && { exchange }) };
      return { ...(location && { location }), ...(routing && { routing: { ...routing, ...more } }), ...ofRecord };
    });
  }
}
