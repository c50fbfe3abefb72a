/** Addresses, prefixes and networks as the dashboard shows them, with the credits of the sources. */
import type { Address } from '@whence/dataset/address';
import { dayOfMs, oldestDay } from '@whence/dataset/internal/data-age';
import { type Match, prefixLength } from '@whence/dataset/internal/file/format';
import type { Dataset } from '@whence/dataset/internal/file/read';
import { flagKnowledge } from '@whence/dataset/internal/flag-sources';
import { explain } from '@whence/dataset/internal/lookup/evidence';
import { formatPrefix, fromBigInt, parsePrefix } from '@whence/dataset/prefix';
import type { AsnRecord, FlagSubject, Source } from '@whence/dataset/record';
import { findSpecialPurpose } from '@whence/dataset/special-purpose';
import { prefixState, prefixStates } from '../../address/routing/routing.ts';
import type { VrpTable } from '../../address/routing/vrps.ts';
import type { Requester } from '../../limits/cost-classes.ts';
import type { DatasetWalks, YieldToEventLoop } from '../../lookup/dataset-walks.ts';
import type { ServedDataset } from '../../lookup/live-dataset.ts';
import { profileNetwork, relatedNetworks } from '../../lookup/network-profile.ts';
import type { RpkiData } from '../dependencies.ts';
import { invalid } from '../requests/refusal.ts';
import type { AsnLookup, DatasetLimits, IpLookup, PrefixSummary } from '../wire/lookups.ts';
import type { PrefixCounts, PrefixRequest, PrefixSummaries } from './prefix-summaries.ts';

/** Shorter prefixes hold more runs than a page could show. */
const MIN_LENGTH = { 4: 8, 6: 16 } as const;

/** What is known of an address beside its record and the evidence for it. */
type AddressExtras = Pick<IpLookup, 'routing' | 'rpki_as_of' | 'privacy' | 'location' | 'labels' | 'has_registration'>;

export function describeAddress(
  { dataset, supplement }: Pick<ServedDataset, 'dataset' | 'supplement'>,
  found: { address: Address; match: Match },
  extras: AddressExtras,
  now: Date,
): IpLookup {
  const sources = new Map(dataset.meta.sources.map((source) => [source.id, source]));
  const evidence = explain(dataset, found.address, found.match).map((row) => {
    const { licence = '', credit = '' } = sources.get(row.source) ?? {};
    return { ...row, licence, credit };
  });
  return {
    record: dataset.record(found.address, found.match),
    evidence,
    credits: [
      ...creditsOf(dataset, new Set(evidence.map(({ source }) => source))),
      ...(supplement && extras.location ? creditsOf(supplement, new Set([extras.location.source])) : []),
    ],
    limits: limitsOf(dataset, now),
    ...extras,
  };
}

/** Who asks for a walk over the dataset, and where it is queued. */
type Walker = { readonly walks: DatasetWalks; readonly requester: Requester };

export function parsePrefixRequest({ address, length }: { address: string; length: string }): PrefixRequest {
  const range = parsePrefix(`${address}/${length}`);
  if (range === undefined) throw invalid('/address', 'a prefix such as 192.0.2.0/24 or 2001:db8::/32');
  const minimum = MIN_LENGTH[range.version];
  if (Number(length) < minimum) throw invalid('/length', `at least /${minimum}`);
  return { range, length: Number(length) };
}

/** A PrefixSummary as JSON: it has up to 256 parts, and is described once for each dataset and day. */
export function prefixJson(
  dataset: Dataset,
  request: PrefixRequest,
  { summaries, requester }: { readonly summaries: PrefixSummaries; readonly requester: Requester },
  rpki: RpkiData | undefined,
  now: Date,
): Promise<Buffer> {
  const { range, length } = request;
  const prefix = formatPrefix(fromBigInt(range.start, range.version), length);
  const subject = `${prefix} on ${dayOfMs(now.getTime())}, RPKI at ${rpki?.asOf?.getTime()}`;
  return summaries.find(dataset, subject, request, requester, (counts) =>
    Buffer.from(JSON.stringify(describePrefix(dataset, request, counts, rpki, now))),
  );
}

