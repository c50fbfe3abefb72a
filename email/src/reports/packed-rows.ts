/**
 * Rows of a report as bytes, and their sums over many reports: a million rows are added up in a fifth of a second, which
 * objects and JSON do not allow.
 *
 *   shape   id f64, number of rows u32, then each row
 *   row     0 u8 and an IPv4 address i32, or the length u8 and the text of an IPv6 address; then messages f64
 */
import { isIPv4 } from 'node:net';
import { EventLoopSlices } from '../dns/event-loop-slices.ts';
import { ipv4Number } from '../spf/passing.ts';
import type { DailySource, ReportShape } from './report.ts';
import { dayAfter, daysBetween } from './verdict.ts';

/** Messages by address. */
export type ShapeCounts = { readonly id: number; readonly counts: ReadonlyMap<string, number> };

/** Rows of reports from one day to another. */
export type WindowRows = {
  readonly from: string;
  readonly to: string;
  /** By id. */
  readonly shapes: ReadonlyMap<number, ReportShape>;
  readonly pages: readonly { readonly day: string; readonly reporter: string; readonly bytes: Buffer }[];
};

/** About 60 kB. */
const ROWS_PER_PAGE = 4_000;
const SHAPE_BYTES = 12;
const MAX_ROW_BYTES = 1 + 45 + 8;

/** In order, so that the same rows are the same bytes. */
export function packRows(shapes: readonly ShapeCounts[]): Buffer[] {
  const pages: Buffer[] = [];
  const page = Buffer.alloc(ROWS_PER_PAGE * (SHAPE_BYTES + MAX_ROW_BYTES));
  let [at, rows] = [0, 0];
  const endPage = () => {
    if (rows > 0) pages.push(Buffer.from(page.subarray(0, at)));
    [at, rows] = [0, 0];
  };
  for (const { id, counts } of shapes) {
    let left = counts.size;
    for (const address of [...counts.keys()].sort()) {
      if (rows === ROWS_PER_PAGE) endPage();
      if (rows === 0 || left === counts.size)
        at = page.writeUInt32LE(Math.min(left, ROWS_PER_PAGE - rows), page.writeDoubleLE(id, at));
      left--;
      rows++;
      if (isIPv4(address)) at = page.writeInt32LE(ipv4Number(address) | 0, page.writeUInt8(0, at));
      else at = page.writeUInt8(address.length, at) + page.write(address, at + 1, 'latin1');
      at = page.writeDoubleLE(counts.get(address) ?? 0, at);
    }
  }
  endPage();
  return pages;
}

/** A page takes a millisecond. */
const slices = new EventLoopSlices();

type Group = { readonly address: string; readonly daily: number[]; readonly reporters: string[]; last: string };

/**
 * Sums by shape and place. Addresses of the same place are judged alike; a source has the first of them.
 */
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
