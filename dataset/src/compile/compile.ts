/**
 * Sources in, dataset out: walks all of them side by side, asks `describe` what holds on each run of addresses, and numbers networks,
 * records and tails. What the fields mean lies in `describe`, `rir`, `connection` and `threat`.
 */

import { decodeCountry, encodeCountry } from '../country-code.ts';
import { MAX_RECORD, type Match, makeMatch, prefixLength, RIRS, recordNumber } from '../format.ts';
import { FLAGS, type Rir, type Source } from '../record.ts';
import { specialPurposeRanges } from '../tables/special-purpose.ts';
import type { Compiled, CompiledAsn, CompiledRival, CompiledTail } from '../write.ts';
import { AsnRegistry } from './asn-registry.ts';
import { type Connection, connectionOf } from './connection.ts';
import { describe, type LocalKnowledge, type Stated } from './describe.ts';
import { type Answered, FigureCounter } from './figures.ts';
import { type CoveredPrefix, type Merged, merge } from './merge.ts';
import { combineOverlays, type Listing } from './overlays.ts';
import type { Overrides, Relabel, Verdict } from './overrides.ts';
import type { Holder } from './parsed.ts';
import { flatten, type Layer, Ranges } from './ranges.ts';
import { ianaLayer, rirOfAsn, rirOfCountry, rirOfIpv4, rirOfNetwork } from './rir.ts';
import { insetRoutes, joinRoutes } from './routes.ts';
import type { DelegationSource, NameSource, NetworkList, Overlay, RangeSource, RouteSource } from './statements.ts';
import { tailTexts } from './tail.ts';

/** Of every list the most trusted source comes first. */
export type CompileInput = {
  readonly routes: readonly RouteSource[];
  readonly names: readonly NameSource[];
  /** Where addresses are used. Values are countries. */
  readonly countries: readonly RangeSource[];
  /** The registries' own files: which registry keeps a block, and for which country. */
  readonly delegations: readonly DelegationSource[];
  /** Where addresses are registered as far as somebody else tells: for what `delegations` leave open. Values are countries. */
  readonly delegated: RangeSource;
  readonly networkLists: readonly NetworkList[];
  readonly overlays: readonly Overlay[];
  readonly overrides?: Overrides;
  /** Our own tables as sources. */
  readonly tables: Readonly<Record<'iana' | 'networks' | 'name-rules', Source>>;
};

/** Told the step at hand and which share of the whole is done. */
export type Progress = (step: string, share: number) => void;

export function compile(input: CompileInput, progress: Progress = () => {}): Compiled {
  const compiler = new Compiler(input);
  const ipv4 = compiler.merge(4, (share) => progress('merging IPv4', share * 0.6));
  const ipv6 = compiler.merge(6, (share) => progress('merging IPv6', 0.6 + share * 0.3));
  progress('numbering records', 0.9);
  return compiler.finish(ipv4, ipv6);
}

type Network = {
  readonly connection: Connection;
  readonly name: string;
  readonly nameSource: Source | undefined;
  readonly handle: string | undefined;
  /** By IANA's table of AS numbers. */
  readonly origin: Rir | undefined;
  /** Everything about the network that shows in a tail, as a number: networks with one character share tails. */
  readonly character: number;
  readonly verdict: Verdict | undefined;
  readonly relabel: Relabel | undefined;
  ipv4Addresses: number;
  /** How much of the network is delegated to each country: IPv4 addresses and, far below them in weight, IPv6 /48s. */
  readonly countries: Map<number, number>;
};

type TailEntry = { readonly id: number; readonly figures: Answered };

class Compiler {
  readonly #input: CompileInput;
  /** What the operator calls its own, if anything. */
  readonly #own: readonly (RouteSource & NameSource)[];
  readonly #sources: readonly Source[];
  readonly #registry: AsnRegistry;
  readonly #networks = new Map<number, Network>();
  readonly #characters = new Map<string, number>();
  readonly #tails: CompiledTail[] = [];
  readonly #tailIds = new Map<string, number>();
  readonly #tailOf = new Map<string, TailEntry>();
  /** Provisional records, numbered as they are met; record 0 means nothing. */
  readonly #records: { asn: number; tail: number }[] = [];
  readonly #recordIds = new Map<number, number>();
  readonly #figures = new FigureCounter();

