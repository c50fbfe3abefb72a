// A dataset with the operator's overrides over it: a record of its own for each one of the file to
// which an entry applies, numbered after those of the file, made at once in microseconds for most
// prefixes.

import type { Address } from '../address.ts';
import { type Cursor, SPACES, startOf } from '../file/addresses/cursor.ts';
import type { ListedOrigin } from '../file/addresses/other-origins.ts';
import { type Match, makeMatch, prefixLength, recordNumber } from '../file/match.ts';
import { appendNetworks, type CompiledAsn } from '../file/networks/networks.ts';
import { Dataset } from '../file/read.ts';
import { getOrInsert } from '../get-or-insert.ts';
import { lowerBound } from '../lower-bound.ts';
import { addressBits, fromBigInt, toBigInt } from '../prefix.ts';
import { flatten, Ranges } from '../ranges.ts';
import { LayerCursor, sweep } from '../sweep.ts';
import { type Applied, overriddenRecord, type RecordText, UNKNOWN } from './overridden-record.ts';
import type { Overrides, OwnNetwork, Relabel, Verdict } from './overrides.ts';

type OwnRecord = RecordText & { readonly row: number; readonly labels: readonly string[] };

/** Everything that is known before the dataset is made. */
type Prepared = {
  readonly sections: Dataset['sections'];
  readonly records: readonly OwnRecord[];
  readonly ranges: Readonly<Record<4 | 6, readonly OverlaidRange[]>>;
  /** For entries that name a network: records of the file that are replaced. */
  readonly ofNetworks: ReadonlyMap<number, number>;
};

/** The same dataset if there is nothing to apply. */
export function withOverrides(base: Dataset, overrides: Overrides | undefined): Dataset {
  if (overrides === undefined || overrides.source.records === 0) return base;
  return new OverlaidDataset(base, overrides, new Preparation(base, overrides).prepare());
}

class OverlaidDataset extends Dataset {
  readonly #overrides: Overrides;
  readonly #prepared: Prepared;
  /** The first numbers that are not of the file. */
  readonly #first: {
    readonly record: number;
    readonly set: number;
    readonly text: number;
    readonly row: number;
  };

  constructor(base: Dataset, overrides: Overrides, prepared: Prepared) {
    super(prepared.sections, {
      isChecked: true,
      day: base.day,
    });
    this.#overrides = overrides;
    this.#prepared = prepared;
    this.#first = { ...firstNumbers(base), row: base.networks.count };
  }

  override find(address: Address): Match {
    return this.#overlaid(address, super.find(address));
  }

  override findAllIpv4(words: Int32Array, count: number, matches: Uint32Array): void {
    super.findAllIpv4(words, count, matches);
    for (let i = 0; i < count; i++) {
      const address = { version: 4, w0: words[i] as number, w1: 0, w2: 0, w3: 0 } as const;
      matches[i] = this.#overlaid(address, matches[i] as Match);
    }
  }

  override cursorFrom(address: Address): Cursor {
    const { version } = address;
    return overlaidCursor(
      version,
      toBigInt(address),
      super.cursorFrom(address),
      this.#prepared.ranges[version],
      (match) => this.#matchOutside(match),
    );
  }

  override attributesOf(match: Match): number {
    const own = recordNumber(match) - this.#first.record;
    return own < 0 ? super.attributesOf(match) : this.#first.set + own;
  }

  override rowOf(match: Match): number {
    return this.#recordOf(match)?.row ?? super.rowOf(match);
  }

  override textOf(match: Match): number {
    const own = recordNumber(match) - this.#first.record;
    return own < 0 ? super.textOf(match) : this.#first.text + own;
  }

  override textFragment(text: number, fragment: 0 | 1 | 2): Uint8Array {
    const own = this.#prepared.records[text - this.#first.text];
    return own === undefined
      ? super.textFragment(text, fragment)
      : (own.fragments[fragment] as Uint8Array);
  }

  override attributesJson(set: number): string {
    const own = this.#prepared.records[set - this.#first.set];
    return own === undefined
      ? super.attributesJson(set)
      : Buffer.concat(own.fragments).toString('latin1');
  }

  override decisions(set: number): ReturnType<Dataset['decisions']> {
    return this.#prepared.records[set - this.#first.set]?.decisions ?? super.decisions(set);
  }

  protected override isJudged(set: number): boolean {
    return this.#prepared.records[set - this.#first.set]?.isJudged ?? false;
  }

  override otherOrigins(address: Address, match: Match): ListedOrigin[] {
    const network = this.#recordOf(match);
    return network !== undefined && network.row >= this.#first.row
      ? []
      : super.otherOrigins(address, match);
  }

  override labels(match: Match): readonly string[] {
    return this.#recordOf(match)?.labels ?? super.labels(match);
  }

  protected override prefixLists(number: number) {
    const lists = super.prefixLists(number);
    for (const { asn, range, length } of this.#overrides.networks)
      if (asn === number)
        lists[range.version === 4 ? 'ipv4' : 'ipv6'].addCovered(
          fromBigInt(range.start, range.version),
          length,
        );
    return lists;
  }

  override recordsOf(row: number): { first: number; last: number } {
    return row < this.#first.row ? super.recordsOf(row) : { first: 1, last: 0 };
  }

  #overlaid(address: Address, match: Match): Match {
    const ranges = this.#prepared.ranges[address.version];
    if (ranges.length > 0) {
      const value = toBigInt(address);
      const range =
        ranges[lowerBound(0, ranges.length, (at) => (ranges[at] as OverlaidRange).end < value)];
      if (range !== undefined && range.start <= value) return range.matchOf(match);
    }
    return this.#matchOutside(match);
  }

  #matchOutside(match: Match): Match {
    const record = match === 0 ? undefined : this.#prepared.ofNetworks.get(recordNumber(match));
    return record === undefined ? match : makeMatch(prefixLength(match), record);
  }

  #recordOf(match: Match): OwnRecord | undefined {
    return this.#prepared.records[recordNumber(match) - this.#first.record];
  }
}

