/**
 * Addresses, prefixes and networks as the dashboard shows them, with the credits of the sources.
 */
import type { Address } from '@whence/dataset/address';
import { flagKnowledge, oldestDay, threatGaps } from '@whence/dataset/data-age';
import type { Dataset } from '@whence/dataset/dataset';
import { explain } from '@whence/dataset/evidence';
import { type Match, prefixLength } from '@whence/dataset/match';
import { formatPrefix, fromBigInt } from '@whence/dataset/prefix';
import {
  type AsnRecord,
  FLAG_SUBJECTS,
  type Meta,
  type Source,
  type ThreatGap,
} from '@whence/dataset/record';
import { findSpecialPurpose } from '@whence/dataset/special-purpose';
import { prefixState, prefixStates } from '../../address/routing/routing.ts';
import type { VrpTable } from '../../address/routing/vrps.ts';
import { dayOfMs } from '../../day.ts';
import type { Requester } from '../../limits/cost-classes.ts';
import type { MembersOf } from '../../lookup/batch-answer.ts';
import {
  type DatasetWalks,
  walkInSlices,
  type YieldToEventLoop,
} from '../../lookup/dataset-walks.ts';
import type { ServedDataset } from '../../lookup/live-dataset.ts';
import { profileNetwork, relatedNetworks } from '../../lookup/network-profile.ts';
import type { PrefixRequest } from '../../lookup/prefix-content.ts';
import type { WalkScratch } from '../../lookup/prefix-walk.ts';
import { present } from '../../present.ts';
import type { DataAge, DataAges } from '../wire/dataset.ts';
import type { AsnLookup, DatasetLimits, IpLookup, PrefixSummary } from '../wire/lookups.ts';
import { type PrefixCounts, summarizePrefix } from './prefix-summaries.ts';

/** Validated ROA payloads, if a file was read, and when it was written. */
export type RpkiData = { readonly table: VrpTable | undefined; readonly asOf: Date | undefined };

/** What is known of an address beside its record and the evidence for it. */
type AddressExtras = Pick<IpLookup, 'routing' | 'rpki_as_of' | 'privacy' | 'location' | 'labels'>;

export function describeAddress(
  { dataset }: Pick<ServedDataset, 'dataset'>,
  lookup: { address: Address; match: Match },
  extras: AddressExtras,
  now: Date,
): IpLookup {
  const sources = new Map(dataset.meta.sources.map((source) => [source.id, source]));
  const evidence = explain(dataset, lookup.address, lookup.match).map((row) => ({
    ...row,
    licence: sources.get(row.source)?.licence ?? '',
  }));
  const record = dataset.record(lookup.address, lookup.match);
  return {
    record,
    evidence,
    credits: [
      ...creditsOf(dataset, new Set(evidence.map(({ source }) => source))),
      ...locationCredits(extras.location?.source),
    ],
    limits: limitsOf(dataset, now, dataset.threatGap(lookup.address.version, lookup.match)),
    ...extras,
  };
}

/** The requester of a walk over the dataset, and its queue. */
type Walker = { readonly walks: DatasetWalks; readonly requester: Requester };

/**
 * A PrefixSummary as JSON: it has up to 256 parts, and is described once for each dataset and day.
 */
export function prefixJson(
  dataset: Dataset,
  request: PrefixRequest,
  {
    walks,
    requester,
    scratchOf,
  }: Walker & { readonly scratchOf: (dataset: Dataset) => WalkScratch },
  rpki: RpkiData | undefined,
  now: Date,
): Promise<Buffer> {
  const { range, length } = request;
  const prefix = formatPrefix(fromBigInt(range.start, range.version), length);
  const subject = `${prefix} on ${dayOfMs(now.getTime())}, RPKI at ${rpki?.asOf?.getTime()}`;
  return walks.run(dataset, subject, requester, async (yieldToEventLoop) => {
    const counts = await walkInSlices(
      summarizePrefix(dataset, request, scratchOf(dataset)),
      yieldToEventLoop,
    );
    return Buffer.from(JSON.stringify(describePrefix(dataset, request, counts, rpki, now)));
  });
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
    ...(special && { special_purpose: special }),
    limits: limitsOf(
      dataset,
      now,
      threatGaps(dataset.meta, dataset.day)[range.version === 4 ? 'ipv4' : 'ipv6'],
    ),
    credits: creditsOf(dataset),
  };
}

