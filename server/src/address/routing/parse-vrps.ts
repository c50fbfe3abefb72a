/**
 * The JSON of a relying party: rpki-client, Routinator, and what others write in the same form.
 *
 *   { "metadata": …, "roas": [ { "asn": 13335, "prefix": "1.1.1.0/24", "maxLength": 24, "ta": "apnic" }, … ] }
 *
 * `asn` may be `"AS13335"`, and `maxLength` may be missing (RFC 9582 §4.3.2.2: then it is the
 * length).
 */
import { parseCidr } from '@whence/dataset/prefix';
import { type Vrp, vrpOf } from './vrps.ts';

/** Some rows may be beyond what is known here; more means another format. */
const MAX_UNREADABLE_SHARE = 0.01;

/** `builtAtMs`: when the relying party made the file, where it says so. */
type ParsedVrps = { readonly vrps: Vrp[]; readonly builtAtMs?: number };

/** Throws an error whose message is for the log. */
export function parseVrps(text: string): ParsedVrps {
  const { roas, metadata } = fieldsOf(JSON.parse(text));
  if (!Array.isArray(roas)) throw new Error('unexpected format: there is no list "roas"');
  const vrps = roas.map(parseRoa).filter((vrp) => vrp !== undefined);
  if (vrps.length === 0) throw new Error('there are no ROAs in it');
  const unreadable = roas.length - vrps.length;
  if (unreadable > roas.length * MAX_UNREADABLE_SHARE)
    throw new Error(`unexpected format: ${unreadable} of ${roas.length} ROAs cannot be read`);
  // `buildtime` of rpki-client, `generatedTime` of Routinator.
  const { buildtime, generatedTime } = fieldsOf(metadata);
  const builtAtMs = Date.parse(textOf(buildtime) || textOf(generatedTime));
  return { vrps, ...(!Number.isNaN(builtAtMs) && { builtAtMs }) };
}

function parseRoa(row: unknown): Vrp | undefined {
  const { prefix, asn, maxLength } = fieldsOf(row);
  const cidr = textOf(prefix).includes('/') ? parseCidr(textOf(prefix)) : undefined;
  if (cidr === undefined) return undefined;
  const number =
    typeof asn === 'string' && /^(AS)?\d{1,10}$/i.test(asn) ? Number(asn.replace(/^AS/i, '')) : asn;
  return vrpOf(cidr.address, cidr.length, numberOf(maxLength ?? cidr.length), numberOf(number));
}

/** Not `Number()`, which throws for some objects. */
const numberOf = (value: unknown): number =>
  typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** No fields where the value is not an object. */
const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