const firstNumbers = ({ sections }: Dataset) => ({
  record: sections.records.length / 4,
  set: sections.suffixes.length / 4,
  text: sections.variants.length / 12,
});

/** What the file has for a range of addresses. */
type Entries = {
  readonly network: OwnNetwork | undefined;
  readonly relabel: Relabel | undefined;
  readonly verdict: Verdict | undefined;
  readonly labels: readonly string[] | undefined;
};
const NOTHING: Entries = {
  network: undefined,
  relabel: undefined,
  verdict: undefined,
  labels: undefined,
};

const noNetworks = () => ({
  name: undefined as string | undefined,
  ipv4Addresses: 0,
  ipv4Prefixes: 0,
  ipv6Prefixes: 0,
});

class Preparation {
  readonly #base: Dataset;
  readonly #overrides: Overrides;
  readonly #first: ReturnType<typeof firstNumbers>;
  readonly #records: OwnRecord[] = [];
  /** Networks that the file does not have, or has with another name. */
  readonly #networks: CompiledAsn[] = [];
  readonly #rows = new Map<string, number>();
  readonly #ownNetworks = new Map<number, ReturnType<typeof noNetworks>>();

  constructor(base: Dataset, overrides: Overrides) {
    this.#base = base;
    this.#overrides = overrides;
    this.#first = firstNumbers(base);
    for (const { asn, name, range } of overrides.networks) {
      const own = getOrInsert(this.#ownNetworks, asn, noNetworks);
      own.name ??= name;
      if (range.version === 6) own.ipv6Prefixes++;
      else {
        own.ipv4Prefixes++;
        own.ipv4Addresses += Number(range.end - range.start) + 1;
      }
    }
  }

  prepare(): Prepared {
    const ranges = { 4: this.#ranges(4), 6: this.#ranges(6) };
    const ofNetworks = this.#ofNetworks();
    return { sections: this.#sections(), records: this.#records, ranges, ofNetworks };
  }

  #ranges(version: 4 | 6): OverlaidRange[] {
    const { networks, relabels, verdicts, labels } = this.#overrides;
    const own = new Ranges();
    for (const [i, { range }] of networks.entries())
      if (range.version === version) own.add(range.start, range.end, i);
    const cursors = {
      network: new LayerCursor(flatten(own)),
      relabel: new LayerCursor(flatten(relabels.ranges[version])),
      verdict: new LayerCursor(flatten(verdicts.ranges[version])),
      labels: new LayerCursor(flatten(labels.ranges[version])),
    };
    const overlaid: OverlaidRange[] = [];
    sweep(Object.values(cursors), (start, end) => {
      overlaid.push(
        this.#range(version, start, end, {
          network: networks[cursors.network.value],
          relabel: relabels.list[cursors.relabel.value],
          verdict: verdicts.list[cursors.verdict.value],
          labels: labels.list[cursors.labels.value],
        }),
      );
    });
    return overlaid;
  }

