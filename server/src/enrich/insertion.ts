// The bytes added for an address: a JSON object, or columns of CSV. All but address and prefix depend on the record
// only and are cached (`text-cache.ts`): 0.27 µs per address instead of 4.2. Caching whole insertions saved a tenth for
// 10,000 clients but cost a fifth to a half for distinct addresses.
import { type Address, truncateAddress, wordMask } from '@whence/dataset/address';
import { type Match, prefixLength, recordNumber } from '@whence/dataset/internal/file/format';
import type { Dataset } from '@whence/dataset/internal/file/read';
import {
  asciiJson,
  eightBytes,
  writeIPv6,
  writeOctet,
  writeQuad,
  writeText,
} from '@whence/dataset/internal/file/texts/ascii-writer';
import type { Supplement } from '@whence/dataset/internal/supplement/supplement';
import type { AddressMembers } from '../address/sections.ts';
import {
  type AttributeField,
  type Attributes,
  attributeValue,
  cellText,
  type Field,
  isAttributeField,
  isLocationField,
  isRecordSectionField,
  isRoutingField,
  type LocationField,
  type RecordSectionField,
  type RoutingField,
  sectionValue,
  type Value,
} from '../fields/fields.ts';
import { quoteCell } from '../terminal/printable.ts';
import type { OutputBuffer } from './output-buffer.ts';
import type { SectionValues } from './section-values.ts';
import { TextCache } from './text-cache.ts';

/** What is looked up. Fields of locations need the supplement, those of routing, privacy and scanner `sections`. */
export type EnrichSources = {
  readonly dataset: Dataset;
  readonly supplement?: Supplement | undefined;
  readonly sections?: SectionValues | undefined;
};

export type Insertion = {
  /** `match` is 0 if the address was not found. */
  append(address: Address, match: Match, output: OutputBuffer): void;
};

const SLASH = 0x2f;
const QUOTE = 0x22;
const OPEN = 0x7b;
const CLOSE = 0x7d;
/** Upper bound for an address or prefix with its name. */
const FRAME_BYTES = 256;

/** `{"ip":…,…}`; without `fields` the full record of the API. */
export function jsonInsertion(sources: EnrichSources, fields: readonly Field[] | undefined): Insertion {
  const { dataset } = sources;
  const parts =
    fields === undefined
      ? [IP_MEMBER, PREFIX_MEMBER, fullRecord(dataset)]
      : partsOf(fields, {
          ip: IP_MEMBER,
          prefix: PREFIX_MEMBER,
          record: (run) => members(sources, run),
          section: (run) => sectionPart(sources, run, (field, value) => member(field, toJson(value))),
        });
  const notFound = [IP_MEMBER];
  return {
    append(address, match, output) {
      const start = output.length;
      appendParts(match === 0 ? notFound : parts, address, match, output);
      output.reserve(NOT_FOUND.length + 2);
      if (match === 0) output.length = writeText(NOT_FOUND, output.bytes, output.length);
      // Every member starts with a comma; the brace replaces the first one.
      if (output.length === start) output.length++;
      output.bytes[start] = OPEN;
      output.bytes[output.length++] = CLOSE;
    },
  };
}

/** Each value follows a delimiter. If the address was not found, all columns except `ip` are empty. */
export function csvInsertion(sources: EnrichSources, fields: readonly Field[], delimiter: string): Insertion {
  const own = {
    ip: { kind: 'ip', ...inWords(delimiter), isQuoted: false },
    prefix: { kind: 'prefix', ...inWords(delimiter), isQuoted: false },
    record: (run: readonly Field[]) => columns(sources, run, delimiter),
    section: (run: SectionRun) =>
      sectionPart(sources, run, (_, value) => delimiter + quoteCell(cellText(value), delimiter)),
  } as const;
  const parts = partsOf(fields, own);
  const notFound = fields.map((field) =>
    field === 'ip' ? own.ip : ({ kind: 'text', ...inWords(delimiter) } as const),
  );
  return { append: (address, match, output) => appendParts(match === 0 ? notFound : parts, address, match, output) };
}

/** `words` is the text `before`, in words of eight bytes that are filled up with blanks. */
type Before = { readonly before: string; readonly words: Float64Array };
type Part =
  | (Before & { readonly kind: 'ip' | 'prefix'; readonly isQuoted: boolean })
  | (Before & { readonly kind: 'text' })
  | { readonly kind: 'record'; readonly cache: TextCache<Match> }
  | { readonly kind: 'section'; readonly texts: SectionTexts };
