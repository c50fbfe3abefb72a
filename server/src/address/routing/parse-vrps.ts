/**
 * The JSON of a relying party: rpki-client, Routinator, and what others write in the same form.
 *
 *   { "metadata": …, "roas": [ { "asn": 13335, "prefix": "1.1.1.0/24", "maxLength": 24, "ta": "apnic" }, … ] }
 *
 * `asn` may be `"AS13335"`, and `maxLength` may be missing (RFC 9582 §4.3.2.2: then it is the length).
 */
import { listMember, member, textMember } from '@whence/dataset/internal/feeds/sources/json-value';
import { parseCidr } from '@whence/dataset/prefix';
import { type Vrp, vrpOf } from './vrps.ts';

/** Some rows may be beyond what is known here; more means another format. */
const MAX_UNREADABLE_SHARE = 0.01;

/** `builtAtMs`: when the relying party made the file, where it says so. */
export type ParsedVrps = { readonly vrps: Vrp[]; readonly builtAtMs?: number };

/** Throws an error whose message is for the log. */
export function parseVrps(text: string): ParsedVrps {
  const file: unknown = JSON.parse(text);
  const roas = listMember(file, 'roas');
  if (roas === undefined) throw new Error('unexpected format: there is no list "roas"');
  const vrps = roas.map(parseRoa).filter((vrp) => vrp !== undefined);
  if (vrps.length === 0) throw new Error('there are no ROAs in it');
  const unreadable = roas.length - vrps.length;
  if (unreadable > roas.length * MAX_UNREADABLE_SHARE)
    throw new Error(`unexpected format: ${unreadable} of ${roas.length} ROAs cannot be read`);
  // `buildtime` of rpki-client, `generatedTime` of Routinator.
  const metadata = member(file, 'metadata');
  const builtAtMs = Date.parse(textMember(metadata, 'buildtime') || textMember(metadata, 'generatedTime'));
  return { vrps, ...(!Number.isNaN(builtAtMs) && { builtAtMs }) };
}

function parseRoa(row: unknown): Vrp | undefined {
  const prefix = textMember(row, 'prefix');
  const cidr = prefix.includes('/') ? parseCidr(prefix) : undefined;
  if (cidr === undefined) return undefined;
  const [asn, maxLength] = [member(row, 'asn'), member(row, 'maxLength')];
  const number = typeof asn === 'string' && /^(AS)?\d{1,10}$/i.test(asn) ? Number(asn.replace(/^AS/i, '')) : asn;
  return vrpOf(cidr.address, cidr.length, numberOf(maxLength ?? cidr.length), numberOf(number));
}

/** Not `Number()`, which throws for some objects. */
const numberOf = (value: unknown): number =>
  typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
