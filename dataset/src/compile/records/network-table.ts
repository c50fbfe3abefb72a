import { decodeCountry } from '../../country-code.ts';
import { asCountries } from '../../data-files/data-files.ts';
import { rirOfAsn, rirOfCountry, rirOfNetwork } from '../../data-files/rir.ts';
import type { CompiledAsn } from '../../file/networks/networks.ts';
import { getOrInsert, Numbers } from '../../get-or-insert.ts';
import type { Rir } from '../../record.ts';
import type { Connection } from '../describe/connection.ts';
import type { NetworkDescription } from '../describe/describe-networks.ts';
import { AsnRegistry, NetworkNames } from '../describe/network-names.ts';
import type { CompileInput } from '../input/compile-input.ts';
import type { RunGroup } from '../layers/run-groups.ts';

export type Network = NetworkDescription & {
  readonly asn: number;
  readonly rir: Rir | undefined;
  /** Equal for networks that have the same effect on attributes, so that they can share them. */
  readonly traitsId: number;
  ipv4Addresses: number;
  /** Whether any address is answered with this network. */
  hasRecords: boolean;
  /**
   * How much of the network is registered in each country: IPv4 addresses, and IPv6 /48s at a
   * negligible weight.
   */
  readonly registeredSpace: Map<number, number>;
};

export class NetworkTable {
  readonly #names: NetworkNames;
  readonly #registry: AsnRegistry;
  readonly #descriptions: ReadonlyMap<number, NetworkDescription>;
  readonly #networks = new Map<number, Network>();
  readonly #connectionIds = new Numbers<Connection>();
  readonly #traitsIds = new Numbers();

  constructor(input: CompileInput, descriptions: ReadonlyMap<number, NetworkDescription>) {
    this.#names = new NetworkNames(input.names, input.tables.networks);
    this.#registry = new AsnRegistry(input.delegations.map(({ asns }) => asns));
    this.#descriptions = descriptions;
  }

  get(asn: number): Network {
    return getOrInsert(this.#networks, asn, () => this.#add(asn));
  }

  /** `country`: where the space is registered, as a number. */
  addSpace(network: Network, version: 4 | 6, group: RunGroup, country: number | undefined): void {
    network.hasRecords = true;
    if (version === 4) network.ipv4Addresses += group.space;
    if (country === undefined) return;
    const { registeredSpace } = network;
    // IPv6 decides only where there is no IPv4.
    const weight = version === 4 ? group.wholeSpace : group.wholeSpace / 2 ** 48;
    registeredSpace.set(country, (registeredSpace.get(country) ?? 0) + weight);
  }

  /**
   * Every network met or named: the most IPv4 addresses first, then those with records, then by
   * number.
   */
  bySize(): Network[] {
    for (const asn of this.#names.asns()) this.get(asn);
    return [...this.#networks.values()].sort(
      (a, b) =>
        b.ipv4Addresses - a.ipv4Addresses ||
        Number(b.hasRecords) - Number(a.hasRecords) ||
        a.asn - b.asn,
    );
  }

  compiled(network: Network, ipv4Prefixes: number, ipv6Prefixes: number): CompiledAsn {
    const { asn, name, handle, connection, ipv4Addresses } = network;
    const delegation = this.#registry.find(asn);
    const country =
      delegation?.country ??
      this.#names.country(asn) ??
      asCountries.find(asn)?.country ??
      mainCountry(network);
    return {
      number: asn,
      name,
      ...(handle === undefined ? {} : { handle }),
      ...(delegation?.registered === undefined ? {} : { registered: delegation.registered }),
      type: connection.type,
      cloud_provider: connection.cloud_provider,
      country: country ?? 'ZZ',
      rir:
        delegation?.rir ??
        rirOfNetwork(asn, country === undefined ? undefined : rirOfCountry(country)),
      ipv4Addresses,
      ipv4Prefixes,
      ipv6Prefixes,
    };
  }

  #add(asn: number): Network {
    // Every network that a source announces or names is described.
    const description = this.#descriptions.get(asn) as NetworkDescription;
    const { name, nameSource, handle, connection } = description;
    const rir = this.#registry.find(asn)?.rir ?? rirOfAsn(asn);
    const connectionId = this.#connectionIds.of(connection);
    // Not spread: numbering would take three times as long.
    return {
      name,
      nameSource,
      handle,
      connection,
      asn,
      rir,
      traitsId: this.#traitsIds.of(`${rir} ${nameSource?.id} ${connectionId}`),
      ipv4Addresses: 0,
      hasRecords: false,
      registeredSpace: new Map(),
    };
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
