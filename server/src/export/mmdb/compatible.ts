// Records in the form of MaxMind's databases, for readers that know only those. Unknown values and
// false flags are absent. docs/export.md lists what differs.

import type { Dataset } from '@whence/dataset/dataset';
import { getOrInsert } from '@whence/dataset/get-or-insert';
import { CONNECTION_TYPES, type ConnectionType } from '@whence/dataset/record';
import { registryCountries } from '@whence/dataset/tables';
import type { AddressMembers } from '../../address/sections.ts';
import { UsageError } from '../../terminal/exit.ts';
import type { Fields } from '../fields.ts';
import { type Members, mapOf, sharedMap, uint32, type Value } from './mmdb-data.ts';

/**
 * Database types by option. One per file, since geoip2 for Go and Logstash compare the whole name.
 */
export const DATABASE_TYPES = {
  country: 'GeoLite2-Country',
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
  const type = types.find((name) => name === text);
  if (type === undefined)
    throw new UsageError(
      `--compatible is ${JSON.stringify(text)}, but must be one of ${types.join(', ')}`,
    );
  return type;
}

export type RecordForm = {
  readonly databaseType: string;
  /** Undefined: the file says nothing about such networks. */
  readonly recordOf: (fields: Fields, members?: AddressMembers) => Value | undefined;
  /**
   * Fields with the same key have the same record, if there are no members. All records may differ
   * unless given.
   */
  readonly keyOf?: (fields: Fields) => number;
};

export function compatibleForm(type: CompatibleType, dataset: Dataset): RecordForm {
  const databaseType = DATABASE_TYPES[type];
  if (type === 'asn')
    return {
      databaseType,
      recordOf: (fields) => mapOf(networkOf(fields)),
      keyOf: ({ asn }) => asn,
    };
  if (type === 'anonymous-ip') {
    const recordOf = (fields: Fields) => {
      const flags = mapOf(anonymityOf(fields));
      return flags.size === 0 ? undefined : flags;
    };
    return { databaseType, recordOf, keyOf: anonymityKey };
  }
  if (type === 'connection-type')
    return {
      databaseType,
      recordOf: ({ connection_type: kind }) => mapOf({ connection_type: CONNECTIONS[kind] }),
      keyOf: typeKey,
    };
  const countries = new CountryValues(dataset);
  return {
    databaseType,
    recordOf: (fields) => {
      const country = countries.of(fields);
      const { is_vpn, is_proxy, is_tor_exit, is_datacenter } = fields;
      // One literal: with spread objects, which are slow to walk, this took a sixth of the time of
      // all databases.
      const traits = mapOf({
        autonomous_system_number: uint32(fields.asn),
        autonomous_system_organization: fields.asn_name,
        is_anonymous: is_vpn || is_proxy || is_tor_exit || undefined,
        is_anonymous_vpn: is_vpn || undefined,
        is_hosting_provider: is_datacenter || undefined,
        is_public_proxy: is_proxy || undefined,
        is_tor_exit_node: is_tor_exit || undefined,
        user_type: USER_TYPES[fields.connection_type],
      });
      return mapOf({ ...country, traits });
    },
    // 49 bits.
    keyOf: (fields) =>
      ((fields.asn * 1024 + countryKey(fields)) * 8 + typeKey(fields)) * 16 + anonymityKey(fields),
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

/** Five bits for each letter. */
const countryKey = ({ country }: Fields) =>
  ((country.charCodeAt(0) & 31) << 5) | (country.charCodeAt(1) & 31);
const typeKey = ({ connection_type }: Fields) => CONNECTION_TYPES.indexOf(connection_type);
const anonymityKey = ({ is_vpn, is_proxy, is_tor_exit, is_datacenter }: Fields) =>
  Number(is_vpn) + 2 * Number(is_proxy) + 4 * Number(is_tor_exit) + 8 * Number(is_datacenter);

const UNKNOWN = 'ZZ';

type CountryValue = { readonly continent: Value | undefined; readonly value: Value | undefined };

/** Continent, country and registered country. English names are those of Node's ICU data. */
class CountryValues {
  readonly #networks: Dataset['networks'];
  readonly #names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  readonly #values = new Map<string, CountryValue>();

  constructor(dataset: Dataset) {
    this.#networks = dataset.networks;
  }

  of({ asn, country }: Fields): Members {
    const { continent, value } = this.#valuesOf(country);
    return {
      continent,
      country: value,
      registered_country: this.#valuesOf(this.#registeredCountry(asn)).value,
    };
  }

  /** The same objects for the same country: they are encoded once. */
  #valuesOf(code: string): CountryValue {
    return getOrInsert(this.#values, code, () => {
      const { continent, is_eu } = registryCountries.find(code) ?? {};
      return {
        continent:
          continent && sharedMap({ code: continent, names: mapOf({ en: CONTINENTS[continent] }) }),
        value: this.#country(code, is_eu),
      };
    });
  }

  #registeredCountry(asn: number): string {
    const row = this.#networks.rowOf(asn);
    return row < 0 ? UNKNOWN : this.#networks.countryAt(row);
  }

  #country(code: string, is_in_european_union: boolean | undefined): Value | undefined {
    if (code === UNKNOWN) return undefined;
    const name = this.#names.of(code);
    return sharedMap({
      iso_code: code,
      names: name === undefined ? undefined : mapOf({ en: name }),
      is_in_european_union,
    });
  }
}

const CONTINENTS: Readonly<Record<string, string>> = {
  AF: 'Africa',
  AN: 'Antarctica',
  AS: 'Asia',
  EU: 'Europe',
  NA: 'North America',
  OC: 'Oceania',
  SA: 'South America',
};
