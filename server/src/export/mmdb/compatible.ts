/**
 * Records in the form of MaxMind's databases, for readers that check the database type and know only its fields. What is
 * not known is absent, as it is there; a flag is absent unless it is true. docs/export.md lists what differs.
 */
import type { Dataset } from '@whence/dataset/internal/file/read';
import type { ConnectionType } from '@whence/dataset/record';
import type { AddressMembers } from '../../address/sections.ts';
import { UsageError } from '../../terminal/exit.ts';
import type { Fields } from '../fields.ts';
import { continentOf, isInEuropeanUnion } from './continents.ts';
import { type Members, mapOf, sharedMap, uint32, type Value } from './mmdb-data.ts';
import { placeOf } from './place.ts';

/**
 * The type that readers look for, by the name of the option. Some compare the whole name: geoip2 for Go, Logstash. So a
 * file has one type, and not all of them in one name.
 */
export const DATABASE_TYPES = {
  country: 'GeoLite2-Country',
  city: 'GeoLite2-City',
  asn: 'GeoLite2-ASN',
  'anonymous-ip': 'GeoIP2-Anonymous-IP',
  'connection-type': 'GeoIP2-Connection-Type',
  enterprise: 'GeoIP2-Enterprise',
} as const;
export type CompatibleType = keyof typeof DATABASE_TYPES;
const DEFAULT_TYPE = 'country';

/** `true` is the option without a value. */
export function parseCompatible(option: string | true | undefined): CompatibleType | undefined {
  if (option === undefined) return undefined;
  const text = option === true ? DEFAULT_TYPE : option;
  const types = Object.keys(DATABASE_TYPES) as CompatibleType[];
  const found = types.find((type) => type === text);
  if (found === undefined)
    throw new UsageError(`--compatible is ${JSON.stringify(text)}, but must be one of ${types.join(', ')}`);
  return found;
}

/** The types whose readers look for cities. */
export const TYPES_WITH_LOCATION: readonly CompatibleType[] = ['city', 'enterprise'];

export type RecordForm = {
  readonly databaseType: string;
  /** Undefined: the file says nothing about such networks. */
  readonly recordOf: (fields: Fields, members: AddressMembers | undefined) => Value | undefined;
};

export function compatibleForm(type: CompatibleType, dataset: Dataset): RecordForm {
  const databaseType = DATABASE_TYPES[type];
  if (type === 'asn') return { databaseType, recordOf: (fields) => mapOf(networkOf(fields)) };
  if (type === 'anonymous-ip') {
    const recordOf = (fields: Fields) => {
      const flags = mapOf(anonymityOf(fields));
      return flags.size === 0 ? undefined : flags;
    };
    return { databaseType, recordOf };
  }
  if (type === 'connection-type')
    return { databaseType, recordOf: ({ connection_type: kind }) => mapOf({ connection_type: CONNECTIONS[kind] }) };
  const countries = new CountryValues(dataset);
  return {
    databaseType,
    recordOf: (fields, { location } = {}) =>
      mapOf({
        ...countries.of(fields),
        ...(location && placeOf(location)),
        traits: mapOf({
          ...networkOf(fields),
          ...anonymityOf(fields),
          user_type: USER_TYPES[fields.connection_type],
        }),
      }),
  };
}

/** MaxMind's terms for the kind of user behind an address. */
const USER_TYPES: Readonly<Record<ConnectionType, string>> = {
  residential: 'residential',
  mobile: 'cellular',
  datacenter: 'hosting',
  business: 'business',
  education: 'college',
};

/** MaxMind's terms for the kind of connection, which are fewer. */
const CONNECTIONS: Readonly<Record<ConnectionType, string>> = {
  residential: 'Cable/DSL',
  mobile: 'Cellular',
  datacenter: 'Corporate',
  business: 'Corporate',
  education: 'Corporate',
};

function networkOf({ asn, asn_name }: Fields): Members {
  return { autonomous_system_number: uint32(asn), autonomous_system_organization: asn_name };
}

function anonymityOf({ is_vpn, is_proxy, is_tor_exit, is_datacenter }: Fields): Members {
  return {
    is_anonymous: is_vpn || is_proxy || is_tor_exit || undefined,
    is_anonymous_vpn: is_vpn || undefined,
    is_hosting_provider: is_datacenter || undefined,
    is_public_proxy: is_proxy || undefined,
    is_tor_exit_node: is_tor_exit || undefined,
  };
}

const UNKNOWN = 'ZZ';

type CountryValue = { readonly continent: Value | undefined; readonly value: Value | undefined };

/** Continent, country and registered country. English names are those of Node's ICU data. */
class CountryValues {
  readonly #dataset: Dataset;
  readonly #names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  readonly #values = new Map<string, CountryValue>();
  /** Country of registration by AS number. */
  readonly #registered = new Map<number, string>();

  constructor(dataset: Dataset) {
    this.#dataset = dataset;
  }

  of({ asn, country }: Fields): Members {
    const { continent, value } = this.#valuesOf(country);
    return { continent, country: value, registered_country: this.#valuesOf(this.#registeredCountry(asn)).value };
  }

  /** The same objects for the same country: they are encoded once. */
  #valuesOf(code: string): CountryValue {
    const known = this.#values.get(code);
    if (known !== undefined) return known;
    const continent = continentOf(code);
    const made = {
      continent: continent && sharedMap({ code: continent.code, names: mapOf({ en: continent.name }) }),
      value: this.#country(code),
    };
    this.#values.set(code, made);
    return made;
  }

  #registeredCountry(asn: number): string {
    const known = this.#registered.get(asn) ?? this.#dataset.asn(asn)?.country ?? UNKNOWN;
    this.#registered.set(asn, known);
    return known;
  }

  #country(code: string): Value | undefined {
    if (code === UNKNOWN) return undefined;
    const name = this.#names.of(code);
    return sharedMap({
      iso_code: code,
      names: name === undefined ? undefined : mapOf({ en: name }),
      is_in_european_union: isInEuropeanUnion(code) || undefined,
    });
  }
}
