/**
 * `wh summarize [FILE…]`: a log's addresses by country, network, type, flag and threat level, found
 * as in `enrich`.
 */
import { type Address, formatAddress, ipv4, parseAddress } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import { AddressFinder } from '@whence/dataset/find-address';
import type { ThreatGap } from '@whence/dataset/record';
import { findSpecialPurpose } from '@whence/dataset/special-purpose';
import { noteWaiting, STANDARD_INPUT } from '../../enrich/input.ts';
import { readLines } from '../../enrich/read-lines.ts';
import { flagsOf } from '../../fields/fields.ts';
import { Largest } from '../../lookup/prefix-walk.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import { noteFlags } from '../../terminal/flag-note.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { jsonLine } from '../../terminal/printable.ts';
import { styleOf } from '../../terminal/style.ts';
import type { DataSettings } from '../embedded-data.ts';
import { openOverridden } from '../local-dataset.ts';
import { formatLogSummary, type LogSummary, type Share, UNKNOWN_LEVEL } from './summary-text.ts';

type SummarizeOptions = { json?: boolean; all?: boolean; limit: number };

/** 1 if there is no address in the text. */
export async function summarizeCommand(
  settings: DataSettings,
  texts: readonly string[],
  { json, all, limit }: SummarizeOptions,
  streams: CommandStreams,
): Promise<ExitCode> {
  const dataset = await openOverridden(settings);
  const files = texts.length === 0 ? [STANDARD_INPUT] : texts;
  if (texts.length === 0) noteWaiting(STANDARD_INPUT, streams, 'a log');
  const counts = new AddressCounts();
  const finder = new AddressFinder();
  let lines = 0;
  let linesWithAddress = 0;
  const onLine = (bytes: Buffer, start: number, end: number) => {
    lines++;
    let address = finder.next(bytes, start, end);
    if (address !== undefined) linesWithAddress++;
    while (address !== undefined) {
      counts.add(address);
      address = all === true ? finder.next(bytes, finder.end, end) : undefined;
    }
  };
  for (const file of files) await readLines(file, streams.stdin, onLine);
  const summary = {
    lines,
    lines_with_address: linesWithAddress,
    ...summaryOf(dataset, counts, limit),
  };
  const style = styleOf(streams.stdout, streams.environment);
  streams.stdout.write(json === true ? jsonLine(summary) : formatLogSummary(summary, style));
  if (counts.size === 0) return 1;
  noteFlags(streams, { dataset });
  return 0;
}

function summaryOf(
  dataset: Dataset,
  counts: AddressCounts,
  limit: number,
): Omit<LogSummary, 'lines' | 'lines_with_address'> {
  const groups = {
    countries: new Groups(),
    types: new Groups(),
    flags: new Groups(),
    levels: new Groups(),
  };
  const networks = new Groups();
  const names = new Map<string, string>();
  const top = new Largest<{ readonly address: Address; readonly size: number }>(limit);
  let unknownBecause: ThreatGap | undefined;
  let special = 0;
  let notFound = 0;
  for (const [address, occurrences] of counts.entries()) {
    if (occurrences > top.threshold) top.add({ address, size: occurrences });
    const match = dataset.find(address);
    if (match === 0) {
      const isSpecial = findSpecialPurpose(address) !== undefined;
      if (isSpecial) special++;
      else notFound++;
      for (const list of [groups.countries, groups.types, groups.levels, networks])
        list.add(isSpecial ? SPECIAL : NOT_ANNOUNCED, occurrences);
      continue;
    }
    const record = dataset.record(address, match);
    const { asn, asn_name, country, connection_type, detection, threat } = record;
    groups.countries.add(country, occurrences);
    groups.types.add(connection_type, occurrences);
    const gap = dataset.threatGap(address.version, match);
    unknownBecause ??= gap;
    groups.levels.add(gap === undefined ? threat.level : UNKNOWN_LEVEL, occurrences);
    for (const flag of flagsOf(detection)) groups.flags.add(flag, occurrences);
    networks.add(String(asn), occurrences);
    names.set(String(asn), asn_name);
  }
  const total = { occurrences: counts.occurrences, addresses: counts.size };
  return {
    occurrences: counts.occurrences,
    addresses: counts.size,
    special,
    not_found: notFound,
    dropped: counts.dropped,
    country_count: groups.countries.size,
    network_count: networks.size,
    countries: groups.countries.withOthers(limit, total),
    networks: networks.withOthers(limit, total).map((share) => {
      const asn_name = names.get(share.value);
      return asn_name === undefined ? share : { ...share, asn: Number(share.value), asn_name };
    }),
    connection_types: groups.types.withOthers(limit, total),
    flags: groups.flags.largest(limit),
    threat_levels: groups.levels.withOthers(limit, total),
    ...(unknownBecause && { threat_unknown_because: unknownBecause }),
    top_addresses: top.sorted().map(({ address, size: occurrences }) => {
      const match = dataset.find(address);
      if (match === 0)
        return { ip: formatAddress(address), occurrences, reason: reasonOf(address) };
      const record = dataset.record(address, match);
      const { ip, asn, asn_name, country, connection_type, detection, threat } = record;
      const flags = flagsOf(detection);
      return {
        ip,
        occurrences,
        asn,
        asn_name,
        country,
        connection_type,
        flags,
        threat_score: threat.score,
      };
    }),
  };
}

