// Reads RDAP networks (RFC 9083 §5.4, jCard RFC 7095). Registries differ: ARIN has no country, RIPE and AFRINIC list
// maintainers as registrants, APNIC has old holders in a remark. Names of people are left out.
import type { Address } from '@whence/dataset/address';
import { formatRange, parseRange, toBigInt } from '@whence/dataset/prefix';

export type Registration = {
  range?: string;
  name?: string;
  organization?: string;
  country?: string;
  abuse_email?: string;
  registered_at?: string;
  changed_at?: string;
  source?: string;
  error?: 'registry_unavailable';
};

type Json = { readonly [key: string]: unknown };
type Entity = { readonly roles: readonly string[]; readonly handle: string; readonly card: readonly Property[] };
type Property = { readonly name: string; readonly value: unknown };

/** Entities are nested: an organisation has its abuse contact inside. */
const MAX_DEPTH = 4;
const MAX_ENTITIES = 200;
const MAX_TEXT = 200;

/** `source` is the host that answered. Undefined if this is not an answer about the address. */
export function parseRdapNetwork(text: string, address: Address, source: string): Registration | undefined {
  const network = parseObject(text);
  const range = network && rangeOf(network, address);
  if (network === undefined || range === undefined) return undefined;
  const entities = entitiesOf(network['entities']);
  const found = {
    range,
    name: textOf(network['name']),
    organization: organizationOf(entities) ?? describedIn(network['remarks']),
    country: countryOf(network['country']),
    abuse_email: entities
      .filter(({ roles }) => roles.includes('abuse'))
      .map(emailOf)
      .find(Boolean),
    registered_at: timeOf(network['events'], 'registration'),
    changed_at: timeOf(network['events'], 'last changed'),
    source,
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)) as Registration;
}

function parseObject(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A prefix, or `first-last`. The range must contain the address: what a registry sends about another one is not shown. */
function rangeOf({ startAddress, endAddress }: Json, address: Address): string | undefined {
  // LACNIC has abbreviated prefixes in its first answers; its addresses are whole.
  const [first = '', last = ''] = [startAddress, endAddress].map((text) => textOf(text)?.split('/')[0]);
  const range = parseRange(first, last);
  const at = toBigInt(address);
  return range?.version === address.version && at >= range.start && at <= range.end ? formatRange(range) : undefined;
}

function entitiesOf(value: unknown, depth = 0): Entity[] {
  if (!Array.isArray(value) || depth === MAX_DEPTH) return [];
  return value
    .slice(0, MAX_ENTITIES)
    .filter(isObject)
    .flatMap((entity) => [
      { roles: rolesOf(entity['roles']), handle: textOf(entity['handle']) ?? '', card: cardOf(entity['vcardArray']) },
      ...entitiesOf(entity['entities'], depth + 1),
    ])
    .slice(0, MAX_ENTITIES);
}

const rolesOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((role): role is string => typeof role === 'string') : [];

/** `["vcard", [[name, parameters, type, value], …]]` */
function cardOf(value: unknown): Property[] {
  const properties = Array.isArray(value) ? value[1] : undefined;
  if (!Array.isArray(properties)) return [];
  return properties
    .filter((property): property is unknown[] => Array.isArray(property))
    .map(([name, , , content]) => ({ name: textOf(name) ?? '', value: content }));
}

function organizationOf(entities: readonly Entity[]): string | undefined {
  const registrants = entities.filter(({ roles, handle }) => roles.includes('registrant') && !/-MNT$/i.test(handle));
  const names = registrants.map(({ card }) => {
    const property = (name: string) => textOf([card.find((candidate) => candidate.name === name)?.value].flat()[0]);
    const isPerson = property('kind')?.toLowerCase() === 'individual';
    return property('org') ?? (isPerson ? undefined : property('fn'));
  });
  return names.find((name) => name !== undefined);
}

/** The first line of the remark called description, where APNIC and AFRINIC have the holder. */
function describedIn(remarks: unknown): string | undefined {
  if (!Array.isArray(remarks)) return undefined;
  const remark = remarks.filter(isObject).find(({ title }) => title === 'description');
  const lines = remark?.['description'];
  return Array.isArray(lines) ? textOf(lines[0]) : undefined;
}

function emailOf({ card }: Entity): string | undefined {
  const values = card.filter(({ name }) => name === 'email').map(({ value }) => value);
  return values.find((value): value is string => typeof value === 'string' && isEmailAddress(value));
}

/** RFC 5321 §4.1.2 without quoted names and literals, with the lengths of §4.5.3.1 and a domain that mail can be sent to. */
function isEmailAddress(text: string): boolean {
  if (text.length > 254) return false;
  const [, local = ''] = EMAIL.exec(text) ?? [];
  return local !== '' && local.length <= 64;
}

const EMAIL =
  /^([\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*)@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/i;

function countryOf(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.toUpperCase() : '';
  return /^[A-Z]{2}$/.test(text) && text !== 'ZZ' ? text : undefined;
}

function timeOf(events: unknown, action: string): string | undefined {
  if (!Array.isArray(events)) return undefined;
  const event = events.filter(isObject).find(({ eventAction }) => eventAction === action);
  const ms = Date.parse(typeof event?.['eventDate'] === 'string' ? event['eventDate'] : '');
  const text = Number.isNaN(ms) ? '' : new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
  // Years beyond 9999 have a sign.
  return /^\d{4}-/.test(text) ? text : undefined;
}

/** Visible text of a reasonable length. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return text === '' ? undefined : text.slice(0, MAX_TEXT);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
