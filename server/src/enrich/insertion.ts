// The bytes added for an address: a JSON object, or columns of CSV. All but address and prefix
// depend on the record only and are cached (`text-cache.ts`): 0.27 µs per address instead of 4.2.
// Caching whole insertions saved a tenth for 10,000 clients but cost a fifth to a half for distinct
// addresses.
import { type Address, truncateAddress, wordMask } from '@whence/dataset/address';
import {
  asciiJson,
  eightBytes,
  writeIPv6,
  writeOctet,
  writeQuad,
  writeText,
} from '@whence/dataset/ascii-writer';
import type { Dataset } from '@whence/dataset/dataset';
import type { LocationDatabase } from '@whence/dataset/location';
import { type Match, prefixLength, recordNumber } from '@whence/dataset/match';
import type { AddressMembers } from '../address/sections.ts';
import { csvCell } from '../csv-cell.ts';
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
import type { OutputBuffer } from './output-buffer.ts';
import type { SectionValues } from './section-values.ts';
import { TextCache } from './text-cache.ts';

/**
 * What is looked up. Fields of locations need `locations`, those of routing, privacy and scanner
 * `sections`.
 */
export type EnrichSources = {
  readonly dataset: Dataset;
  readonly locations?: LocationDatabase | undefined;
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
export function jsonInsertion(
  sources: EnrichSources,
  fields: readonly Field[] | undefined,
): Insertion {
  const parts =
    fields === undefined
      ? [IP_MEMBER, PREFIX_MEMBER, fullRecord(sources)]
      : partsOf(fields, {
          ip: IP_MEMBER,
          prefix: PREFIX_MEMBER,
          record: (run) => members(sources, run),
          section: (run) =>
            sectionPart(sources, run, (field, value) => member(field, toJson(value))),
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

/**
 * Each value follows a delimiter. If the address was not found, all columns except `ip` are empty.
 */
export function csvInsertion(
  sources: EnrichSources,
  fields: readonly Field[],
  delimiter: string,
): Insertion {
  const own = {
    ip: { kind: 'ip', ...inWords(delimiter), isQuoted: false },
    prefix: { kind: 'prefix', ...inWords(delimiter), isQuoted: false },
    record: (run: readonly Field[]) => columns(sources, run, delimiter),
    section: (run: SectionRun) =>
      sectionPart(sources, run, (_, value) => delimiter + csvCell(cellText(value), delimiter)),
  } as const;
  const parts = partsOf(fields, own);
  const notFound = fields.map((field) =>
    field === 'ip' ? own.ip : ({ kind: 'text', ...inWords(delimiter) } as const),
  );
  return {
    append: (address, match, output) =>
      appendParts(match === 0 ? notFound : parts, address, match, output),
  };
}

/** `words` is the text `before`, in words of eight bytes that are filled up with blanks. */
type Before = { readonly before: string; readonly words: Float64Array };
type Part =
  | (Before & { readonly kind: 'ip' | 'prefix'; readonly isQuoted: boolean })
  | (Before & { readonly kind: 'text' })
  | { readonly kind: 'record'; readonly caches: RecordCaches }
  | { readonly kind: 'section'; readonly texts: SectionTexts };
/** A record may be of both families, and its score complete in one. */
type RecordCaches = Readonly<Record<4 | 6, TextCache<Match>>>;
type RecordText = (match: Match, version: 4 | 6) => string;
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

/**
 * Adjacent fields that depend only on the record, only on the place, or on the routing, become one
 * part.
 */
type SectionRun =
  | { readonly section: 'location'; readonly fields: LocationField[] }
  | { readonly section: 'routing'; readonly fields: RoutingField[] };
type Run = SectionRun | { readonly section: 'record'; readonly fields: Field[] };

function partsOf(fields: readonly Field[], make: PartMakers): Part[] {
  const parts: Part[] = [];
  let run: Run | undefined;
  const endRun = () => {
    if (run !== undefined)
      parts.push(run.section === 'record' ? make.record(run.fields) : make.section(run));
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
  return isRoutingField(field)
    ? { section: 'routing', fields: [field] }
    : { section: 'record', fields: [field] };
}

function sectionPart(
  sources: EnrichSources,
  run: SectionRun,
  format: (field: Field, value: Value | undefined) => string,
): Part {
  const texts =
    run.section === 'location'
      ? locationTexts(sources, run.fields, format)
      : routingTexts(sources.sections, run.fields, format);
  return { kind: 'section', texts };
}

function routingTexts(
  sections: SectionValues | undefined,
  fields: readonly RoutingField[],
  format: (field: Field, value: Value | undefined) => string,
): SectionTexts {
  return {
    append(address, match, output) {
      for (const field of fields)
        appendText(format(field, sections?.routing(field, address, match)), output);
    },
  };
}

function locationTexts(
  { dataset, locations }: EnrichSources,
  fields: readonly LocationField[],
  format: (field: Field, value: Value | undefined) => string,
): SectionTexts {
  return {
    append(address, match, output) {
      const location = locations?.find(address, dataset.country(match));
      for (const field of fields) appendText(format(field, location?.[field]), output);
    },
  };
}

function appendText(text: string, output: OutputBuffer): void {
  // UTF-8 takes at most three bytes per UTF-16 code unit.
  output.reserve(text.length * 3);
  output.length += output.bytes.write(text, output.length);
}

function appendParts(
  parts: readonly Part[],
  address: Address,
  match: Match,
  output: OutputBuffer,
): void {
  for (const part of parts) {
    if (part.kind === 'record') {
      part.caches[address.version].append(recordNumber(match), match, output);
      continue;
    }
    if (part.kind === 'section') {
      part.texts.append(address, match, output);
      continue;
    }
    output.reserve(FRAME_BYTES);
    const { bytes, view } = output;
    const { before, words } = part;
    for (let i = 0, to = output.length; i < words.length; i++, to += 8)
      view.setFloat64(to, words[i] as number, true);
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

/** The record of the API, which has a level although the score may be incomplete. */
function fullRecord({ dataset }: EnrichSources): Part {
  return cachedText(
    dataset,
    (match) =>
      `,"asn":${dataset.asnNumber(match)},"asn_name":"${dataset.escapedName(match)}",${dataset.attributesJson(dataset.attributesOf(match))}`,
  );
}

function cachedText(dataset: Dataset, text: RecordText): Part {
  const cacheOf = (version: 4 | 6) =>
    new TextCache(dataset.meta.counts.records, (match: Match) => text(match, version));
  return { kind: 'record', caches: { 4: cacheOf(4), 6: cacheOf(6) } };
}

const member = (name: string, json: string | undefined) =>
  json === undefined ? '' : `,"${name}":${json}`;
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
  const column = (text: string) => delimiter + csvCell(text, delimiter);
  return recordPart(sources, run, (_, value) => column(cellText(value)), {
    asn: (match) => column(String(dataset.asnNumber(match))),
    asn_name: (match) => column(JSON.parse(`"${dataset.escapedName(match)}"`)),
  });
}

/**
 * Adjacent attributes are cached as one text per set: parsing a set is expensive, and many records
 * share one.
 */
function recordPart(
  sources: EnrichSources,
  run: readonly Field[],
  ofAttribute: (field: AttributeField | RecordSectionField, value: Value | undefined) => string,
  ofNetwork: Readonly<Record<'asn' | 'asn_name', (match: Match) => string>>,
): Part {
  const texts: RecordText[] = [];
  let attributeFields: (AttributeField | RecordSectionField)[] = [];
  const endAttributes = () => {
    if (attributeFields.length > 0)
      texts.push(attributesText(sources, attributeFields, ofAttribute));
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
  return cachedText(sources.dataset, (match, version) => {
    let joined = '';
    for (const each of texts) joined += each(match, version);
    return joined;
  });
}

function attributesText(
  { dataset, sections }: EnrichSources,
  fields: readonly (AttributeField | RecordSectionField)[],
  ofAttribute: (field: AttributeField | RecordSectionField, value: Value | undefined) => string,
): RecordText {
  // With an incomplete score, and after it with a complete one.
  const texts: (string | undefined)[] = new Array(2 * dataset.meta.counts.attribute_sets).fill(
    undefined,
  );
  const hasSections = fields.some(isRecordSectionField);
  const writers = fields.map((field) =>
    isRecordSectionField(field)
      ? (_: Attributes, members: AddressMembers) => ofAttribute(field, sectionValue(members, field))
      : (attributes: Attributes, _: AddressMembers, isThreatKnown: boolean) =>
          ofAttribute(field, attributeValue(attributes, field, isThreatKnown)),
  );
  return (match, version) => {
    const isThreatKnown = dataset.threatGap(version, match) === undefined;
    // Sets that differ only in their sources have the same attributes, but not the same sections.
    const set = hasSections ? dataset.attributesOf(match) : dataset.textOf(match);
    const number = 2 * set + Number(isThreatKnown);
    let text = texts[number];
    if (text === undefined) {
      const attributes: Attributes = dataset.attributes(dataset.attributesOf(match));
      const members = (hasSections && sections?.ofRecord(match)) || {};
      text = writers.map((write) => write(attributes, members, isThreatKnown)).join('');
      texts[number] = text;
    }
    return text;
  };
}