/** Rows for addresses without a record. */
const SPECIAL = 'private and special-purpose';
const NOT_ANNOUNCED = 'not announced';

function reasonOf(address: Address): string {
  const range = findSpecialPurpose(address);
  return range === undefined ? NOT_ANNOUNCED : `${range.name} (${range.prefix})`;
}

class Groups {
  readonly #shares = new Map<string, Share>();

  add(value: string, occurrences: number): void {
    const share = this.#shares.get(value);
    if (share === undefined) this.#shares.set(value, { value, occurrences, addresses: 1 });
    else {
      share.occurrences += occurrences;
      share.addresses++;
    }
  }

  get size(): number {
    return this.#shares.size;
  }

  /**
   * With a last row for what the limit cuts off, so that the shares of the rows add up to 100%.
   */
  withOthers(limit: number, total: Omit<Share, 'value'>): Share[] {
    const rows = this.largest(limit);
    const others = { value: 'others', ...total };
    for (const { occurrences, addresses } of rows) {
      others.occurrences -= occurrences;
      others.addresses -= addresses;
    }
    return others.occurrences === 0 ? rows : [...rows, others];
  }

  largest(limit: number): Share[] {
    const byCount = (a: Share, b: Share) =>
      b.occurrences - a.occurrences || b.addresses - a.addresses;
    return [...this.#shares.values()]
      .sort((a, b) => byCount(a, b) || (a.value < b.value ? -1 : 1))
      .slice(0, limit);
  }
}

/**
 * Distinct addresses; together they take about 200 MB. Further ones are only counted as
 * occurrences.
 */
const MAX_ADDRESSES = 2_000_000;

/**
 * How often each address occurs in a text. An IPv4 address is a number here: half the memory of a
 * text.
 */
export class AddressCounts {
  readonly #ipv4 = new Map<number, number>();
  readonly #ipv6 = new Map<string, number>();
  readonly #maxAddresses: number;
  occurrences = 0;
  dropped = 0;

  constructor(maxAddresses = MAX_ADDRESSES) {
    this.#maxAddresses = maxAddresses;
  }

  add(address: Address): void {
    this.occurrences++;
    if (address.version === 4) this.#count(this.#ipv4, address.w0);
    else this.#count(this.#ipv6, formatAddress(address));
  }

  get size(): number {
    return this.#ipv4.size + this.#ipv6.size;
  }

  *entries(): Generator<[address: Address, occurrences: number]> {
    for (const [word, occurrences] of this.#ipv4) yield [ipv4(word), occurrences];
    for (const [text, occurrences] of this.#ipv6) {
      const address = parseAddress(text);
      if (address !== undefined) yield [address, occurrences];
    }
  }

  #count<Key>(counts: Map<Key, number>, key: Key): void {
    const before = counts.get(key);
    if (before !== undefined) counts.set(key, before + 1);
    else if (this.size < this.#maxAddresses) counts.set(key, 1);
    else this.dropped++;
  }
}
