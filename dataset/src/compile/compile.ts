/**
 * Sources in, dataset out: what every prefix and every AS is, and which source said so. Knows the order of trust between
 * sources; what the fields mean lies in `rir`, `connection`, `threat` and `tail`.
 */
import { MAX_RECORD, type Match, makeMatch, prefixLength, RIRS, recordNumber } from '../format.ts';
import type { Rir, Source } from '../record.ts';
import { specialPurposeRanges } from '../tables/special-purpose.ts';
import type { Compiled, CompiledAsn, CompiledTail } from '../write.ts';
import { type Connection, connectionOf } from './connection.ts';
import { decodeCountry } from './country-code.ts';
import { type CoveredPrefix, type Merged, merge } from './merge.ts';
import type { FamilyRanges } from './parsed.ts';
import { flatten, type Layer, Ranges } from './ranges.ts';
import { ianaLayer, rirOfAsn, rirOfCountry, rirOfIpv4, rirOfNetwork } from './rir.ts';
import { type Decision, type Tail, tailText } from './tail.ts';
import { type Contribution, rateThreat, WEIGHTS } from './threat.ts';

export type RangeSource = { readonly source: Source; readonly ranges: FamilyRanges };

/** Something true of some addresses inside a network. A range's value is the position of its label in `labels`. */
export type Overlay = RangeSource & { readonly kind: 'crawler' | 'tor'; readonly labels: readonly string[] };

