// What changed between two versions: one walk over the runs of both. Adjacent addresses with the same change are one
// network. Country, name and threat level are compared only where both versions answer.

import type { Match } from '../file/format.ts';
import { type Dataset, openDataset } from '../file/read.ts';
import { getOrInsert } from '../get-or-insert.ts';
import { formatRange } from '../prefix.ts';
import { FLAGS, type Flag } from '../record.ts';
import { forEachSegment } from './segments.ts';

type ComparedAttribute = 'asn' | 'asn_name' | 'country' | 'threat_level' | Flag | 'ai_company' | 'cloud_provider';
export const COMPARED_ATTRIBUTES: readonly ComparedAttribute[] = [
  ...(['asn', 'asn_name', 'country', 'threat_level'] as const),
  ...FLAGS,
  ...(['ai_company', 'cloud_provider'] as const),
];
export const CHANGE_KINDS = ['gained', 'lost', 'changed'] as const;
type ChangeKind = (typeof CHANGE_KINDS)[number];

/** `asn` is the network after the change, or the one before it where the addresses are no longer announced. */
type ChangedNetwork = { network: string; asn: number; asn_name: string; from?: string; to?: string; size: number };

/** `size`: IPv4 addresses, or IPv6 /48s. `count` and `size` cover all changes, `largest` at most `limit`. */
export type AttributeChange = {
  attribute: ComparedAttribute;
  change: ChangeKind;
  family: 'ipv4' | 'ipv6';
  count: number;
  size: number;
  largest: ChangedNetwork[];
};
type ComparedVersion = { version: number; built_at: string };
type SourceState = { as_of: string; records: number };
/** `from` or `to` is absent where that version does not have the source. */
export type SourceChange = { id: string; from?: SourceState; to?: SourceState };

export type DatasetDiff = {
  from: ComparedVersion;
  to: ComparedVersion;
  limit: number;
  is_same: boolean;
  /** In the order of COMPARED_ATTRIBUTES; attributes without a change are left out. */
  changes: AttributeChange[];
  sources: SourceChange[];
};

export function diffDatasets(before: Dataset, after: Dataset, limit: number): DatasetDiff {
  const values = [new ComparedValues(before), new ComparedValues(after)] as const;
  const tallies = new Map<string, Tally>();
  for (const version of [4, 6] as const) compareFamily(before, after, values, version, limit, tallies);
  const nameOf = (asn: number) => (after.asn(asn) ?? before.asn(asn))?.asn_name ?? '';
  const changes = COMPARED_ATTRIBUTES.flatMap((attribute) =>
    CHANGE_KINDS.flatMap((change) =>
      (['ipv4', 'ipv6'] as const).flatMap((family): AttributeChange[] => {
        const tally = tallies.get(tallyKey(attribute, change, family === 'ipv4' ? 4 : 6));
        if (tally === undefined) return [];
        const { count, size, largest } = tally.finish();
        const networks = largest.map(({ start, end, key, size: own }) => {
          const [asn = '', from = '', to = ''] = key.split('\t');
          const ends = { ...(from !== '' && { from }), ...(to !== '' && { to }) };
          const network = formatRange({ version: family === 'ipv4' ? 4 : 6, start, end });
          return { network, asn: Number(asn), asn_name: nameOf(Number(asn)), ...ends, size: own };
        });
        return [{ attribute, change, family, count, size, largest: networks }];
      }),
    ),
  );
  return {
    from: { version: before.meta.version, built_at: before.meta.built_at },
    to: { version: after.meta.version, built_at: after.meta.built_at },
    limit,
    is_same: before.meta.content_sha256 === after.meta.content_sha256,
    changes,
    sources: sourceChanges(before, after),
  };
}

/** As JSON in bytes, for a thread: it takes seconds, too long for an event loop. */
export function diffFiles(fromPath: string, toPath: string, limit: number): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(diffDatasets(openDataset(fromPath), openDataset(toPath), limit)));
}

const tallyKey = (attribute: ComparedAttribute, change: ChangeKind, version: 4 | 6) =>
  `${attribute} ${change} ${version}`;