type SectionTexts = { append(address: Address, match: Match, output: OutputBuffer): void };

const IP_MEMBER: Part = { kind: 'ip', ...inWords(',"ip":"'), isQuoted: true };
const PREFIX_MEMBER: Part = { kind: 'prefix', ...inWords(',"prefix":"'), isQuoted: true };
const NOT_FOUND = Buffer.from(',"error":"no data found for IP"');

/** `before` is ASCII, which is never read as NaN: those may not keep their bits. */
function inWords(before: string): Before {
  const words = Float64Array.from({ length: Math.ceil(before.length / 8) }, (_, i) =>
    eightBytes(before.slice(i * 8, i * 8 + 8)),
  );
  return { before, words };
}

type PartMakers = {
  readonly ip: Part;
  readonly prefix: Part;
  readonly record: (run: readonly Field[]) => Part;
  readonly section: (run: SectionRun) => Part;
};

/** Adjacent fields that depend only on the record, only on the place, or on the routing, become one part. */
type SectionRun =
  | { readonly section: 'location'; readonly fields: LocationField[] }
  | { readonly section: 'routing'; readonly fields: RoutingField[] };
type Run = SectionRun | { readonly section: 'record'; readonly fields: Field[] };

function partsOf(fields: readonly Field[], make: PartMakers): Part[] {
  const parts: Part[] = [];
  let run: Run | undefined;
  const endRun = () => {
    if (run !== undefined) parts.push(run.section === 'record' ? make.record(run.fields) : make.section(run));
    run = undefined;
  };
  for (const field of fields) {
    if (field === 'ip' || field === 'prefix') {
      endRun();
      parts.push(make[field]);
      continue;
    }
    const next = runOf(field);
    if (run?.section !== next.section) {
      endRun();
      run = next;
    } else (run.fields as Field[]).push(field);
  }
  endRun();
  return parts;
}

/** Fields of privacy and scanner depend only on the record. */
function runOf(field: Field): Run {
  if (isLocationField(field)) return { section: 'location', fields: [field] };
  return isRoutingField(field) ? { section: 'routing', fields: [field] } : { section: 'record', fields: [field] };
}

function sectionPart(
  sources: EnrichSources,
  run: SectionRun,
  format: (field: Field, value: Value | undefined) => string,
): Part {
  const { dataset, supplement, sections } = sources;
  const texts =
    run.section === 'location'
      ? new LocationTexts(dataset, supplement, run.fields, format)
      : routingTexts(sections, run.fields, format);
  return { kind: 'section', texts };
}

function routingTexts(
  sections: SectionValues | undefined,
  fields: readonly RoutingField[],
  format: (field: Field, value: Value | undefined) => string,
): SectionTexts {
  return {
    append(address, match, output) {
      for (const field of fields) {
        const text = format(field, sections?.routing(field, address, match));
        // UTF-8 takes at most three bytes per UTF-16 code unit.
        output.reserve(text.length * 3);
        output.length += output.bytes.write(text, output.length);
      }
    },
  };
}

function appendParts(parts: readonly Part[], address: Address, match: Match, output: OutputBuffer): void {
  for (const part of parts) {
    if (part.kind === 'record') {
      part.cache.append(recordNumber(match), match, output);
      continue;
    }
    if (part.kind === 'section') {
      part.texts.append(address, match, output);
      continue;
    }
    output.reserve(FRAME_BYTES);
    const { bytes, view } = output;
    const { before, words } = part;
    for (let i = 0, to = output.length; i < words.length; i++, to += 8) view.setFloat64(to, words[i] as number, true);
    let at = output.length + before.length;
    if (part.kind === 'ip')
      at = address.version === 4 ? writeQuad(address.w0, view, at) : writeIPv6(address, bytes, at);
    else if (part.kind === 'prefix') {
      const length = prefixLength(match);
      if (address.version === 4) at = writeQuad(address.w0 & wordMask(length), view, at);
      else at = writeIPv6(truncateAddress(address, length), bytes, at);
      bytes[at++] = SLASH;
      at = writeOctet(length, bytes, at);
    }
    if (part.kind !== 'text' && part.isQuoted) bytes[at++] = QUOTE;
    output.length = at;
  }
}

function fullRecord(dataset: Dataset): Part {
  const text = (match: Match) =>
    `,"asn":${dataset.asnNumber(match)},"asn_name":"${dataset.escapedName(match)}",${dataset.attributesJson(dataset.attributesOf(match))}`;
  return { kind: 'record', cache: new TextCache(dataset.meta.counts.records, text) };
}

