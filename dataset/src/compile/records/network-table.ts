import { decodeCountry } from '../../country-code.ts';
import { asCountries, labelledNetworks, typeLabels } from '../../data-files/data-files.ts';
import { rirOfAsn, rirOfCountry, rirOfNetwork } from '../../data-files/rir.ts';
import type { CompiledAsn } from '../../file/networks/networks.ts';
import { getOrInsert, Numbers } from '../../get-or-insert.ts';
import type { Rir, Source } from '../../record.ts';
import { type Connection, connectionOf, typeWithoutTable } from '../describe/connection.ts';
import { AsnRegistry, NetworkNames } from '../describe/network-names.ts';
import type { HeldOutNetwork } from '../held-out/networks.ts';
import type { CompileInput } from '../input/compile-input.ts';
import type { KnownWords } from '../signals/name-signals.ts';
import { type NetworkSignals, networkSignals } from '../signals/network-signals.ts';
import { RouteShapes } from '../signals/route-shapes.ts';
import { isFitted } from '../signals/type-score.ts';

export type Network = {
  readonly asn: number;
  readonly connection: Connection;
  readonly name: string;
  readonly nameSource: Source | undefined;
  readonly handle: string | undefined;
  readonly rir: Rir | undefined;
  /** Equal for networks that have the same effect on attributes, so that they can share them. */
  readonly traitsId: number;
  ipv4Addresses: number;
  /** Whether any address is answered with this network. */
  hasRecords: boolean;
  /** How much of the network is registered in each country: IPv4 addresses, and IPv6 /48s at a negligible weight. */
  readonly registeredSpace: Map<number, number>;
};

export class NetworkTable {
  readonly #input: CompileInput;
  readonly #names: NetworkNames;
  readonly #registry: AsnRegistry;
  readonly #shapes: RouteShapes;
  readonly #knownWords: KnownWords = new Map();
  readonly #networks = new Map<number, Network>();
  readonly #traitsIds = new Numbers();

  constructor(input: CompileInput) {
    this.#input = input;
    this.#names = new NetworkNames(input.names, input.tables.networks);
    this.#registry = new AsnRegistry(input.delegations.map(({ asns }) => asns));
    this.#shapes = new RouteShapes(input);
  }

  get(asn: number): Network {
    return getOrInsert(this.#networks, asn, () => this.#describe(asn));
  }

  /** `country`: where the addresses are registered, as a number. */
  addSpace(network: Network, version: 4 | 6, addresses: bigint, country: number | undefined): void {
    network.hasRecords = true;
    if (version === 4) network.ipv4Addresses += Number(addresses);
    if (country === undefined) return;
    const { registeredSpace } = network;
    const weight = version === 4 ? Number(addresses) : Number(addresses >> 80n) / 2 ** 48;
    registeredSpace.set(country, (registeredSpace.get(country) ?? 0) + weight);
  }

  /** Every network met or named: the most IPv4 addresses first, then those with records, then by number. */
  bySize(): Network[] {
    for (const asn of this.#names.asns()) this.get(asn);
    return [...this.#networks.values()].sort(
      (a, b) => b.ipv4Addresses - a.ipv4Addresses || Number(b.hasRecords) - Number(a.hasRecords) || a.asn - b.asn,
    );
  }

  compiled(network: Network, ipv4Prefixes: number, ipv6Prefixes: number): CompiledAsn {
    const { asn, name, handle, connection, ipv4Addresses } = network;
    const delegation = this.#registry.find(asn);
    const country =
      delegation?.country ?? this.#names.country(asn) ?? asCountries.find(asn)?.country ?? mainCountry(network);
    return {
      number: asn,
      name,
      ...(handle === undefined ? {} : { handle }),
      ...(delegation?.registered === undefined ? {} : { registered: delegation.registered }),
      type: connection.type,
      cloud_provider: connection.cloud_provider,
      country: country ?? 'ZZ',
      rir: delegation?.rir ?? rirOfNetwork(asn, country === undefined ? undefined : rirOfCountry(country)),
      ipv4Addresses,
      ipv4Prefixes,
      ipv6Prefixes,
    };
  }

  /** The announced networks of the hand-written table, with the type that they would have without it. */
  heldOut(): HeldOutNetwork[] {
    return [...this.#networks.values()].flatMap(({ asn, handle, hasRecords, ipv4Addresses }) => {
      const row = hasRecords ? labelledNetworks.find(asn) : undefined;
      if (row === undefined) return [];
      const name = this.#names.sourceName(asn)?.value ?? handle ?? `AS${asn}`;
      const { networkLists, tables } = this.#input;
      const network = { asn, name, handle, signals: () => this.#signals(asn, name) };
      const { type, isAssumed } = typeWithoutTable(network, networkLists, tables);
      const isCarrier = row.role === 'carrier';
      return [{ label: row.connection_type, answer: type, isAssumed, isCarrier, addresses: ipv4Addresses }];
    });
  }

  /** The announced networks that a reader labelled, without those that the points of signals were fitted on. */
  labelled(): HeldOutNetwork[] {
    return [...this.#networks.values()].flatMap(({ asn, hasRecords, ipv4Addresses, connection }) => {
      const isMeasured = hasRecords && !isFitted(asn) && labelledNetworks.find(asn) === undefined;
      const label = isMeasured ? typeLabels.find(asn)?.connection_type : undefined;
      if (label === undefined) return [];
      // The reader's `residential` is any access network.
      const answer = connection.type === 'mobile' ? 'residential' : connection.type;
      return [{ label, answer, isAssumed: connection.isAssumed, isCarrier: false, addresses: ipv4Addresses }];
    });
  }

  #describe(asn: number): Network {
    const { networkLists, tables } = this.#input;
    const handle = this.#names.handle(asn);
    const named = this.#names.name(asn);
    const name = named?.value ?? handle ?? `AS${asn}`;
    const network = { asn, name, handle, signals: () => this.#signals(asn, name) };
    const connection = connectionOf(network, networkLists, tables);
    return {
      asn,
      connection,
      name,
      nameSource: named?.source,
      handle,
      rir: this.#registry.find(asn)?.rir ?? rirOfAsn(asn),
      traitsId: this.#traitsIds.of(JSON.stringify({ ...connection, name: named?.source.id })),
      ipv4Addresses: 0,
      hasRecords: false,
      registeredSpace: new Map(),
    };
  }

  #signals(asn: number, name: string): NetworkSignals {
    return networkSignals(asn, name, this.#shapes.get(asn), this.#knownWords);
  }
}

function mainCountry({ registeredSpace }: Network): string | undefined {
  let main: number | undefined;
  let mainSpace = 0;
  for (const [country, space] of registeredSpace) {
    if (space <= mainSpace) continue;
    main = country;
    mainSpace = space;
  }
  return main === undefined ? undefined : decodeCountry(main);
}