function compareFamily(
  before: Dataset,
  after: Dataset,
  [valuesBefore, valuesAfter]: readonly [ComparedValues, ComparedValues],
  version: 4 | 6,
  limit: number,
  tallies: Map<string, Tally>,
): void {
  const add = (start: bigint, end: bigint, attribute: ComparedAttribute, from: string, to: string, asn: number) => {
    const id = tallyKey(attribute, from === '' ? 'gained' : to === '' ? 'lost' : 'changed', version);
    const tally = getOrInsert(tallies, id, () => new Tally(version, limit));
    // That a flag is gained or lost says both of its values.
    tally.addRun(start, end, from === SET || to === SET ? `${asn}` : `${asn}\t${from}\t${to}`);
  };
  forEachSegment(before.runs(version), after.runs(version), (start, end, from, to) => {
    const [oldAsn, asn] = [from === 0 ? 0 : before.asnNumber(from), to === 0 ? 0 : after.asnNumber(to)];
    const shown = to === 0 ? oldAsn : asn;
    if (from === 0 || to === 0 || oldAsn !== asn)
      add(start, end, 'asn', from === 0 ? '' : `AS${oldAsn}`, to === 0 ? '' : `AS${asn}`, shown);
    else {
      const [oldName, name] = [valuesBefore.nameOf(asn), valuesAfter.nameOf(asn)];
      if (oldName !== name) add(start, end, 'asn_name', oldName, name, asn);
    }
    const [old, now] = [valuesBefore.at(from), valuesAfter.at(to)];
    if (old.all === now.all) return;
    for (const [i, attribute] of VALUES.entries()) {
      const [value, newValue] = [old.values[i] as string, now.values[i] as string];
      if (value === newValue || (i < ALWAYS_KNOWN && (from === 0 || to === 0))) continue;
      add(start, end, attribute, value, newValue, shown);
    }
  });
}

/** A flag that is true; one that is not is `''`. */
const SET = 'true';
/** The attributes that a set of attributes has; the first ones have a value in every record. */
const VALUES = COMPARED_ATTRIBUTES.slice(2);
const ALWAYS_KNOWN = 2;

type Values = { readonly values: readonly string[]; readonly all: string };
const NO_VALUES: Values = { values: VALUES.map(() => ''), all: '' };

/** Parsed once per set of attributes: there are a few thousand for half a million prefixes. */
class ComparedValues {
  readonly #dataset: Dataset;
  readonly #bySet: (Values | undefined)[] = [];
  readonly #names = new Map<number, string>();

  constructor(dataset: Dataset) {
    this.#dataset = dataset;
  }

  at(match: Match): Values {
    if (match === 0) return NO_VALUES;
    const set = this.#dataset.attributesOf(match);
    let known = this.#bySet[set];
    if (known === undefined) {
      const { country, detection, threat } = this.#dataset.attributes(set);
      const flags = FLAGS.map((flag) => (detection[flag] ? SET : ''));
      const values = [country, threat.level, ...flags, detection.ai_company ?? '', detection.cloud_provider ?? ''];
      known = { values, all: values.join('\t') };
      this.#bySet[set] = known;
    }
    return known;
  }

  nameOf(asn: number): string {
    return getOrInsert(this.#names, asn, () => this.#dataset.asn(asn)?.asn_name ?? '');
  }
}

function sourceChanges(before: Dataset, after: Dataset): SourceChange[] {
  const statesOf = ({ meta }: Dataset) =>
    new Map(meta.sources.map(({ id, as_of, records }) => [id, { as_of, records }] as const));
  const [old, now] = [statesOf(before), statesOf(after)];
  return [...new Set([...now.keys(), ...old.keys()])].map((id) => {
    const [from, to] = [old.get(id), now.get(id)];
    return { id, ...(from && { from }), ...(to && { to }) };
  });
}

/** Sizes are addresses for IPv4 and /48s, what a customer gets, for IPv6: addresses would exceed exact numbers. */
type Counted = { start: bigint; end: bigint; key: string; size: number };

class Tally {
  readonly #version: 4 | 6;
  readonly #limit: number;
  readonly #largest: Counted[] = [];
  #open: { start: bigint; end: bigint; key: string } | undefined;
  #count = 0;
  #size = 0;

  constructor(version: 4 | 6, limit: number) {
    this.#version = version;
    this.#limit = limit;
  }

  /** Call in ascending order. A run that continues the previous one with the same key is joined to it. */
  addRun(start: bigint, end: bigint, key: string): void {
    const open = this.#open;
    if (open !== undefined && open.key === key && open.end + 1n === start) {
      open.end = end;
      return;
    }
    this.#close();
    this.#open = { start, end, key };
  }

  /** The largest first; of equal size, the lower address first. */
  finish(): { count: number; size: number; largest: readonly Counted[] } {
    this.#close();
    return { count: this.#count, size: this.#size, largest: this.#largest };
  }

  #close(): void {
    if (this.#open === undefined) return;
    const { start, end, key } = this.#open;
    this.#open = undefined;
    const size = this.#version === 4 ? Number(end - start) + 1 : Number((end >> 80n) - (start >> 80n)) + 1;
    this.#count++;
    this.#size += size;
    const list = this.#largest;
    // Runs are closed in ascending order, so of equal ones the earlier stays first.
    let at = list.length;
    while (at > 0 && (list[at - 1] as Counted).size < size) at--;
    if (at >= this.#limit) return;
    list.splice(at, 0, { start, end, key, size });
    if (list.length > this.#limit) list.pop();
  }
}
