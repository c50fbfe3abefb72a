/** Encodes a compiled dataset into the sections of the file. `format.ts` describes each section. */
import { createHash } from 'node:crypto';
import type { DataSources, Figures, FlagSources, Meta, Refusal, Source } from '../record.ts';
import { type CompiledCovered, encodeCovered } from './addresses/covered.ts';
import { encodeIpv4, Ipv4Table } from './addresses/ipv4-table.ts';
import { encodeIpv6, Ipv6Table } from './addresses/ipv6-table.ts';
import { encodeOrigins } from './addresses/origin-index.ts';
import { type CompiledOtherOrigin, encodeOtherOrigins } from './addresses/other-origins.ts';
import { encodeGroups } from './consecutive-groups.ts';
import { bytesOf, encodeFile, type Intervals, type SectionName } from './format.ts';
import { type CompiledAsn, encodeNetworks } from './networks/networks.ts';
import { type CompiledAttributes, encodeAttributes } from './texts/attributes.ts';

/**
 * The whole content of a dataset, in the order of the file. Rows refer to each other by position.
 */
export type Compiled = {
  readonly sources: readonly Source[];
  readonly figures: Figures;
  readonly flagSources: FlagSources;
  readonly threatLists: Meta['threat_lists'];
  readonly dataSources: DataSources;
  readonly flaggedAccessNetworks: readonly FlaggedAccessNetwork[];
  /** How right the answers are without the sources that are used as labels. */
  readonly ipv4: Intervals;
  readonly ipv6: Intervals;
  /** Record 1 of a match is the first of these. `rows` in `asns` are ascending, without gaps. */
  readonly records: { readonly rows: Uint32Array; readonly attributes: Uint32Array };
  readonly attributes: readonly CompiledAttributes[];
  readonly asns: readonly CompiledAsn[];
  readonly covered: readonly CompiledCovered[];
  readonly otherOrigins: readonly CompiledOtherOrigin[];
};

/**
 * All sections except `meta`, with a digest over them: two builds with the same digest give the
 * same answers.
 */
export type Content = {
  readonly sections: Omit<Record<SectionName, Uint8Array>, 'meta'>;
  readonly meta: Omit<Meta, 'version' | 'built_at'>;
  /**
   * Access networks of which a list flags a large part. Not in the file: checked before it is
   * published.
   */
  readonly flaggedAccessNetworks: readonly FlaggedAccessNetwork[];
};

export type FlaggedAccessNetwork = {
  readonly asn: number;
  readonly flag: string;
  /** IPv4 addresses with the flag, and all of the network. */
  readonly flagged: number;
  readonly addresses: number;
};

export function encodeContent(compiled: Compiled, refused: readonly Refusal[] = []): Content {
  const providers = [
    ...new Set(compiled.asns.flatMap(({ cloud_provider }) => cloud_provider ?? [])),
  ].sort();
  const { ipv4, ipv6, records, attributes, asns } = compiled;
  const v4 = encodeIpv4(ipv4);
  const v6 = encodeIpv6(ipv6);
  const { sections: attributeSections, numberOf } = encodeAttributes(attributes);
  const rowOfRecord = withUnusedFirst(records.rows);
  const sections = {
    'v4.top': v4.top,
    'v4.buckets': v4.buckets,
    ...v6,
    records: bytesOf(withUnusedFirst(records.attributes.map((set) => numberOf[set] as number))),
    'records.row': encodeGroups(rowOfRecord),
    ...encodeNetworks(asns, providers),
    ...encodeOrigins(
      [new Ipv4Table(v4.top, v4.buckets), new Ipv6Table(v6)],
      rowOfRecord,
      asns.length,
    ),
    ...attributeSections,
    ...encodeCovered(compiled.covered),
    otherOrigins: encodeOtherOrigins(compiled.otherOrigins),
  };
  const { sources, figures, flagSources: flag_sources, dataSources: data_sources } = compiled;
  const counts = {
    ipv4_intervals: ipv4.starts.length,
    ipv6_intervals: ipv6.starts.length,
    records: records.rows.length,
    attribute_sets: attributes.length,
    asns: asns.length,
    ipv4_prefixes: asns.reduce((sum, { ipv4Prefixes }) => sum + ipv4Prefixes, 0),
    ipv6_prefixes: asns.reduce((sum, { ipv6Prefixes }) => sum + ipv6Prefixes, 0),
  };
  const digest = createHash('sha256').update(JSON.stringify({ sources, providers }));
  for (const [name, bytes] of Object.entries(sections))
    digest.update(`${name} ${bytes.length}\n`).update(bytes);
  const content_sha256 = digest.digest('hex');
  return {
    sections,
    flaggedAccessNetworks: compiled.flaggedAccessNetworks,
    meta: {
      content_sha256,
      sources,
      refused,
      figures,
      flag_sources,
      data_sources,
      providers,
      counts,
      threat_lists: compiled.threatLists,
    },
  };
}

export function encodeDataset(
  { sections, meta }: Pick<Content, 'sections' | 'meta'>,
  version: number,
  builtAt: Date,
): Buffer {
  const whole: Meta = { version, built_at: builtAt.toISOString(), ...meta };
  return encodeFile({ meta: Buffer.from(JSON.stringify(whole)), ...sections });
}

/**
 * Record 0 is unused. It gets the first network and the first set of attributes, so that every
 * number has a row.
 */
function withUnusedFirst(values: Uint32Array): Uint32Array {
  const all = new Uint32Array(values.length + 1);
  all.set(values, 1);
  return all;
}
