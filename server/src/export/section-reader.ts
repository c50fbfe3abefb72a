/**
 * What rows have beside the record, on request: location, routing, privacy. Runs are divided where it changes: at borders of
 * places, anycast prefixes and peering LANs. Origins and their RPKI state belong to the announced prefix, and the privacy
 * service to the record, so they divide nothing.
 */
import type { Address } from '@whence/dataset/address';
import type { Match } from '@whence/dataset/internal/file/format';
import type { Dataset } from '@whence/dataset/internal/file/read';
import type { Supplement } from '@whence/dataset/internal/supplement/supplement';
import { fromBigInt } from '@whence/dataset/prefix';
import { locationOf } from '../address/location.ts';
import { type Privacy, privacyOf } from '../address/privacy.ts';
import { type Origin, originNumbers, recordState } from '../address/routing/routing.ts';
import type { VrpTable } from '../address/routing/vrps.ts';
import type { AddressMembers } from '../address/sections.ts';
import type { LocalAddressSection } from '../vocabulary.ts';
import type { Fields } from './fields.ts';

export type SectionSources = {
  readonly dataset: Dataset;
  /** What rows have beside the record. */
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
type OfRun = { readonly origins?: Origin[]; readonly privacy?: Privacy | undefined; readonly key: string };

export class SectionReader {
  readonly #selection: SectionSources;
  /** By a text that is the same for the same content. */
  readonly #members = new Map<string, AddressMembers>();
  /** By the number of the attributes. */
  readonly #privacies = new Map<number, Privacy | undefined>();

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
    const privacy = sections.has('privacy') ? this.#privacyOf(match) : undefined;
    const key = `${privacy?.kind ?? ''} ${privacy?.service ?? ''}`;
    if (!sections.has('routing')) return { privacy, key };
    const origins = originNumbers(dataset, address, match).map((asn): Origin => ({ asn }));
    const [first] = origins;
    if (first !== undefined && vrps !== undefined) first.rpki = recordState(dataset, address, match, vrps);
    return { origins, privacy, key: `${key} ${origins.map(({ asn }) => asn)} ${first?.rpki ?? ''}` };
  }

  #privacyOf(match: Match): Privacy | undefined {
    const { dataset } = this.#selection;
    const set = dataset.attributesOf(match);
    if (!this.#privacies.has(set)) this.#privacies.set(set, privacyOf(dataset, match));
    return this.#privacies.get(set);
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

  #membersOf(address: Address, match: Match, { fields }: ExportRun, { origins, privacy, key }: OfRun): AddressMembers {
    const { dataset, sections, supplement } = this.#selection;
    const place = sections.has('location') ? (supplement?.placeOf(address) ?? 0) : 0;
    const shown = supplement?.isPlaceIn(place, fields.country) === true ? place : 0;
    const isAnycast = origins !== undefined && supplement?.isAnycast(address) === true;
    const exchange = origins && supplement?.exchange(address);
    const text = `${shown} ${isAnycast} ${exchange ?? ''} ${key}`;
    const known = this.#members.get(text);
    if (known !== undefined) return known;
    const location = shown === 0 ? undefined : locationOf({ dataset, supplement, address, match });
    const members: AddressMembers = {
      ...(location && { location }),
      ...(origins && {
        routing: {
          origins,
          ...(isAnycast && { is_anycast: true as const }),
          ...(exchange !== undefined && { exchange }),
        },
      }),
      ...(privacy && { privacy }),
    };
    this.#members.set(text, members);
    return members;
  }
}
