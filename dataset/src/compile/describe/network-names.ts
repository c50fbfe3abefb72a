// The names of networks, by the most trusted source that has one which says something, or by the
// hand-written label.
import { labelledNetworks, networkNames, placeNames } from '../../data-files/data-files.ts';
import type { DelegatedAsns, NetworkName } from '../../feeds/parsed.ts';
import { lowerBound } from '../../lower-bound.ts';
import type { Source } from '../../record.ts';
import type { NameSource, Stated } from '../input/compile-input.ts';

export class NetworkNames {
  readonly #sources: readonly NameSource[];
  readonly #table: Source;

  /** `table`: the networks that are labelled by hand. */
  constructor(sources: readonly NameSource[], table: Source) {
    this.#sources = sources;
    this.#table = table;
  }

  name(asn: number): Stated<string> | undefined {
    const named = this.sourceName(asn);
    const label = displayName(asn, named?.value);
    return label === undefined ? named : { value: label, source: this.#table };
  }

  /**
   * The name without the table. A registry may have only the handle; a name of any other source is
   * better.
   */
  sourceName(asn: number): Stated<string> | undefined {
    return (
      this.#first(asn, ({ name, handle }) =>
        name === handle ? undefined : name && usableName(name),
      ) ?? this.#first(asn, ({ name }) => name && usableName(name))
    );
  }

  handle(asn: number): string | undefined {
    return this.#first(asn, ({ handle }) => handle)?.value;
  }

  country(asn: number): string | undefined {
    return this.#first(asn, ({ country }) => country)?.value;
  }

  /** The AS numbers of all sources; one that several sources name comes several times. */
  *asns(): Generator<number> {
    for (const { names } of this.#sources) yield* names.keys();
  }

  #first(
    asn: number,
    pick: (entry: NetworkName) => string | undefined,
  ): Stated<string> | undefined {
    for (const { source, names } of this.#sources) {
      const entry = names.get(asn);
      const value = entry && pick(entry);
      if (value !== undefined && value !== '') return { value, source };
    }
    return undefined;
  }
}

/** The first file that lists the number decides. */
export class AsnRegistry {
  readonly #files: readonly (readonly DelegatedAsns[])[];

  constructor(files: readonly (readonly DelegatedAsns[])[]) {
    this.#files = files.map((rows) => [...rows].sort((a, b) => a.first - b.first));
  }

  find(asn: number): DelegatedAsns | undefined {
    for (const rows of this.#files) {
      const row = rows[lowerBound(0, rows.length, (at) => (rows[at] as DelegatedAsns).last < asn)];
      if (row !== undefined && row.first <= asn) return row;
    }
    return undefined;
  }
}

/**
 * Sources have names that say nothing (a placeholder, a tax number, a street), the owner of an
 * address block, handles, and capitals. A hand-written label is better than any of these.
 */
export function usableName(text: string): string | undefined {
  // Some registries publish `A & B` with the `&` replaced by a space.
  // The next line of a registration may follow without a break.
  const name = text
    .replace(/descr:.*$/s, '')
    .trim()
    .replaceAll(/(?<=[\p{L}\p{N}]) {3}(?=[\p{L}\p{N}])/gu, ' & ')
    .replaceAll(/\s+/g, ' ');
  const isPlace =
    isStreetAddress(name) ||
    isBuildingOrSector(name) ||
    isTown(name) ||
    placeNames.find(name) !== undefined;
  return isPlace || MEANINGLESS.some((pattern) => pattern.test(name)) ? undefined : name;
}

const MEANINGLESS: readonly RegExp[] = [
  /^[^\p{L}]*$/u, // tax and telephone numbers
  /^-Reserved AS-$/,
  /^AS[0-9]+$/i,
  // For whom the number was registered, which is not how the network calls itself.
  /^(?:ASN|AS number) for /i,
  // ARIN's name for numbers that it handed over to RIPE; RIPE calls itself differently.
  /^RIPE Network Coordination Centre$/,
];

// APNIC lists streets as names. A legal form says that the text is a name after all, as in
// `Level 3 Communications, Inc.`; so does a word for an organisation, unless the text clearly
// begins with an address.
function isStreetAddress(name: string): boolean {
  if (!/[0-9]/.test(name) || LEGAL_FORM.test(name)) return false;
  const isClear = (FIRST_PART.test(name) && name.includes(',')) || NUMBERED_STREET.test(name);
  if (!isClear && ORGANISATION.test(name)) return false;
  return isClear || FIRST_PART.test(name) || STREET.test(name);
}

