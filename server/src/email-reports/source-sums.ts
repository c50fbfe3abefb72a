/**
 * Rows of reports added up by shape and place, over the days of a period. Addresses of a place are
 * judged alike: a source has the first of them. Mail from elsewhere (it failed, and nothing of the
 * domain's has come from there) is added up by network, so that forged mail from a hundred thousand
 * addresses is a few sources.
 */

import { PairNumbers } from '@whence/dataset/pair-numbers';
import type { DailySource, DayMessages, ReportShape } from '@whence/email/reports';
import { isBare } from '@whence/email/reports/judged-shapes';
import { dayAfter, daysBetween } from '@whence/email/reports/verdict';
import type { RowLines } from '../storage/stores/report-store.ts';

export type Places = {
  /** Before an address is placed. */
  prepare(addresses: readonly string[]): Promise<void>;
  /** It does not stand for a place. */
  forget(address: string): void;
  /** Names the place of an address of the domain's senders. */
  placeOf(address: string): string;
  /** Names the network of any other. */
  networkOf(address: string): string;
  /**
   * Whether an address is one of the domain's senders: by SPF, or because mail of the domain came
   * from there.
   */
  isSender(address: string): boolean;
};

type Shape = {
  readonly shape: ReportShape;
  /** It failed, without a signature of the domain. */
  readonly isBare: boolean;
  readonly number: number;
  /** Their numbers. */
  readonly sources: number[];
};

/** The places by which rows are added up. */
export type RowPlaces = {
  /** The place of each row, or LEFT_OUT. */
  placesOf(keys: readonly AddressKey[]): Promise<readonly number[]>;
  /** The place of a network whose addresses were added up when they were imported. */
  placeOfSum(network: string): Promise<number>;
  /** Its first address. */
  addressOf(place: number): string;
  isSender(place: number): boolean;
};

/** IPv4 as a number, which takes a third of the memory of a text. */
export type AddressKey = number | string;

/** Stands for a place whose rows do not count. */
const LEFT_OUT = -1;
/** A source names no more. */
const MAX_REPORTERS = 50;
/** Addresses of a service that are shown one by one, of which a page lists 200. */
const MAX_DETAILED = 20_000;
const BLANK = 0x20;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
/** The shortest row has `1 ::1 1` and its end. */
const MIN_LINE = 8;

export class AddressPlaces implements RowPlaces {
  readonly #places: Places;
  readonly #ipv4 = new PairNumbers();
  /** Places of IPv4 addresses, by their number. */
  readonly #ofIpv4: number[] = [];
  readonly #ofIpv6 = new Map<string, number>();
  readonly #numbers = new Map<string, number>();
  readonly #addresses: string[] = [];
  readonly #isSender: boolean[] = [];

  constructor(places: Places) {
    this.#places = places;
  }

  async placesOf(keys: readonly AddressKey[]): Promise<number[]> {
    const places = keys.map((key) => this.find(key));
    const unplaced = new Set<AddressKey>();
    for (const [i, place] of places.entries()) {
      const key = keys[i];
      if (place === LEFT_OUT && key !== undefined) unplaced.add(key);
    }
    if (unplaced.size === 0) return places;
    await this.#place([...unplaced]);
    return keys.map((key) => this.find(key));
  }

