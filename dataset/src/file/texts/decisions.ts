// Which source decided each field, as lists in bytes. JSON would take five times the space, and a
// dataset with several sources of countries has tens of thousands of different lists.
//
//   list       varint number of decisions, then each decision
//   decision   u8 position of the field in FIELDS | kind of value << 6; varint position of the source; the value
//   value      0: none, the record shows it; 1: two letters; 2: varint; 3: varint length and UTF-8
import { DatasetError } from '../../dataset-error.ts';

/**
 * A field, the position of the source that decided it, and the value if the record does not show
 * it.
 */
export type Decision = readonly [field: string, source: number, value?: number | string];

/** Positions are stored: append only. */
const FIELDS = [
  'prefix',
  'asn',
  'asn_name',
  'country',
  'rir',
  'connection_type',
  'cloud_provider',
  'ai_company',
  'is_ai_crawler',
  'is_tor_exit',
  'is_proxy',
  'is_vpn',
  'crawler',
  'relay',
  'vpn_service',
  'tor_operator',
  'cloud_region',
  'threat.score',
  'type_signal',
  'prefix_is_derived',
  'scanner',
  'known_good',
  'is_datacenter',
  'threat.limit',
] as const;

/** By which the evidence of a record is sorted. */
export const decisionOrder = ([field]: Decision): number =>
  (FIELDS as readonly string[]).indexOf(field);

const NO_VALUE = 0;
const LETTERS = 1;
const NUMBER = 2;
const TEXT = 3;

export function encodeDecisions(decisions: readonly Decision[]): Uint8Array {
  const bytes: number[] = [];
  pushVarint(bytes, decisions.length);
  for (const [field, source, value] of decisions) {
    const position = FIELDS.indexOf(field as (typeof FIELDS)[number]);
    if (position < 0) throw new Error(`the format has no field ${field}`);
    const kind = kindOf(value);
    bytes.push(position | (kind << 6));
    pushVarint(bytes, source);
    if (kind === NUMBER) pushVarint(bytes, value as number);
    if (kind === LETTERS || kind === TEXT) {
      const text = Buffer.from(value as string);
      if (kind === TEXT) pushVarint(bytes, text.length);
      bytes.push(...text);
    }
  }
  return Uint8Array.from(bytes);
}

/** Throws a DatasetError if the bytes are not a list. */
export function decodeDecisions(
  bytes: Buffer,
): [field: string, source: number, value?: number | string][] {
  let at = 0;
  const byte = (): number => {
    if (at >= bytes.length) throw new DatasetError('damaged: a list of decisions is too short');
    return bytes[at++] as number;
  };
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; factor < 2 ** 35; factor *= 128) {
      const next = byte();
      value += (next & 0x7f) * factor;
      if (next < 0x80) return value;
    }
    throw new DatasetError('damaged: a number in a list of decisions is too long');
  };
  const text = (length: number): string => {
    at += length;
    if (at > bytes.length) throw new DatasetError('damaged: a list of decisions is too short');
    return bytes.toString('utf8', at - length, at);
  };
  const count = varint();
  if (count > bytes.length) throw new DatasetError('damaged: a list of decisions is too short');
  return Array.from({ length: count }, () => {
    const head = byte();
    const field = FIELDS[head & 0x3f];
    if (field === undefined) throw new DatasetError('damaged: a decision on an unknown field');
    const source = varint();
    const kind = head >>> 6;
    if (kind === NO_VALUE) return [field, source];
    return [field, source, kind === NUMBER ? varint() : text(kind === LETTERS ? 2 : varint())];
  });
}

function kindOf(value: number | string | undefined): number {
  if (value === undefined) return NO_VALUE;
  if (typeof value === 'string') return /^[\x20-\x7e]{2}$/.test(value) ? LETTERS : TEXT;
  if (!Number.isInteger(value) || value < 0 || value >= 2 ** 35)
    throw new Error(`${value} is no value of a decision`);
  return NUMBER;
}

function pushVarint(bytes: number[], value: number): void {
  for (; value > 0x7f; value = Math.floor(value / 128)) bytes.push((value % 128) | 0x80);
  bytes.push(value);
}
