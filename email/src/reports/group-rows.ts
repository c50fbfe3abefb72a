/** Sums of packed rows over many reports. */
import { EventLoopSlices } from '../dns/event-loop-slices.ts';
import { SHAPE_BYTES } from './packed-rows.ts';
import type { DailySource, ReportShape } from './report.ts';
import { dayAfter, daysBetween } from './verdict.ts';

/** Rows of reports from one day to another. */
export type WindowRows = {
  readonly from: string;
  readonly to: string;
  /** By id. */
  readonly shapes: ReadonlyMap<number, ReportShape>;
  readonly pages: readonly { readonly day: string; readonly reporter: string; readonly bytes: Buffer }[];
};

/** A page takes a millisecond. */
const slices = new EventLoopSlices();

type Group = { readonly address: string; readonly daily: number[]; readonly reporters: string[]; last: string };

/** Sums by shape and place. Addresses of the same place are judged alike; a source has the first of them. */
export async function groupRows(
  { from, to, shapes, pages }: WindowRows,
  placeOf: (address: string) => string,
): Promise<DailySource[]> {
  const places = new Places(placeOf);
  const days = Array.from({ length: daysBetween(from, to) + 1 }, (_, i) => dayAfter(from, i));
  /** By shape, then by the number of the place. */
  const groups = new Map<ReportShape, Group[]>([...shapes.values()].map((shape) => [shape, []]));
  const byReporter = pages.toSorted((a, b) => (a.reporter < b.reporter ? -1 : 1));
  for (const { day, reporter, bytes } of byReporter) {
    await slices.next();
    const number = daysBetween(from, day);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at < bytes.length; ) {
      const shape = shapes.get(view.getFloat64(at, true));
      const rows = view.getUint32(at + 8, true);
      at += SHAPE_BYTES;
      const found = shape === undefined ? [] : (groups.get(shape) ?? []);
      for (let row = 0; row < rows; row++) {
        const length = view.getUint8(at++);
        const place =
          length === 0
            ? places.ofIpv4(view.getInt32(at, true))
            : places.ofText(bytes.toString('latin1', at, at + length));
        at += length || 4;
        let group = found[place];
        if (group === undefined) {
          group = { address: places.addressOf(place), daily: days.map(() => 0), reporters: [], last: '' };
          found[place] = group;
        }
        (group.daily[number] as number) += view.getFloat64(at, true);
        if (group.last !== reporter) {
          group.last = reporter;
          group.reporters.push(reporter);
        }
        at += 8;
      }
    }
  }
  const sources: DailySource[] = [];
  for (const [shape, found] of groups) {
    await slices.next();
    for (const group of Object.values(found)) sources.push(sourceOf(shape, group, days));
  }
  return sources;
}

function sourceOf(shape: ReportShape, { address, daily, reporters }: Group, days: readonly string[]): DailySource {
  // Without a spread, which takes ten times as long.
  const { disposition, spfPassed, dkimPassed, reasons, headerFrom, envelopeFrom, spf, dkim } = shape;
  return {
    ...{ disposition, spfPassed, dkimPassed, reasons, headerFrom, envelopeFrom, spf, dkim },
    address,
    messages: daily.reduce((sum, messages) => sum + messages, 0),
    firstDay: days[daily.findIndex((messages) => messages > 0)] ?? '',
    lastDay: days[daily.findLastIndex((messages) => messages > 0)] ?? '',
    reporters,
    start: days[0] ?? '',
    daily,
  };
}

/** Numbers of the places of addresses. An address is looked at once. */
class Places {
  readonly #placeOf: (address: string) => string;
  readonly #ipv4 = new Map<number, number>();
  readonly #texts = new Map<string, number>();
  readonly #numbers = new Map<string, number>();
  readonly #addresses: string[] = [];

  constructor(placeOf: (address: string) => string) {
    this.#placeOf = placeOf;
  }

  ofIpv4(address: number): number {
    const known = this.#ipv4.get(address);
    if (known !== undefined) return known;
    const number = this.#find([address >>> 24, (address >>> 16) & 255, (address >>> 8) & 255, address & 255].join('.'));
    this.#ipv4.set(address, number);
    return number;
  }

  ofText(address: string): number {
    const known = this.#texts.get(address);
    if (known !== undefined) return known;
    const number = this.#find(address);
    this.#texts.set(address, number);
    return number;
  }

  #find(address: string): number {
    const place = this.#placeOf(address);
    const number = this.#numbers.get(place) ?? this.#addresses.push(address) - 1;
    this.#numbers.set(place, number);
    return number;
  }

  addressOf(place: number): string {
    return this.#addresses[place] ?? '';
  }
}