  async #place(keys: readonly AddressKey[]): Promise<void> {
    const addresses = keys.map(addressOf);
    await this.#places.prepare(addresses);
    for (const [i, address] of addresses.entries()) {
      const isSender = this.#places.isSender(address);
      const place = isSender
        ? `sender ${this.#places.placeOf(address)}`
        : `other ${this.#places.networkOf(address)}`;
      this.#set(keys[i] ?? address, this.#numberOf(place, address, isSender));
    }
  }

  /** Those with one of these as their first address. */
  placesFrom(addresses: ReadonlySet<string>): Set<number> {
    const places = new Set<number>();
    for (const [place, address] of this.#addresses.entries())
      if (addresses.has(address)) places.add(place);
    return places;
  }

  find(key: AddressKey): number {
    const place =
      typeof key === 'number' ? this.#ofIpv4[this.#ipv4.of(key, 0)] : this.#ofIpv6.get(key);
    return place ?? LEFT_OUT;
  }

  #set(key: AddressKey, place: number): void {
    if (typeof key === 'number') this.#ofIpv4[this.#ipv4.of(key, 0)] = place;
    else this.#ofIpv6.set(key, place);
  }

  async placeOfSum(network: string): Promise<number> {
    const address = network === '' ? OTHER_NETWORKS : network.slice(0, network.indexOf('/'));
    await this.#places.prepare([address]);
    return this.#numberOf(`sum ${network}`, address, true);
  }

  addressOf(place: number): string {
    return this.#addresses[place] ?? '';
  }

  isSender(place: number): boolean {
    return this.#isSender[place] ?? false;
  }

  #numberOf(place: string, address: string, isSender: boolean): number {
    const known = this.#numbers.get(place);
    if (known !== undefined) {
      if (this.#addresses[known] !== address) this.#places.forget(address);
      return known;
    }
    const number = this.#addresses.push(address) - 1;
    this.#isSender.push(isSender);
    this.#numbers.set(place, number);
    return number;
  }
}

/** Some of the places of a judgement, address by address. */
export class DetailedPlaces implements RowPlaces {
  readonly #judged: AddressPlaces;
  readonly #wanted: ReadonlySet<number>;
  readonly #byKey = new Map<AddressKey, number>();
  readonly #addresses: string[] = [];

  /** `wanted`: their first addresses. */
  constructor(judged: AddressPlaces, wanted: ReadonlySet<string>) {
    this.#judged = judged;
    this.#wanted = judged.placesFrom(wanted);
  }