/**
 * An AsnLookup as JSON: a network may have ten thousand prefixes, and is described once for each
 * dataset.
 */
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
    related: await relatedNetworks(search, record, yieldToEventLoop),
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
  return [...new Set(sources.map(({ credit }) => credit))];
}

/** What the licences of free databases require on pages that show their data. */
const LOCATION_CREDITS: readonly [type: RegExp, credit: string][] = [
  [/^DBIP-/, 'IP Geolocation by DB-IP (https://db-ip.com)'],
  [
    /^GeoLite2-/,
    'This product includes GeoLite Data created by MaxMind, available from https://www.maxmind.com',
  ],
];

const locationCredits = (source = ''): string[] =>
  LOCATION_CREDITS.flatMap(([type, credit]) => (type.test(source) ? [credit] : []));

/** The member of a batch record, as JSON, that says why its score may be too low. */
export const gapMemberOf =
  (dataset: Dataset): MembersOf =>
  (address, match) => {
    const gap = match === 0 ? undefined : dataset.threatGap(address.version, match);
    return gap === undefined ? '' : `"threat_gap":"${gap}"`;
  };

/** What every page says about the dataset. */
export function describeAges(served: ServedDataset | undefined, now: Date): DataAges {
  if (served === undefined) {
    const limits: DatasetLimits = { threat_gap: 'blocklists', unknown: [], dated: [] };
    return { groups: [], limits };
  }
  const { version, dataset } = served;
  const { meta } = dataset;
  const limits = limitsOf(dataset, now, threatGaps(meta, dayOfMs(now.getTime())).ipv4);
  return { version, built_at: meta.built_at, groups: groupsOf(meta), limits };
}

/** The oldest source of each group: of routes and countries by family, where they differ. */
function groupsOf({ data_sources, flag_sources, sources }: Meta): DataAge[] {
  const decided = (['prefix', 'country'] as const).flatMap((group): DataAge[] => {
    const { ipv4, ipv6, ...oldest } = data_sources[group] ?? {};
    if (ipv4 === undefined || ipv6 === undefined || ipv4.as_of === ipv6.as_of)
      return [{ group, ...oldest }];
    return [
      { group, family: 'ipv4', ...ipv4 },
      { group, family: 'ipv6', ...ipv6 },
    ];
  });
  const flags = FLAG_SUBJECTS.map((group): DataAge => {
    const { as_of, sources: names } = flag_sources[group];
    const source =
      sources.find(({ id, as_of: day }) => names.includes(id) && day === as_of)?.id ?? names[0];
    return { group, ...present({ source, as_of }) };
  });
  return [...decided, ...flags];
}

/** `gap`: of the address or prefix that they are about. */
export function limitsOf(
  { meta }: Pick<Dataset, 'meta'>,
  now: Date,
  gap: ThreatGap | undefined,
): DatasetLimits {
  const { unknown, dated, tooOld } = flagKnowledge(meta, dayOfMs(now.getTime()));
  return {
    ...present({ threat_gap: gap }),
    unknown: [...unknown],
    dated: dated.map((subject) => {
      const old = tooOld[subject] ?? [];
      const { sources: names } = meta.flag_sources[subject];
      const counted = meta.sources.filter(
        (source) => names.includes(source.id) && !old.includes(source),
      );
      return {
        subject,
        ...present({
          // Rows of a table without a maximum age have days of their own: that of the last change
          // is not the table's age.
          as_of: oldestDay(old.map((source) => source.as_of)),
          // The date of the oldest source that still counts, if another no longer does.
          counted_as_of:
            old.length === 0 ? undefined : oldestDay(counted.map((source) => source.as_of)),
        }),
      };
    }),
  };
}
