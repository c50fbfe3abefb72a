// What the layers say about a run, as the facts that `describe` decides on. A million runs have a few thousand
// different facts, which are made only for a new key.
import { decodeCountry, encodeCountry } from '../../country-code.ts';
import { rirOfCountry, rirOfIpv4 } from '../../data-files/rir.ts';
import type { Holder } from '../../feeds/parsed.ts';
import { RIRS, type Rir, type Source } from '../../record.ts';
import type { Facts } from '../describe/describe.ts';
import type { CompileInput, Stated } from '../input/compile-input.ts';
import type { FamilyLayers } from '../layers/layers.ts';
import type { Listing } from '../layers/overlays.ts';
import type { RunCursors } from '../layers/walk.ts';
import type { Network } from './network-table.ts';

export class RunFacts {
  /** The sources of `countries`, in its order. */
  readonly countrySources: readonly Source[];
  readonly #input: CompileInput;
  readonly #layers: FamilyLayers;

  constructor(input: CompileInput, layers: FamilyLayers) {
    this.#input = input;
    this.#layers = layers;
    this.countrySources = [...input.countries, input.delegated].map(({ source }) => source);
  }

  /** What each source of countries says, as numbers; -1 where it says nothing. */
  countries({ countries, delegatedCountry }: RunCursors): number[] {
    const values = countries.map(({ value }) => value);
    values.push(delegatedCountry.value);
    return values;
  }

  /** Whether two independent sources agree. Registries' files count once, and so do all lists of operators. */
  isConfirmed(run: RunCursors, asn: number, country: string): boolean {
    if (country === 'ZZ') return false;
    const wanted = encodeCountry(country);
    let named = this.registeredCountry(run) === wanted ? 1 : 0;
    for (const { value } of run.countries) if (value === wanted) named++;
    if (named < 2 && this.#listings(run, asn).some(({ statement }) => statement.country === country)) named++;
    return named >= 2;
  }

  /** Where the addresses are registered, as a number: by a delegated file, else by the source `delegated`. */
  registeredCountry(run: RunCursors): number | undefined {
    const country = this.#holder(run)?.value.country;
    if (country !== undefined) return encodeCountry(country);
    return run.delegatedCountry.row < 0 ? undefined : run.delegatedCountry.value;
  }

  /** Runs of one family with the same key have the same facts. */
  key(run: RunCursors, network: Network): string {
    const { version, sourceOfRoute } = this.#layers;
    const decides = this.#decidingCountry(run, network);
    const parts = `${run.ianaRir.value} ${run.holder.value} ${run.delegatedCountry.value} ${run.overlays.value}`;
    // What the other sources say is part of the evidence.
    const country = `${decides} ${run.countries.map(({ value }) => value).join()} ${this.#scope(run, network.asn)}`;
    return `${version} ${network.traitsId} ${network.rir} ${sourceOfRoute[run.routes.row]} ${parts} ${country}`;
  }

  of(run: RunCursors, network: Network): Facts {
    const { version, routeSources, sourceOfRoute } = this.#layers;
    return {
      version,
      route: routeSources[sourceOfRoute[run.routes.row] as number] as Source,
      isDerivedRoute: this.#input.routes[sourceOfRoute[run.routes.row] as number]?.isDerived === true,
      name: network.nameSource,
      connection: network.connection,
      rir: this.#rir(run, network),
      ...this.#country(run, network),
      listings: this.#listings(run, network.asn),
      day: this.#input.day,
    };
  }

  /** What the overlays say, without countries that an operator states for a network that is not its own. */
  #listings(run: RunCursors, asn: number): readonly Listing[] {
    const listings = this.#layers.combinations[run.overlays.value] ?? [];
    if (listings.every((listing) => isInScope(listing, asn))) return listings;
    return listings.map((listing) => {
      if (isInScope(listing, asn)) return listing;
      const { country: _, ...statement } = listing.statement;
      return { ...listing, statement };
    });
  }

  /** Which of the overlays may state a country for the network: a digit for each that is limited to some networks. */
  #scope(run: RunCursors, asn: number): string {
    let scope = '';
    for (const listing of this.#layers.combinations[run.overlays.value] ?? [])
      if (listing.overlay.asns !== undefined) scope += isInScope(listing, asn) ? '1' : '0';
    return scope;
  }

  #holder(run: RunCursors): Stated<Holder> | undefined {
    return this.#layers.holders[run.holder.value];
  }

  #rir(run: RunCursors, network: Network): Stated<Rir> {
    const holder = this.#holder(run);
    if (holder !== undefined) return { value: holder.value.rir, source: holder.source };
    const registered = this.registeredCountry(run);
    const base = RIRS[run.ianaRir.value];
    const region = registered === undefined ? undefined : rirOfCountry(decodeCountry(registered));
    const value =
      this.#layers.version === 4 ? rirOfIpv4(base, region, network.rir) : (base ?? region ?? network.rir ?? 'ARIN');
    return { value, source: this.#input.tables.iana };
  }

  /** The position of the source of countries that decides, or -1 if the country of registration does. */
  #decidingCountry(run: RunCursors, network: Network): number {
    const registered = this.registeredCountry(run);
    return run.countries.findIndex(({ row, value }, i) => {
      if (row < 0) return false;
      const isMistaken = this.#input.countries[i]?.isMistaken?.(network.asn, decodeCountry(value)) === true;
      return !isMistaken || registered === undefined;
    });
  }

  /** The sources of countries come first, then the registry. `otherCountries` are those that contradict. */
  #country(run: RunCursors, network: Network): Pick<Facts, 'country' | 'otherCountries'> {
    const decides = this.#decidingCountry(run, network);
    const used = this.#input.countries.map(({ source }, i): Stated<string> | undefined => {
      const cursor = run.countries[i];
      return cursor === undefined || cursor.row < 0 ? undefined : { value: decodeCountry(cursor.value), source };
    });
    const registered = this.#registered(run);
    const country = used[decides] ?? registered;
    const others = [...used, registered].flatMap((stated) => (stated === undefined ? [] : stated));
    return { country, otherCountries: others.filter(({ value }) => value !== country?.value) };
  }

  /** By the holder of the block, else by the source `delegated`. */
  #registered(run: RunCursors): Stated<string> | undefined {
    const holder = this.#holder(run);
    if (holder?.value.country !== undefined) return { value: holder.value.country, source: holder.source };
    const { row, value } = run.delegatedCountry;
    return row < 0 ? undefined : { value: decodeCountry(value), source: this.#input.delegated.source };
  }
}

const isInScope = ({ overlay: { asns } }: Listing, asn: number) => asns === undefined || asns.has(asn);