  async placesOf(keys: readonly AddressKey[]): Promise<number[]> {
    return keys.map((key) => {
      const known = this.#byKey.get(key);
      if (known !== undefined) return known;
      const isWanted = this.#wanted.has(this.#judged.find(key));
      if (!isWanted || this.#byKey.size === MAX_DETAILED) return LEFT_OUT;
      const place = this.#addresses.push(addressOf(key)) - 1;
      this.#byKey.set(key, place);
      return place;
    });
  }

  async placeOfSum(network: string): Promise<number> {
    const judged = await this.#judged.placeOfSum(network);
    if (!this.#wanted.has(judged)) return LEFT_OUT;
    const known = this.#byKey.get(network);
    if (known !== undefined) return known;
    const place = this.#addresses.push(this.#judged.addressOf(judged)) - 1;
    this.#byKey.set(network, place);
    return place;
  }

  addressOf(place: number): string {
    return this.#addresses[place] ?? '';
  }

  isSender(): boolean {
    return true;
  }
}

/** Stands for all networks of a flood beyond those that are kept. */
export const OTHER_NETWORKS = '0.0.0.0';

export class SourceSums {
  readonly #from: string;
  readonly #dayTexts: readonly string[];
  readonly #places: RowPlaces;
  readonly #judged: readonly Shape[];
  /** By id. */
  readonly #shapes: ReadonlyMap<number, Shape | undefined>;
  readonly #hasOthers: boolean;
  /** Sources by shape and place. */
  readonly #numbers = new PairNumbers();
  /** By source. */
  readonly #placeOf: number[] = [];
  readonly #days = new DayColumns();
  /** By source: numbers of names. */
  readonly #reporters: number[][] = [];
  readonly #reporterNames: string[] = [];
  /** Addresses of those added up at import: on the last day, and on the day with the most. */
  readonly #summed = new Map<number, { readonly ofDay: number; readonly most: number }>();

  /** `hasOthers`: mail from elsewhere counts too. */
  constructor(
    from: string,
    to: string,
    shapes: ReadonlyMap<number, ReportShape>,
    places: RowPlaces,
    { hasOthers = true } = {},
  ) {
    this.#from = from;
    this.#dayTexts = Array.from({ length: daysBetween(from, to) + 1 }, (_, i) => dayAfter(from, i));
    this.#places = places;
    this.#hasOthers = hasOthers;
    // Ids may share a shape.
    const judged = new Map<ReportShape, Shape>();
    for (const shape of new Set(shapes.values()))
      judged.set(shape, { shape, number: judged.size, isBare: isBare(shape), sources: [] });
    this.#judged = [...judged.values()];
    this.#shapes = new Map([...shapes].map(([id, shape]) => [id, judged.get(shape)]));
  }

  async add(part: RowLines): Promise<void> {
    if (part.kind === 'sums') return this.#addSums(part);
    const rows = parseLines(part.lines);
    const places = await this.#places.placesOf(rows.keys);
    const day = daysBetween(this.#from, part.day);
    const reporter = this.#reporterNumber(part.reporter);
    for (const [i, place] of places.entries()) {
      const shape = this.#shapes.get(rows.shapes[i] ?? 0);
      if (shape === undefined || place === LEFT_OUT) continue;
      const isOther = shape.isBare && !this.#places.isSender(place);
      if (isOther && !this.#hasOthers) continue;
      const source = this.#sourceOf(shape, place);
      const messages = rows.messages[i] ?? 0;
      this.#days.add(source, day, messages, part.isListed ? messages : 0);
      this.#addReporter(source, reporter);
    }
  }

  async #addSums({ day: dayText, lines }: Extract<RowLines, { kind: 'sums' }>): Promise<void> {
    if (!this.#hasOthers) return;
    const day = daysBetween(this.#from, dayText);
    for (const line of lines.split('\n')) {
      const [id, network = '', messages, listed, addresses] = line.split(' ');
      const shape = this.#shapes.get(Number(id));
      if (shape === undefined) continue;
      const place = await this.#places.placeOfSum(network);
      if (place === LEFT_OUT) continue;
      const source = this.#sourceOf(shape, place);
      const { ofDay, most } = this.#summed.get(source) ?? { ofDay: 0, most: 0 };
      const sameDay = this.#days.lastDay(source) === day ? ofDay : 0;
      const counted = Number(addresses) + sameDay;
      this.#summed.set(source, { ofDay: counted, most: Math.max(most, counted) });
      this.#days.add(source, day, Number(messages), Number(listed));
    }
  }

  #sourceOf(shape: Shape, place: number): number {
    const source = this.#numbers.of(shape.number, place);
    if (source === this.#placeOf.length) {
      this.#placeOf.push(place);
      this.#reporters.push([]);
      shape.sources.push(source);
    }
    return source;
  }

  #reporterNumber(name: string): number {
    const known = this.#reporterNames.indexOf(name);
    return known < 0 ? this.#reporterNames.push(name) - 1 : known;
  }

  #addReporter(source: number, reporter: number): void {
    const reporters = this.#reporters[source] ?? [];
    if (reporters.at(-1) === reporter || reporters.length === MAX_REPORTERS) return;
    if (!reporters.includes(reporter)) reporters.push(reporter);
  }

  sources(): DailySource[] {
    const sources: DailySource[] = [];
    for (const { shape, sources: ofShape } of this.#judged)
      for (const source of ofShape) sources.push(this.#describe(source, shape));
    return sources;
  }

  #describe(source: number, shape: ReportShape): DailySource {
    const daily = this.#days.of(source);
    const textOf = (day = 0) => this.#dayTexts[day] ?? this.#from;
    let messages = 0;
    for (const day of daily) messages += day.messages;
    // Without a spread, which takes ten times as long.
    return {
      disposition: shape.disposition,
      spfPassed: shape.spfPassed,
      dkimPassed: shape.dkimPassed,
      reasons: shape.reasons,
      headerFrom: shape.headerFrom,
      envelopeFrom: shape.envelopeFrom,
      spf: shape.spf,
      dkim: shape.dkim,
      address: this.#places.addressOf(this.#placeOf[source] ?? LEFT_OUT),
      messages,
      firstDay: textOf(daily[0]?.day),
      lastDay: textOf(daily.at(-1)?.day),
      reporters: this.#reportersOf(source),
      addresses: Math.max(1, this.#summed.get(source)?.most ?? 0),
      isSummed: this.#summed.has(source),
      start: this.#from,
      daily,
    };
  }

  #reportersOf(source: number): string[] {
    const reporters = this.#reporters[source] ?? [];
    return reporters.map((reporter) => this.#reporterNames[reporter] ?? '').sort();
  }
}

const NONE = -1;

/**
 * Messages of sources by day, in columns: as objects, those of a million rows would be copied by
 * the garbage collector again and again.
 */
class DayColumns {
  /** By source: where its last day is. */
  readonly #last: number[] = [];
  /** By day of a source: where the day before is, and what was added up. */
  readonly #previous: number[] = [];
  readonly #day: number[] = [];
  readonly #messages: number[] = [];
  readonly #listed: number[] = [];

  /** Rows come in the order of their days, sources in that of their numbers. */
  add(source: number, day: number, messages: number, listed: number): void {
    const last = this.#last[source] ?? NONE;
    if (last !== NONE && this.#day[last] === day) {
      this.#messages[last] = (this.#messages[last] ?? 0) + messages;
      this.#listed[last] = (this.#listed[last] ?? 0) + listed;
      return;
    }
    this.#last[source] = this.#day.length;
    this.#previous.push(last);
    this.#day.push(day);
    this.#messages.push(messages);
    this.#listed.push(listed);
  }

  lastDay(source: number): number | undefined {
    return this.#day[this.#last[source] ?? NONE];
  }

  of(source: number): DayMessages[] {
    const daily: DayMessages[] = [];
    for (let at = this.#last[source] ?? NONE; at !== NONE; at = this.#previous[at] ?? NONE)
      daily.push({
        day: this.#day[at] ?? 0,
        messages: this.#messages[at] ?? 0,
        listed: this.#listed[at] ?? 0,
      });
    return daily.reverse();
  }
}

type ParsedRows = {
  readonly shapes: number[];
  readonly keys: AddressKey[];
  readonly messages: number[];
};

/** Character by character: to split a million lines takes ten times as long. */
function parseLines(lines: string): ParsedRows {
  const rows: ParsedRows = { shapes: [], keys: [], messages: [] };
  for (let at = 0; at + MIN_LINE <= lines.length + 1; at++) {
    let shape = 0;
    for (; lines.charCodeAt(at) !== BLANK; at++) shape = shape * 10 + digitAt(lines, at);
    const start = at + 1;
    let address = 0;
    let part = 0;
    let isIpv4 = true;
    for (at = start; ; at++) {
      const code = lines.charCodeAt(at);
      if (code === BLANK) break;
      if (code === DOT) {
        address = (address << 8) | part;
        part = 0;
      } else if (code >= ZERO && code <= NINE) part = part * 10 + code - ZERO;
      else isIpv4 = false;
    }
    rows.keys.push(isIpv4 ? (address << 8) | part : lines.slice(start, at));
    let messages = 0;
    for (at++; at < lines.length && lines.charCodeAt(at) >= ZERO; at++)
      messages = messages * 10 + digitAt(lines, at);
    rows.shapes.push(shape);
    rows.messages.push(messages);
  }
  return rows;
}

const digitAt = (text: string, at: number) => text.charCodeAt(at) - ZERO;

function addressOf(key: AddressKey): string {
  if (typeof key === 'string') return key;
  return `${key >>> 24}.${(key >>> 16) & 255}.${(key >>> 8) & 255}.${key & 255}`;
}