export type CompileInput = {
  /** Values are AS numbers. */
  readonly routes: RangeSource;
  readonly names: ReadonlyMap<number, string>;
  /** Where addresses are used, the most trusted first. Values are countries. */
  readonly countries: readonly RangeSource[];
  /** Where addresses are registered: decides the registry and the country of an AS, and fills gaps of `countries`. */
  readonly delegated: RangeSource;
  readonly overlays: readonly Overlay[];
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

type Network = Connection & {
  readonly name: string;
  readonly origin: Rir | undefined;
  ipv4Addresses: number;
  /** How much of the network is delegated to each country: IPv4 addresses and, far below them in weight, IPv6 /48s. */
  readonly countries: Map<number, number>;
};

class Compiler {
  readonly #input: CompileInput;
  readonly #sources: Source[];
  readonly #networks = new Map<number, Network>();
  readonly #tails: CompiledTail[] = [];
  readonly #tailIds = new Map<string, number>();
  /** Provisional records, numbered as they are met; record 0 means nothing. */
  readonly #records: { asn: number; tail: number }[] = [];
  readonly #recordIds = new Map<number, number>();

  constructor(input: CompileInput) {
    this.#input = input;
    const { routes, countries, delegated, overlays, tables } = input;
    this.#sources = [
      ...new Set([routes, ...countries, delegated, ...overlays].map(({ source }) => source)),
      ...Object.values(tables),
    ];
  }

  merge(version: 4 | 6, progress: (share: number) => void): Merged {
    progress(0);
    const { routes, countries, delegated, overlays } = this.#input;
    const countryLayers = countries.map(({ ranges }) => flatten(ranges[version]));
    const delegatedLayer = flatten(delegated.ranges[version]);
    const iana = ianaLayer(version);
    const overlayLayers = overlays.map(({ ranges }) => flatten(ranges[version]));
    const others = [delegatedLayer, iana, ...countryLayers, ...overlayLayers];

    return merge({
      version,
      routes: flatten(routes.ranges[version]),
      reserved: reservedLayer(version),
      others,
      progress,
      describe: (asn, rows, addresses) => {
        const network = this.#network(asn);
        const values = rows.map((row, i) => (row < 0 ? -1 : ((others[i] as Layer).ranges.values[row] as number)));
        const [delegatedCountry = -1, ianaRir = -1, ...rest] = values;
        if (delegatedCountry >= 0) {
          const weight = version === 4 ? Number(addresses) : Number(addresses >> 80n) / 2 ** 48;
          network.countries.set(delegatedCountry, (network.countries.get(delegatedCountry) ?? 0) + weight);
        }
        if (version === 4) network.ipv4Addresses += Number(addresses);
        const region = delegatedCountry < 0 ? undefined : rirOfCountry(decodeCountry(delegatedCountry));
        const base = RIRS[ianaRir];
        const rir =
          version === 4 ? rirOfIpv4(base, region, network.origin) : (base ?? region ?? network.origin ?? 'ARIN');
        return this.#record(asn, this.#tail(network, rir, delegatedCountry, rest));
      },
    });
  }

  /** Numbers networks and records in the order of the file: largest network first, records by network. */
  finish(ipv4: Merged, ipv6: Merged): Compiled {
    // A network may answer for no address at all and yet announce prefixes.
    for (const { asn } of [...ipv4.covered, ...ipv6.covered]) this.#network(asn);
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
      ipv4: renumber(ipv4.intervals),
      ipv6: renumber(ipv6.intervals),
      records: records.map(({ asn, tail }) => ({ asn, tail })),
      tails: this.#tails,
      asns: order.map((asn) => this.#asn(asn, ipv4.prefixCounts.get(asn) ?? 0, ipv6.prefixCounts.get(asn) ?? 0)),
      covered: [...covered(4, ipv4.covered), ...covered(6, ipv6.covered)],
    };
  }

  #asn(number: number, ipv4Prefixes: number, ipv6Prefixes: number): CompiledAsn {
    const { name, type, cloud_provider, countries, ipv4Addresses } = this.#network(number);
    const [country] = [...countries].reduce((best, next) => (next[1] > best[1] ? next : best), [0, 0]);
    return {
      number,
      name,
      type,
      cloud_provider,
      country: country === 0 ? 'ZZ' : decodeCountry(country),
      rir: rirOfNetwork(number, country === 0 ? undefined : rirOfCountry(decodeCountry(country))),
      ipv4Addresses,
      ipv4Prefixes,
      ipv6Prefixes,
    };
  }

  #network(asn: number): Network {
    let network = this.#networks.get(asn);
    if (network === undefined) {
      const name = this.#input.names.get(asn) || `AS${asn}`;
      network = {
        ...connectionOf(asn, name),
        name,
        origin: rirOfAsn(asn),
        ipv4Addresses: 0,
        countries: new Map(),
      };
      this.#networks.set(asn, network);
    }
    return network;
  }

  #record(asn: number, tail: number): number {
    const key = asn * 0x100000 + tail;
    let record = this.#recordIds.get(key);
    if (record === undefined) {
      record = this.#records.push({ asn, tail });
      this.#recordIds.set(key, record);
    }
    return record;
  }

  /** `values`: of the country layers, then of the overlays; -1 where one says nothing. */
  #tail(network: Network, rir: Rir, delegatedCountry: number, values: readonly number[]): number {
    const { type, decidedBy, cloud_provider, vpn } = network;
    const key = `${rir} ${delegatedCountry} ${type} ${decidedBy} ${cloud_provider} ${vpn} ${values}`;
    const known = this.#tailIds.get(key);
    if (known !== undefined) return known;
    const tail = this.#describe(network, rir, delegatedCountry, values);
    // Different inputs can come to the same answer for the same reasons; the text and the decisions tell.
    const text = tailText(tail);
    const decisions = JSON.stringify(tail.decisions);
    const content = `${text} ${decisions}`;
    let id = this.#tailIds.get(content);
    if (id === undefined) {
      id = this.#tails.push({ text, decisions }) - 1;
      this.#tailIds.set(content, id);
    }
    this.#tailIds.set(key, id);
    return id;
  }

  #describe(
    { type, decidedBy, cloud_provider, vpn }: Network,
    rir: Rir,
    delegatedCountry: number,
    values: readonly number[],
  ): Tail {
    const { routes, countries, delegated, overlays, tables } = this.#input;
    const decisions: Decision[] = [];
    const decide = (field: string, source: Source) => decisions.push([field, this.#sources.indexOf(source)]);
    const contributions: Contribution[] = [];
    const contribute = (what: string, { id, as_of }: Source, points: number) =>
      contributions.push({ what, source: `${id}, ${as_of}`, points });

    for (const field of ['prefix', 'asn', 'asn_name']) decide(field, routes.source);

    let country = 'ZZ';
    const trusted = countries.findIndex((_, i) => (values[i] as number) >= 0);
    if (trusted >= 0) {
      country = decodeCountry(values[trusted] as number);
      decide('country', (countries[trusted] as RangeSource).source);
    } else if (delegatedCountry >= 0) {
      country = decodeCountry(delegatedCountry);
      decide('country', delegated.source);
    }
    decide('rir', tables.iana);
    if (decidedBy !== undefined) decide('connection_type', tables[decidedBy]);
    if (cloud_provider !== undefined) decide('cloud_provider', tables.networks);
    if (vpn !== undefined) {
      decide('is_vpn', tables.networks);
      contribute(`VPN operator ${vpn}`, tables.networks, WEIGHTS.vpn);
    }
    if (type === 'datacenter' && decidedBy !== undefined)
      contribute('datacenter', tables[decidedBy], WEIGHTS.datacenter);

    let ai_company: string | undefined;
    let tor = false;
    overlays.forEach(({ kind, labels, source }, i) => {
      const label = labels[values[countries.length + i] as number];
      if (label === undefined) return;
      if (kind === 'crawler' && ai_company === undefined) {
        ai_company = label;
        decide('is_ai_crawler', source);
        decide('ai_company', source);
      }
      if (kind === 'tor') {
        tor = true;
        decide('is_tor_exit', source);
        contribute(`Tor exit of ${label}`, source, WEIGHTS.tor_exit);
      }
    });

    return {
      country,
      rir,
      connection_type: type,
      tor,
      proxy: false,
      vpn: vpn !== undefined,
      ai_company,
      cloud_provider,
      threat: rateThreat(contributions),
      decisions,
    };
  }
}

/** Special-purpose space, and for IPv6 everything outside 2000::/3, which is not open for global unicast. */
function reservedLayer(version: 4 | 6): Layer {
  const ranges = new Ranges();
  for (const { start, end } of specialPurposeRanges(version)) ranges.add(start, end, 0);
  if (version === 6) {
    ranges.add(0n, (1n << 125n) - 1n, 0);
    ranges.add(1n << 126n, (1n << 128n) - 1n, 0);
  }
  return flatten(ranges);
}
