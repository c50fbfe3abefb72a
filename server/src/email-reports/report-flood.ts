/**
 * A flood of forged mail may have a hundred thousand addresses a day. Beyond 20,000 rows a day of a
 * domain, rows from elsewhere are added up by /24 or /48 when they are imported: those that neither
 * passed nor were signed as the domain, from addresses where no other mail of the domain comes
 * from, outside of the ranges of its SPF record and of known services. What such mail is called
 * does not depend on the single address, so that the verdict stays the same.
 */
import { parseAddress } from '@whence/dataset/address';
import { formatPrefix } from '@whence/dataset/prefix';
import type { Resolver } from '@whence/email/dns';
import { type NamedRecord, namedRecords, readFromNames } from '@whence/email/reports/named-records';
import { findProviderRanges, type ProviderOfAddress } from '@whence/email/reports/provider-ranges';
import { checkSpf } from '@whence/email/spf/lookups';
import {
  type PreparedReport,
  pagesOf,
  type ShapeColumns,
  type StoredRow,
  type SummedRow,
} from '../storage/prepared-report.ts';

type FloodStore = {
  has(report: Pick<PreparedReport, 'id'>): Promise<boolean>;
  roomForOthers(report: Pick<PreparedReport, 'domainId' | 'day'>): Promise<number>;
  knownSources(domainId: number, addresses: readonly string[]): Promise<string[]>;
};
/** What a flood is told apart by: plain data, for a thread. */
export type FloodTask = {
  readonly report: PreparedReport;
  /** Rows from elsewhere that are still kept. */
  readonly room: number;
  readonly known: readonly string[];
};

/** Undefined if all rows are kept, or the report is: a repeated one does not wait for DNS. */
export async function floodOf(
  report: PreparedReport,
  store: FloodStore,
  pendingRows = 0,
): Promise<FloodTask | undefined> {
  if (report.others.rows === 0 || report.unproven !== undefined) return undefined;
  const room = Math.max(0, (await store.roomForOthers(report)) - pendingRows);
  if (report.others.rows <= room || (await store.has(report))) return undefined;
  const known: string[] = [];
  for (const page of report.others.pages) {
    const addresses = rowsIn(page).map(([, address]) => address);
    for (const address of await store.knownSources(report.domainId, addresses)) known.push(address);
  }
  return { report, room, known };
}

export async function sumFlood(
  { report, room, known }: FloodTask,
  published: PublishedSenders,
): Promise<PreparedReport> {
  const rows = report.others.pages.flatMap(rowsIn);
  const sources = new Set(known);
  const isPublished = await published.of(report);
  const isSender = (address: string) => sources.has(address) || isPublished(address);
  const ours = rows.filter(([, address]) => isSender(address));
  const others = rows.filter(([, address]) => !isSender(address));
  const kept = others.slice(0, room);
  return {
    ...report,
    others: { rows: kept.length, pages: pagesOf([...ours, ...kept]) },
    sums: pagesOf(sumByNetwork(others.slice(room))),
  };
}

/** Senders that SPF records name. An import may have a flood in each of a thousand reports. */
export class PublishedSenders {
  readonly #resolverFor: (domain: string) => Resolver;
  #services: Promise<ProviderOfAddress> | undefined;
  readonly #byDomain = new Map<string, Promise<(address: string) => boolean>>();

  constructor(resolverFor: (domain: string) => Resolver) {
    this.#resolverFor = resolverFor;
  }

  async of({ domain, shapes }: PreparedReport): Promise<(address: string) => boolean> {
    const senders = this.#byDomain.get(domain) ?? this.#find(domain);
    this.#byDomain.set(domain, senders);
    const names = await readFromNames(domain, namedMail(shapes), this.#resolverFor(domain));
    const isSender = await senders;
    return (address) => isSender(address) || isNamed(names.records, address);
  }

  async #find(domain: string): Promise<(address: string) => boolean> {
    const resolver = this.#resolverFor(domain);
    this.#services ??= findProviderRanges(resolver);
    const { tree } = await checkSpf(domain, await resolver.txt(domain), resolver);
    const records = await namedRecords(tree, resolver);
    const serviceOf = await this.#services;
    return (address) => serviceOf(address) !== undefined || isNamed(records, address);
  }
}

const isNamed = (records: readonly NamedRecord[], address: string) =>
  records.some(({ spf }) => spf.matchesOf(address).length > 0);

// Written by `prepareReport`.
const namedMail = (shapes: string) =>
  (JSON.parse(shapes) as ShapeColumns[]).map(([, headerFrom, , , spfPassed, dkimPassed]) => ({
    headerFrom,
    spfPassed: spfPassed === 1,
    dkimPassed: dkimPassed === 1,
  }));

function sumByNetwork(rows: readonly StoredRow[]): SummedRow[] {
  const sums = new Map<string, { messages: number; addresses: number }>();
  for (const [shape, address, messages] of rows) {
    const key = `${shape} ${networkOf(address)}`;
    const sum = sums.get(key) ?? { messages: 0, addresses: 0 };
    sum.messages += messages;
    sum.addresses++;
    sums.set(key, sum);
  }
  return [...sums].map(([key, { messages, addresses }]): SummedRow => {
    const [shape, network = ''] = key.split(' ');
    return [Number(shape), network, messages, addresses];
  });
}

function networkOf(text: string): string {
  const address = parseAddress(text);
  return address === undefined ? '' : formatPrefix(address, address.version === 4 ? 24 : 48);
}

// Written by `pagesOf`.
const rowsIn = (page: string) => JSON.parse(page) as StoredRow[];
