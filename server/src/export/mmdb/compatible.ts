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
import { uint32, type Value } from './mmdb-data.ts';
import { placeOf } from './place.ts';

/**
 * The type that readers look for, by the name of the option. Some compare the whole name: geoip2 for Go, Logstash. So a
 * file has one type, and not all of them in one name.
 */
const DATABASE_TYPES = {
  country: 'GeoLite2-Country',
  city: 'GeoLite2-City',
  asn: 'GeoLite2-ASN',
  'anonymous-ip': 'GeoIP2-Anonymous-IP',
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
  if (type === 'asn') return { databaseType, recordOf: (fields) => new Map(networkOf(fields)) };
  if (type === 'anonymous-ip') {
    const recordOf = (fields: Fields) => {
      const flags = anonymityOf(fields);
      return flags.length === 0 ? undefined : new Map(flags);
    };
    return { databaseType, recordOf };
  }
  const countries = new CountryValues(dataset);
  return {
    databaseType,
    recordOf: (fields, { location } = {}) =>
      new Map<string, Value>([
        ...countries.of(fields),
        ...(location === undefined ? [] : placeOf(location)),
        [
          'traits',
          new Map<string, Value>([
            ...networkOf(fields),
            ...anonymityOf(fields),
            ['user_type', USER_TYPES[fields.connection_type]],
          ]),
        ],
      ]),
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

function networkOf({ asn, asn_name }: Fields): [string, Value][] {
  return [
    ['autonomous_system_number', uint32(asn)],
    ['autonomous_system_organization', asn_name],
  ];
}

function anonymityOf({ is_vpn, is_proxy, is_tor_exit, is_datacenter }: Fields): [string, Value][] {
  const flags: [string, boolean][] = [
    ['is_anonymous', is_vpn || is_proxy || is_tor_exit],
    ['is_anonymous_vpn', is_vpn],
    ['is_hosting_provider', is_datacenter],
    ['is_public_proxy', is_proxy],
    ['is_tor_exit_node', is_tor_exit],
  ];
  return flags.filter(([, isTrue]) => isTrue);
}

const UNKNOWN = 'ZZ';

/** Continent, country and registered country. English names are those of Node's ICU data. */
class CountryValues {
  readonly #dataset: Dataset;
  readonly #names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  /** Country of registration by AS number. */
  readonly #registered = new Map<number, string>();

  constructor(dataset: Dataset) {
    this.#dataset = dataset;
  }

  of({ asn, country }: Fields): [string, Value][] {
    const continent = continentOf(country);
    const registered = this.#registeredCountry(asn);
    return [
      ...(continent === undefined ? [] : [['continent', continentValue(continent)] as [string, Value]]),
      ...(country === UNKNOWN ? [] : [['country', this.#country(country)] as [string, Value]]),
      ...(registered === UNKNOWN ? [] : [['registered_country', this.#country(registered)] as [string, Value]]),
    ];
  }

  #registeredCountry(asn: number): string {
    const known = this.#registered.get(asn) ?? this.#dataset.asn(asn)?.country ?? UNKNOWN;
    this.#registered.set(asn, known);
    return known;
  }

  #country(code: string): Value {
    const name = this.#names.of(code);
    return new Map<string, Value>([
      ['iso_code', code],
      ...(name === undefined ? [] : [['names', new Map([['en', name]])] as [string, Value]]),
      ...(isInEuropeanUnion(code) ? [['is_in_european_union', true] as [string, Value]] : []),
    ]);
  }
}

function continentValue({ code, name }: { readonly code: string; readonly name: string }): Value {
  return new Map<string, Value>([
    ['code', code],
    ['names', new Map([['en', name]])],
  ]);
}