function describePrefix(
  dataset: Dataset,
  { range, length }: PrefixRequest,
  counts: PrefixCounts,
  rpki: RpkiData | undefined,
  now: Date,
): PrefixSummary {
  const first = fromBigInt(range.start, range.version);
  const special = findSpecialPurpose(first);
  const withState = <Routed extends { prefix: string; asn: number }>(routed: Routed) => {
    const state = rpki?.table && prefixState(dataset, routed.prefix, routed.asn, rpki.table);
    return state === undefined ? routed : { ...routed, rpki: state };
  };
  const covering = coveredBy(dataset, first, length);
  return {
    prefix: formatPrefix(first, length),
    ...counts,
    parts: counts.parts.map(withState),
    ...(covering && { covered_by: withState(covering) }),
    ...(rpki?.table && rpki.asOf && { rpki_as_of: rpki.asOf.toISOString() }),
    ...(special === undefined ? {} : { special_purpose: special }),
    limits: limitsOf(dataset, now),
    credits: creditsOf(dataset),
  };
}

/** An AsnLookup as JSON: a network may have ten thousand prefixes, and is described once for each dataset. */
export function networkJson(
  served: ServedDataset,
  record: AsnRecord,
  { walks, requester }: Walker,
  { table, asOf }: RpkiData = { table: undefined, asOf: undefined },
): Promise<Buffer> {
  const rpki = table && asOf && { table, asOf };
  const subject = `AS${record.asn}${rpki === undefined ? '' : ` with RPKI at ${rpki.asOf.getTime()}`}`;
  return walks.run(served.dataset, subject, requester, async (yieldToEventLoop) =>
    Buffer.from(JSON.stringify(await describeNetwork(served, record, rpki, yieldToEventLoop))),
  );
}

async function describeNetwork(
  { dataset, search }: ServedDataset,
  record: AsnRecord,
  rpki: { readonly table: VrpTable; readonly asOf: Date } | undefined,
  yieldToEventLoop: YieldToEventLoop,
): Promise<AsnLookup> {
  const { asn } = record;
  const prefixes = dataset.prefixesOf(asn);
  const all = [...prefixes.ipv4, ...prefixes.ipv6];
  const profile = await profileNetwork(dataset, asn, all, yieldToEventLoop);
  return {
    record: { ...record, prefixes },
    ...profile,
    ...(rpki && {
      rpki: {
        states: await prefixStates({ dataset, vrps: rpki.table }, asn, all, yieldToEventLoop),
        as_of: rpki.asOf.toISOString(),
      },
    }),
    related: relatedNetworks(search, record),
    credits: creditsOf(dataset),
  };
}

/** The announced prefix that contains all of this one, if its first address has one. */
function coveredBy(dataset: Dataset, first: Address, length: number): PrefixSummary['covered_by'] {
  const match = dataset.find(first);
  if (match === 0 || prefixLength(match) > length) return undefined;
  const { prefix, asn, asn_name } = dataset.record(first, match);
  return { prefix, asn, asn_name };
}

/** Credits that licences require beside results: of the given sources, or of all. */
type Credited = { readonly meta: { readonly sources: readonly Source[] } };

function creditsOf({ meta }: Credited, sourceIds?: ReadonlySet<string>): string[] {
  const sources = meta.sources.filter(({ id }) => sourceIds?.has(id) ?? true);
  return [...new Set(sources.map(({ credit }) => credit).filter((credit) => credit !== ''))];
}

export function limitsOf({ meta }: Dataset, now: Date): DatasetLimits {
  const { unknown, dated, tooOld } = flagKnowledge(meta, dayOfMs(now.getTime()));
  return {
    unknown: [...unknown],
    dated: dated.map((subject) => {
      const as_of =
        oldestDay((tooOld[subject] ?? []).map((source) => source.as_of)) ?? meta.flag_sources[subject].as_of;
      const counted_as_of = countedDay(meta, subject, tooOld[subject] ?? []);
      return {
        subject,
        ...(as_of === undefined ? {} : { as_of }),
        ...(counted_as_of === undefined ? {} : { counted_as_of }),
      };
    }),
  };
}

/** Day of the oldest source of the flag that still counts, where others do not. */
function countedDay(
  { flag_sources, sources }: Dataset['meta'],
  subject: FlagSubject,
  tooOld: readonly Source[],
): string | undefined {
  if (tooOld.length === 0) return undefined;
  const counted = sources.filter(
    (source) => flag_sources[subject].sources.includes(source.id) && !tooOld.includes(source),
  );
  return oldestDay(counted.map(({ as_of }) => as_of));
}
