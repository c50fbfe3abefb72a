// What the layers say about a group of runs, as the facts that `describe` decides on. 220,000
// groups have a few thousand different facts, which are made only for a new key.
import { decodeCountry, encodeCountry } from '../../country-code.ts';
import { rirOfCountry, rirOfIpv4 } from '../../data-files/rir.ts';
import type { Holder } from '../../feeds/parsed.ts';
import { RIRS, type Rir, type Source } from '../../record.ts';
import type { Facts } from '../describe/describe.ts';
import type { CompileInput, Stated } from '../input/compile-input.ts';
import type { FamilyLayers } from '../layers/layers.ts';
import type { Listing } from '../layers/overlays.ts';
import { PairNumbers } from '../layers/pair-numbers.ts';
import type { RunGroup, RunValues } from '../layers/run-groups.ts';
import type { Network } from './network-table.ts';

/** What the values of runs stand for. */
export type FamilyStatements = Pick<
  FamilyLayers,
  'version' | 'routeSources' | 'holders' | 'combinations'
>;

export class RunFacts {
  /** The sources of `countries`, in its order. */
  readonly countrySources: readonly Source[];
  readonly #input: CompileInput;
  readonly #statements: FamilyStatements;
  readonly #keys = new PairNumbers();

  constructor(input: CompileInput, statements: FamilyStatements) {
    this.#input = input;
    this.#statements = statements;
    this.countrySources = [...input.countries, input.delegated].map(({ source }) => source);
  }

  /** What each source of countries says, as numbers; -1 where it says nothing. */
  countries({ countries, delegatedCountry }: RunValues): number[] {
    return [...countries, delegatedCountry];
  }

  /**
   * Whether two independent sources agree. Registries' files count once, and so do all lists of
   * operators.
   */
  isConfirmed({ asn, values }: RunGroup, country: string): boolean {
    if (country === 'ZZ') return false;
    const wanted = encodeCountry(country);
    let named = this.registeredCountry(values) === wanted ? 1 : 0;
    for (const value of values.countries) if (value === wanted) named++;
    if (
      named < 2 &&
      this.#listings(values, asn).some(({ statement }) => statement.country === country)
    )
      named++;
    return named >= 2;
  }

  /**
   * Where the addresses are registered, as a number: by a delegated file, else by the source
   * `delegated`.
   */
  registeredCountry(values: RunValues): number | undefined {
    const country = this.#holder(values)?.value.country;
    if (country !== undefined) return encodeCountry(country);
    return values.delegatedCountry < 0 ? undefined : values.delegatedCountry;
  }

  /** Groups with the same key have the same facts. */
  key({ asn, values }: RunGroup, network: Network): number {
    const keys = this.#keys;
    // The key of a list is the number of the pair of its last member and the key of those before.
    // It begins with what no key is, so that no list has the key of another one's beginning.
    let key = keys.of(-1, network.traitsId);
    key = keys.of(key, values.number);
    key = keys.of(key, this.#decidingCountry(values, asn));
    return this.#withScope(key, values, asn);
  }

  of({ asn, values }: RunGroup, network: Network): Facts {
    const { version, routeSources } = this.#statements;
    return {
      version,
      route: routeSources[values.routeSource] as Source,
      isDerivedRoute: this.#input.routes[values.routeSource]?.isDerived === true,
      name: network.nameSource,
      connection: network.connection,
      rir: this.#rir(values, network),
      ...this.#country(values, asn),
      listings: this.#listings(values, asn),
    };
  }

  /**
   * What the overlays say, without countries that an operator states for a network that is not its
   * own.
   */
  #listings(values: RunValues, asn: number): readonly Listing[] {
    const listings = this.#combination(values);
    if (listings.every((listing) => isInScope(listing, asn))) return listings;
    return listings.map((listing) => {
      if (isInScope(listing, asn)) return listing;
      const { country: _, ...statement } = listing.statement;
      return { ...listing, statement };
    });
  }

  /** Which of the overlays that are limited to some networks may state a country for this one. */
  #withScope(start: number, values: RunValues, asn: number): number {
    let key = start;
    for (const listing of this.#combination(values))
      if (listing.overlay.asns !== undefined)
        key = this.#keys.of(key, isInScope(listing, asn) ? 1 : 0);
    return key;
  }

  #combination({ overlays }: RunValues): readonly Listing[] {
    // A negative index would be looked up as the name of a property.
    return overlays < 0 ? [] : (this.#statements.combinations[overlays] ?? []);
  }

  #holder({ holder }: RunValues): Stated<Holder> | undefined {
    return holder < 0 ? undefined : this.#statements.holders[holder];
  }

  #rir(values: RunValues, network: Network): Stated<Rir> {
    const holder = this.#holder(values);
    if (holder !== undefined) return { value: holder.value.rir, source: holder.source };
    const registered = this.registeredCountry(values);
    const base = RIRS[values.ianaRir];
    const region = registered === undefined ? undefined : rirOfCountry(decodeCountry(registered));
    const value =
      this.#statements.version === 4
        ? rirOfIpv4(base, region, network.rir)
        : (base ?? region ?? network.rir ?? 'ARIN');
    return { value, source: this.#input.tables.iana };
  }

  /**
   * The position of the source of countries that decides, or -1 if the country of registration
   * does.
   */
  #decidingCountry(values: RunValues, asn: number): number {
    const registered = this.registeredCountry(values);
    return values.countries.findIndex((value, i) => {
      if (value < 0) return false;
      const isMistaken = this.#input.countries[i]?.isMistaken?.(asn, decodeCountry(value)) === true;
      return !isMistaken || registered === undefined;
    });
  }

  /**
   * The sources of countries come first, then the registry. `otherCountries` are those that
   * contradict.
   */
  #country(values: RunValues, asn: number): Pick<Facts, 'country' | 'otherCountries'> {
    const decides = this.#decidingCountry(values, asn);
    const used = this.#input.countries.map(({ source }, i): Stated<string> | undefined => {
      const value = values.countries[i];
      return value === undefined || value < 0 ? undefined : { value: decodeCountry(value), source };
    });
    const registered = this.#registered(values);
    const country = used[decides] ?? registered;
    const others = [...used, registered].flatMap((stated) => (stated === undefined ? [] : stated));
    return { country, otherCountries: others.filter(({ value }) => value !== country?.value) };
  }

  /** By the holder of the block, else by the source `delegated`. */
  #registered(values: RunValues): Stated<string> | undefined {
    const holder = this.#holder(values);
    if (holder?.value.country !== undefined)
      return { value: holder.value.country, source: holder.source };
    const { delegatedCountry } = values;
    return delegatedCountry < 0
      ? undefined
      : { value: decodeCountry(delegatedCountry), source: this.#input.delegated.source };
  }
}

const isInScope = ({ overlay: { asns } }: Listing, asn: number) =>
  asns === undefined || asns.has(asn);