/**
 * `Sector 125`, `DLF Building, Tower D`. A word for a street alone is not enough: `Jane Street` is
 * a company.
 */
function isBuildingOrSector(name: string): boolean {
  return NUMBERED_PLACE.test(name) && !LEGAL_FORM.test(name) && !ORGANISATION.test(name);
}

/**
 * `Jinan,250000`, `Ningbo, Zhejiang Province, P.R.China.` or a building and its street, `Example
 * Building, Long Avenue`.
 */
function isTown(name: string): boolean {
  return TOWN.test(name) && !LEGAL_FORM.test(name) && !ORGANISATION.test(name);
}

const TOWN =
  /^[^,]+, ?[0-9]{5,6}$|,.*(?:\bP\. ?R\. ?China|, ?China)\.?$|^[^,]* province, ?P\. ?R\. ?China\.?$|\b(?:building|bldg|tower|plaza|mansion)\b.*,.* (?:avenue|road|street|rd)\b/i;
const NUMBERED_PLACE =
  /(?:^|, ?)(?:[\p{L}]+ )?(?:sector|phase|block|plot|tower|wing|building|bldg)[ .#-]+(?:no\b[ .#:]*)?(?:[0-9]{1,4}|[a-z])(?=$|,)/iu;
const LEGAL_FORM =
  /\b(?:inc|llc|l\.l\.c|ltd|limited|ltda|gmbh|corp|corporation|company|co\.?,? ltd|llp|bvba|pty|pvt|pte|pt|s\.?a|sas|srl|s\.r\.l|c\.a|b\.?v|a\.s|sp|kft|oy|ab|aps)\b|\bas$/i;
const ORGANISATION =
  /\b(?:schools?|university|college|authority|association|bank|commission|office|ministry|command|hospital|county|isp|networks?|telecom\w*|communications?|online|technolog\w+|tecnolog\w+|solutions|services?|holding|group|systems|hosting|cloud|union|funds?|condominiums|broadband|wireless|productions|administration|utility|electrical|agricultural|clinic|policlinic)\b/i;
const FIRST_PART =
  /^(?:(?:level|floor|suite|unit|room|rm|flat|plot|house|shop|no)\b[ .#]*(?:no\b[ .]*)?[0-9]|[0-9]+(?:[-/][0-9]+)?(?:st|nd|rd|th)? ?\/?f(?:l|loor)?\b)/i;
const NUMBERED_STREET =
  /\b(?:road|street)\b,? no\.? ?[0-9]|\bno\.? ?[0-9]+\b.*\b(?:road|street)\b/i;
const STREET =
  /\b(?:street|road|rd|avenue|ave|drive|parkway|crescent|quay|lane|jalan|jl|rua|calle|marg|boulevard|blvd|plaza|square|tower|building|bldg|floor|mansion|centre|section|sec|box|park|town|ward|house|court)\b/i;

/** The name to show instead of `name`, which a source has; undefined if that is fine. */
export function displayName(asn: number, name: string | undefined): string | undefined {
  const labelledNetwork = labelledNetworks.find(asn);
  if (name === undefined) return labelledNetwork?.name ?? networkNames.find(asn)?.name;
  const isPoor = isHandle(name) || isShouting(name) || /\bAutonomous System\b/i.test(name);
  return isPoor || labelledNetwork?.misnamed_as !== undefined ? labelledNetwork?.name : undefined;
}

/** One word with hyphens or in capitals: `TE-AS`, `DACOM-PUBNETPLUS`, `USDA`. */
function isHandle(name: string): boolean {
  if (!/^[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*$/.test(name)) return false;
  return /[-_]/.test(name) || (/[A-Z]/.test(name) && name === name.toUpperCase());
}

/**
 * Eight letters or more, all of them capitals. Shorter names are abbreviations with a company form:
 * `OVH SAS`.
 */
function isShouting(name: string): boolean {
  if (name !== name.toUpperCase()) return false;
  const letters = name.replaceAll(/[^\p{L}]/gu, '');
  return letters.length >= 8 && letters === letters.toUpperCase();
}