  #range(version: 4 | 6, start: bigint, end: bigint, entries: Entries): OverlaidRange {
    const { network } = entries;
    const records = new Map<number, number>();
    for (const match of this.#matchesIn(version, start, end)) {
      const record = recordNumber(match);
      if (records.has(record) || (match === 0 && network === undefined)) continue;
      records.set(record, this.#record(match, entries));
    }
    return {
      start,
      end,
      matchOf: (match) => {
        const record = records.get(recordNumber(match));
        return record === undefined
          ? match
          : makeMatch(network?.length ?? prefixLength(match), record);
      },
    };
  }

  #ofNetworks(): Map<number, number> {
    const { relabels, verdicts, labels } = this.#overrides;
    const replaced = new Map<number, number>();
    for (const asn of new Set([relabels, verdicts, labels].flatMap(({ asns }) => [...asns.keys()])))
      for (const record of this.#recordsOf(asn))
        replaced.set(record, this.#record(makeMatch(0, record), NOTHING));
    return replaced;
  }

  *#recordsOf(asn: number): Generator<number> {
    const row = this.#base.networks.rowOf(asn);
    if (row < 0) return;
    const { first, last } = this.#base.recordsOf(row);
    for (let record = first; record <= last; record++) yield record;
  }

  /**
   * Makes a record and returns its number. What is said about addresses comes before what is said
   * about their network.
   */
  #record(match: Match, { network, relabel, verdict, labels }: Entries): number {
    const base = this.#base;
    const set = base.attributesOf(match);
    const beneath =
      match === 0
        ? { attributes: UNKNOWN, decisions: [] }
        : { attributes: base.attributes(set), decisions: base.decisions(set) };
    const overrides = this.#overrides;
    const asn = network?.asn ?? base.asnNumber(match);
    const applied = {
      isOwnNetwork: network !== undefined,
      relabel: { ...overrides.relabels.asns.get(asn), ...relabel },
      verdict: verdict ?? overrides.verdicts.asns.get(asn),
    };
    const row = network === undefined ? base.rowOf(match) : this.#rowOf(network, applied);
    const text = overriddenRecord(beneath, applied, overrides.source, base.meta.sources.length);
    const own = { ...text, row, labels: labels ?? overrides.labels.asns.get(asn) ?? [] };
    return this.#first.record + this.#records.push(own) - 1;
  }

  #rowOf({ asn, name }: OwnNetwork, { relabel }: Applied): number {
    const { networks } = this.#base;
    const row = networks.rowOf(asn);
    const baseNetwork = row < 0 ? undefined : networks.at(row);
    if (baseNetwork !== undefined && (name === undefined || name === baseNetwork.asn_name))
      return row;
    const { name: ownName, ...counts } = this.#ownNetworks.get(asn) ?? noNetworks();
    const shown = name ?? ownName ?? `AS${asn}`;
    const made = {
      number: asn,
      name: shown,
      type: relabel.connection_type ?? UNKNOWN.connection_type,
      country: relabel.country ?? UNKNOWN.country,
      rir: baseNetwork?.rir,
      cloud_provider: undefined,
      ...counts,
    };
    return getOrInsert(
      this.#rows,
      `${asn} ${shown}`,
      () => networks.count + this.#networks.push(made) - 1,
    );
  }

  *#matchesIn(version: 4 | 6, start: bigint, end: bigint): Generator<Match> {
    // The tables of IPv6 cover 2000::/3.
    if (version === 6 && start >> 125n !== 1n) {
      yield 0;
      return;
    }
    const cursor = this.#base.cursorFrom(fromBigInt(start, version));
    for (let isFirst = true; cursor.advance(); isFirst = false) {
      if (!isFirst && startOf(version, cursor) > end) return;
      yield cursor.match;
    }
  }

  #sections(): Dataset['sections'] {
    const { sections, meta } = this.#base;
    const { counts } = meta;
    const own = this.#records.length;
    const more = {
      ...meta,
      sources: [...meta.sources, this.#overrides.source],
      counts: {
        ...counts,
        records: counts.records + own,
        attribute_sets: counts.attribute_sets + own,
      },
    };
    return {
      ...sections,
      ...(this.#networks.length > 0 && appendNetworks(sections, this.#networks)),
      meta: Buffer.from(JSON.stringify(more)),
    };
  }
}