const member = (name: string, json: string | undefined) => (json === undefined ? '' : `,"${name}":${json}`);
const toJson = (value: Value | undefined) => (value === undefined ? undefined : asciiJson(value));

function members(sources: EnrichSources, run: readonly Field[]): Part {
  const { dataset } = sources;
  return recordPart(sources, run, (field, value) => member(field, toJson(value)), {
    asn: (match) => member('asn', String(dataset.asnNumber(match))),
    asn_name: (match) => member('asn_name', `"${dataset.escapedName(match)}"`),
  });
}

function columns(sources: EnrichSources, run: readonly Field[], delimiter: string): Part {
  const { dataset } = sources;
  const column = (text: string) => delimiter + quoteCell(text, delimiter);
  return recordPart(sources, run, (_, value) => column(cellText(value)), {
    asn: (match) => column(String(dataset.asnNumber(match))),
    asn_name: (match) => column(JSON.parse(`"${dataset.escapedName(match)}"`)),
  });
}

/** Adjacent attributes are cached as one text per set: parsing a set is expensive, and many records share one. */
function recordPart(
  sources: EnrichSources,
  run: readonly Field[],
  ofAttribute: (field: AttributeField | RecordSectionField, value: Value | undefined) => string,
  ofNetwork: Readonly<Record<'asn' | 'asn_name', (match: Match) => string>>,
): Part {
  const texts: ((match: Match) => string)[] = [];
  let attributeFields: (AttributeField | RecordSectionField)[] = [];
  const endAttributes = () => {
    if (attributeFields.length > 0) texts.push(attributesText(sources, attributeFields, ofAttribute));
    attributeFields = [];
  };
  for (const field of run) {
    if (isAttributeField(field) || isRecordSectionField(field)) {
      attributeFields.push(field);
      continue;
    }
    endAttributes();
    if (field === 'asn' || field === 'asn_name') texts.push(ofNetwork[field]);
  }
  endAttributes();
  const text = (match: Match) => {
    let joined = '';
    for (const each of texts) joined += each(match);
    return joined;
  };
  return { kind: 'record', cache: new TextCache(sources.dataset.meta.counts.records, text) };
}

function attributesText(
  { dataset, sections }: EnrichSources,
  fields: readonly (AttributeField | RecordSectionField)[],
  ofAttribute: (field: AttributeField | RecordSectionField, value: Value | undefined) => string,
): (match: Match) => string {
  const texts: (string | undefined)[] = new Array(dataset.meta.counts.attribute_sets).fill(undefined);
  const hasSections = fields.some(isRecordSectionField);
  const writers = fields.map((field) =>
    isRecordSectionField(field)
      ? (_: Attributes, members: AddressMembers) => ofAttribute(field, sectionValue(members, field))
      : (attributes: Attributes) => ofAttribute(field, attributeValue(attributes, field)),
  );
  return (match) => {
    // Sets that differ only in their sources have the same attributes, but not the same sections.
    const number = hasSections ? dataset.attributesOf(match) : dataset.textOf(match);
    let text = texts[number];
    if (text === undefined) {
      const attributes: Attributes = dataset.attributes(dataset.attributesOf(match));
      const members = (hasSections && sections?.ofRecord(match)) || {};
      text = writers.map((write) => write(attributes, members)).join('');
      texts[number] = text;
    }
    return text;
  };
}

/** The text of fields of a place, which is made once for each place: many addresses share one. */
class LocationTexts {
  readonly #dataset: Dataset;
  readonly #supplement: Supplement | undefined;
  /** By the number of the place; 0 is an unknown one. */
  readonly #texts: TextCache<number>;

  constructor(
    dataset: Dataset,
    supplement: Supplement | undefined,
    fields: readonly LocationField[],
    format: (field: LocationField, value: string | number | undefined) => string,
  ) {
    this.#dataset = dataset;
    this.#supplement = supplement;
    this.#texts = new TextCache(supplement?.meta.places ?? 0, (place) => {
      const location = place === 0 ? undefined : supplement?.location(place, supplement.placeCountry(place));
      return fields.map((field) => format(field, location?.[field])).join('');
    });
  }

  append(address: Address, match: Match, output: OutputBuffer): void {
    const place = this.#supplement?.placeOf(address) ?? 0;
    // As in locationOf: a place in another country than the record's is left out.
    const shown = this.#supplement?.isPlaceIn(place, this.#dataset.country(match)) === true ? place : 0;
    this.#texts.append(shown, shown, output);
  }
}