  constructor(input: CompileInput) {
    this.#own = ownNetworks(input.overrides);
    this.#input = { ...input, names: [...this.#own, ...input.names] };
    const { routes, names, countries, delegations, delegated, networkLists, overlays, overrides, tables } = input;
    const all = [...routes, ...names, ...countries, ...delegations, delegated, ...networkLists, ...overlays];
    this.#sources = [
      ...new Set([
        ...all.map(({ source }) => source),
        ...(overrides === undefined ? [] : [overrides.source]),
        ...Object.values(tables),
      ]),
    ];
    this.#registry = new AsnRegistry(delegations.map(({ asns }) => asns));
  }

  merge(version: 4 | 6, progress: (share: number) => void): Merged {
    progress(0);
    const { routes, countries, delegations, delegated, overlays, overrides, tables } = this.#input;
    const announced = joinRoutes(routes.map(({ ranges }) => ranges[version]));
    const joined = insetRoutes(announced, this.#own[0]?.ranges[version] ?? new Ranges(), routes.length);
    const routeSources = [...routes, ...this.#own];
    const holders = joinHolders(delegations, version);
    const overlaid = combineOverlays(overlays, version);
    const layers = {
      holder: holders.layer,
      delegated: flatten(delegated.ranges[version]),
      iana: ianaLayer(version),
      overlaid: overlaid.layer,
      verdict: flatten(overrides?.verdicts.ranges[version] ?? new Ranges()),
      relabel: flatten(overrides?.relabels.ranges[version] ?? new Ranges()),
    };
    const countryLayers = countries.map(({ ranges }) => flatten(ranges[version]));
    const others = [...Object.values(layers), ...countryLayers];
    const compared = [...countries.map(({ source }) => source), delegated.source];

    return merge({
      version,
      routes: joined.layer,
      reserved: reservedLayer(version, overrides),
      others,
      progress,
      announced: (addresses) => this.#figures.announced(version, addresses),
      describe: (route, rows, addresses) => {
        const asn = joined.layer.ranges.values[route] as number;
        const network = this.#network(asn);
        const values = rows.map((row, i) => (row < 0 ? -1 : ((others[i] as Layer).ranges.values[row] as number)));
        const [holderId = -1, delegatedTo = -1, iana = -1, combination = -1, verdict = -1, relabel = -1] = values;
        const used = values.slice(others.length - countries.length);
        const holder = holders.list[holderId];
        const registered = registeredCountry(holder?.value, delegatedTo);
        if (registered !== undefined) {
          const weight = version === 4 ? Number(addresses) : Number(addresses >> 80n) / 2 ** 48;
          network.countries.set(registered, (network.countries.get(registered) ?? 0) + weight);
        }
        if (version === 4) {
          network.ipv4Addresses += Number(addresses);
          const stated = [...used, delegatedTo].map((value) => (value < 0 ? undefined : value));
          this.#figures.compared(compared, stated, addresses);
        }
        const trusted = used.findIndex((value) => value >= 0);
        const sourceOfRoute = joined.sourceOf[route] as number;
        // The first country that is known decides, so the others need not be part of the key.
        const key = `${network.character} ${sourceOfRoute} ${iana} ${holderId} ${delegatedTo} ${combination} ${verdict} ${relabel} ${trusted} ${used[trusted]}`;
        const tailKey = version === 4 ? `${key} ${network.origin}` : `6 ${key} ${network.origin}`;
        const tail = this.#tail(tailKey, () => {
          const region = registered === undefined ? undefined : rirOfCountry(decodeCountry(registered));
          const base = RIRS[iana];
          const guess =
            version === 4 ? rirOfIpv4(base, region, network.origin) : (base ?? region ?? network.origin ?? 'ARIN');
          return {
            network,
            route: (routeSources[sourceOfRoute] as RouteSource).source,
            rir: holder === undefined ? { value: guess, source: tables.iana } : { ...holder, value: holder.value.rir },
            country: firstCountry([
              ...countries.map(({ source }, i) => ({ source, value: used[i] as number })),
              ...(holder?.value.country === undefined
                ? []
                : [{ source: holder.source, value: encodeCountry(holder.value.country) }]),
              { source: delegated.source, value: delegatedTo },
            ]),
            listings: overlaid.combinations[combination] ?? [],
            overrides: localKnowledge(
              overrides,
              overrides?.verdicts.list[verdict] ?? network.verdict,
              mergeRelabels(network.relabel, overrides?.relabels.list[relabel]),
            ),
          };
        });
        this.#figures.answered(version, addresses, tail.figures);
        return this.#record(asn, tail.id);
      },
    });
  }

  /** Numbers networks and records in the order of the file: largest network first, records by network. */
  finish(ipv4: Merged, ipv6: Merged): Compiled {
    // A network may answer for no address at all and yet announce prefixes, or have a name and announce nothing.
    for (const { asn } of [...ipv4.covered, ...ipv6.covered]) this.#network(asn);
    for (const { names } of this.#input.names) for (const asn of names.keys()) this.#network(asn);
    const order = [...this.#networks.keys()].sort(
      (a, b) => this.#network(b).ipv4Addresses - this.#network(a).ipv4Addresses || a - b,
    );
    const rowOf = new Map(order.map((asn, row) => [asn, row]));
    const records = this.#records
      .map(({ asn, tail }, id) => ({ asn: rowOf.get(asn) as number, tail, id }))
      .sort((a, b) => a.asn - b.asn || a.tail - b.tail);
    if (records.length > MAX_RECORD) throw new Error(`${records.length} records do not fit into the format`);
    const renumbered = new Uint32Array(records.length);
    records.forEach(({ id }, position) => {
      renumbered[id] = position + 1;
    });
    const renumber = ({ starts, matches }: Merged['intervals']) => ({
      starts,
      matches: matches.map(
        (match): Match =>
          match === 0 ? 0 : makeMatch(prefixLength(match), renumbered[recordNumber(match) - 1] as number),
      ),
    });
    const covered = (version: 4 | 6, prefixes: CoveredPrefix[]) =>
      prefixes.map(({ asn, base, length }) => ({ row: rowOf.get(asn) as number, version, base, length }));
    return {
      sources: this.#sources,
      figures: this.#figures.finish(),
      ipv4: renumber(ipv4.intervals),
      ipv6: renumber(ipv6.intervals),
      records: records.map(({ asn, tail }) => ({ asn, tail })),
      tails: this.#tails,
      asns: order.map((asn) => this.#asn(asn, ipv4.prefixCounts.get(asn) ?? 0, ipv6.prefixCounts.get(asn) ?? 0)),
      covered: [...covered(4, ipv4.covered), ...covered(6, ipv6.covered)],
      rivals: this.#rivals(),
    };
  }

  #asn(number: number, ipv4Prefixes: number, ipv6Prefixes: number): CompiledAsn {
    const { name, handle, connection, countries, ipv4Addresses } = this.#network(number);
    const delegation = this.#registry.find(number);
    const [announced] = [...countries].reduce((best, next) => (next[1] > best[1] ? next : best), [0, 0]);
    const country =
      delegation?.country ??
      this.#firstName(number, ({ country }) => country)?.value ??
      (announced === 0 ? undefined : decodeCountry(announced));
    return {
      number,
      name,
      ...(handle === undefined ? {} : { handle }),
      ...(delegation?.registered === undefined ? {} : { registered: delegation.registered }),
      type: connection.type,
      cloud_provider: connection.cloud_provider,
      country: country ?? 'ZZ',
      rir: delegation?.rir ?? rirOfNetwork(number, country === undefined ? undefined : rirOfCountry(country)),
      ipv4Addresses,
      ipv4Prefixes,
      ipv6Prefixes,
    };
  }

  #network(asn: number): Network {
    let network = this.#networks.get(asn);
    if (network === undefined) {
      const handle = this.#firstName(asn, (named) => named.handle)?.value;
      // Some registries publish nothing but the handle as a name; anybody's name is better than that.
      const named =
        this.#firstName(asn, ({ name, handle: own }) => (name === own ? undefined : name)) ??
        this.#firstName(asn, ({ name }) => name);
      const name = named?.value ?? handle ?? `AS${asn}`;
      const { networkLists, tables, overrides } = this.#input;
      const connection = connectionOf(asn, { name, handle }, networkLists, tables);
      const verdict = overrides?.verdicts.asns.get(asn);
      const relabel = overrides?.relabels.asns.get(asn);
      network = {
        connection,
        name,
        nameSource: named?.source,
        handle,
        origin: this.#registry.find(asn)?.rir ?? rirOfAsn(asn),
        character: this.#character({ ...connection, name: named?.source.id, verdict, relabel }),
        verdict,
        relabel,
        ipv4Addresses: 0,
        countries: new Map(),
      };
      this.#networks.set(asn, network);
    }
    return network;
  }

  #firstName(asn: number, pick: (name: NameEntry) => string | undefined): Stated<string> | undefined {
    for (const { source, names } of this.#input.names) {
      const entry = names.get(asn);
      const value = entry && pick(entry);
      if (value !== undefined && value !== '') return { value, source };
    }
    return undefined;
  }

  #character(traits: object): number {
    const key = JSON.stringify(traits);
    let character = this.#characters.get(key);
    if (character === undefined) {
      character = this.#characters.size;
      this.#characters.set(key, character);
    }
    return character;
  }

  #record(asn: number, tail: number): number {
    const key = asn * 0x200000 + tail;
    let record = this.#recordIds.get(key);
    if (record === undefined) {
      record = this.#records.push({ asn, tail });
      this.#recordIds.set(key, record);
    }
    return record;
  }

  #tail(key: string, facts: () => RunFacts): TailEntry {
    const known = this.#tailOf.get(key);
    if (known !== undefined) return known;
    const { network, ...rest } = facts();
    const { connection, nameSource } = network;
    const { tail, reasons } = describe({ ...rest, connection, name: nameSource });
    const texts = tailTexts(tail);
    const decisions = JSON.stringify(
      reasons.map(([field, source, ...value]) => [field, this.#sources.indexOf(source), ...value]),
    );
    // Different inputs can come to the same answer for the same reasons.
    const content = `${tail.country}${texts.network}${texts.threat}${decisions}`;
    let id = this.#tailIds.get(content);
    if (id === undefined) {
      id = this.#tails.push({ country: tail.country, ...texts, decisions }) - 1;
      this.#tailIds.set(content, id);
    }
    const detection = { is_tor_exit: tail.tor, is_proxy: tail.proxy, is_vpn: tail.vpn };
    const figures = {
      hasCountry: tail.country !== 'ZZ',
      isExactRir: rest.rir.source !== this.#input.tables.iana,
      hasType: reasons.some(([field]) => field === 'connection_type'),
      flags: FLAGS.filter(
        (flag) =>
          detection[flag as keyof typeof detection] === true ||
          flag === `is_${tail.connection_type}` ||
          (flag === 'is_ai_crawler' && tail.ai_company !== undefined),
      ),
      score: tail.threat.score,
    };
    const entry = { id, figures };
    this.#tailOf.set(key, entry);
    return entry;
  }

  #rivals(): CompiledRival[] {
    return this.#input.routes.flatMap(({ source, rivals }) =>
      rivals.map((rival) => ({ ...rival, source: this.#sources.indexOf(source) })),
    );
  }
}

type NameEntry = NonNullable<ReturnType<NameSource['names']['get']>>;

type RunFacts = {
  readonly network: Network;
  readonly route: Source;
  readonly rir: Stated<Rir>;
  readonly country: Stated<string> | undefined;
  readonly listings: readonly Listing[];
  readonly overrides: LocalKnowledge | undefined;
};

/** The operator's own networks as a source of routes and names like any other. */
function ownNetworks(overrides: Overrides | undefined): readonly (RouteSource & NameSource)[] {
  if (overrides === undefined || overrides.networks.length === 0) return [];
  const ranges = { 4: new Ranges(), 6: new Ranges() };
  for (const { range, asn } of overrides.networks) ranges[range.version].add(range.start, range.end, asn);
  const named = overrides.networks.flatMap(({ asn, name }) => (name === undefined ? [] : [[asn, { name }] as const]));
  return [{ source: overrides.source, ranges, rivals: [], names: new Map(named) }];
}

/** The blocks of all delegated files as one layer whose values are positions in `list`. */
function joinHolders(delegations: readonly DelegationSource[], version: 4 | 6) {
  const ranges = new Ranges();
  const list: Stated<Holder>[] = [];
  // Of equally narrow rows the later wins in a layer, so the most trusted file is put last.
  for (const { source, ranges: blocks, holders } of [...delegations].reverse()) {
    const offset = list.length;
    list.push(...holders.map((value) => ({ value, source })));
    const { starts, ends, values } = blocks[version];
    for (let row = 0; row < blocks[version].length; row++)
      ranges.add(starts[row] as bigint, ends[row] as bigint, offset + (values[row] as number));
  }
  return { layer: flatten(ranges), list };
}

function registeredCountry(holder: Holder | undefined, delegatedTo: number): number | undefined {
  if (holder?.country !== undefined) return encodeCountry(holder.country);
  return delegatedTo < 0 ? undefined : delegatedTo;
}

function firstCountry(stated: readonly Stated<number>[]): Stated<string> | undefined {
  const first = stated.find(({ value }) => value >= 0);
  return first && { value: decodeCountry(first.value), source: first.source };
}

function localKnowledge(
  overrides: Overrides | undefined,
  verdict: Verdict | undefined,
  relabel: Relabel | undefined,
): LocalKnowledge | undefined {
  if (overrides === undefined || (verdict === undefined && relabel === undefined)) return undefined;
  return { source: overrides.source, verdict, relabel };
}

/** What is said of the addresses comes before what is said of the whole network. */
function mergeRelabels(ofNetwork: Relabel | undefined, ofAddresses: Relabel | undefined): Relabel | undefined {
  return ofNetwork === undefined ? ofAddresses : { ...ofNetwork, ...ofAddresses };
}

/** Special-purpose space but for the operator's own networks, and for IPv6 everything outside 2000::/3, which is not open for global unicast. */
function reservedLayer(version: 4 | 6, overrides: Overrides | undefined): Layer {
  const ranges = new Ranges();
  for (const { start, end } of specialPurposeRanges(version)) ranges.add(start, end, RESERVED);
  if (version === 6) {
    ranges.add(0n, (1n << 125n) - 1n, RESERVED);
    ranges.add(1n << 126n, (1n << 128n) - 1n, RESERVED);
  }
  for (const { range } of overrides?.networks ?? [])
    if (range.version === version) ranges.add(range.start, range.end, OPEN);
  const layer = flatten(ranges);
  const isReserved = (run: number) => ranges.values[layer.rows[run] as number] === RESERVED;
  const runs = [...layer.starts.keys()].filter(isReserved);
  return {
    ranges,
    starts: runs.map((run) => layer.starts[run] as bigint),
    ends: runs.map((run) => layer.ends[run] as bigint),
    rows: runs.map((run) => layer.rows[run] as number),
  };
}

const RESERVED = 0;
const OPEN = 1;