/** Ranges in ascending order, which do not overlap; `matchOf` takes the match of the table. */
type OverlaidRange = { readonly start: bigint; readonly end: bigint; matchOf(match: Match): Match };

type Interval = { readonly start: bigint; readonly end: bigint; readonly match: Match };

function overlaidCursor(
  version: 4 | 6,
  from: bigint,
  base: Cursor,
  ranges: readonly OverlaidRange[],
  matchOutside: (match: Match) => Match,
): Cursor {
  const intervals = overlaidIntervals(version, base, ranges, matchOutside);
  return {
    w0: 0,
    w1: 0,
    w2: 0,
    w3: 0,
    match: 0,
    advance() {
      let next = intervals.next();
      // The first interval of the table may be divided before the address where the walk begins.
      while (next.done !== true && next.value.end < from) next = intervals.next();
      if (next.done === true) return false;
      const { w0, w1, w2, w3 } = fromBigInt(next.value.start, version);
      this.w0 = w0 >>> 0;
      this.w1 = w1 >>> 0;
      this.w2 = w2 >>> 0;
      this.w3 = w3 >>> 0;
      this.match = next.value.match;
      return true;
    },
  };
}

function* overlaidIntervals(
  version: 4 | 6,
  base: Cursor,
  ranges: readonly OverlaidRange[],
  matchOutside: (match: Match) => Match,
): Generator<Interval> {
  let at = 0;
  for (const { start: first, end: last, match } of intervalsOf(version, base))
    for (let start = first; start <= last; ) {
      while (at < ranges.length && (ranges[at] as OverlaidRange).end < start) at++;
      const range = ranges[at];
      const isInside = range !== undefined && range.start <= start;
      let until = last;
      if (range !== undefined) until = isInside ? range.end : range.start - 1n;
      const end = until < last ? until : last;
      yield { start, end, match: isInside ? range.matchOf(match) : matchOutside(match) };
      start = end + 1n;
    }
}

/** The tables of IPv6 cover 2000::/3; the space after it has no match. */
function* intervalsOf(version: 4 | 6, base: Cursor): Generator<Interval> {
  const covered = SPACES[version].last;
  const last = (1n << BigInt(addressBits(version))) - 1n;
  let isMore = base.advance();
  if (!isMore) yield { start: 0n, end: covered, match: 0 };
  while (isMore) {
    const start = startOf(version, base);
    const match = base.match;
    isMore = base.advance();
    yield { start, end: isMore ? startOf(version, base) - 1n : covered, match };
  }
  if (covered < last) yield { start: covered + 1n, end: last, match: 0 };
}
