/** Encodes a compiled dataset into the sections of the file. `format.ts` describes each section. */
import { createHash } from 'node:crypto';
import { asciiJson } from '../ascii-json.ts';
import { encodeCountry } from '../country-code.ts';
import { fromBigInt } from '../prefix.ts';
import {
  CONNECTION_TYPES,
  type ConnectionType,
  type Figures,
  type FlagSources,
  type Meta,
  type Refusal,
  RIRS,
  type Rir,
  type Source,
} from '../record.ts';
import { encodeGroups } from './consecutive-groups.ts';
import { type CompiledCovered, encodeCovered } from './covered.ts';
import { ASN_ROW_WORDS, bytesOf, encodeFile, type Intervals, type SectionName } from './format.ts';
import { encodeIpv4, Ipv4Table } from './ipv4-table.ts';
import { encodeIpv6, Ipv6Table } from './ipv6-table.ts';
import { encodeNames } from './name-index.ts';
import { encodeOrigins } from './origin-index.ts';
import { encodeDate } from './registration-date.ts';
import { type CompiledTail, encodeTails } from './tails.ts';

/** The whole content of a dataset, in the order of the file. Rows refer to each other by position. */
export type Compiled = {
  readonly sources: readonly Source[];
  readonly figures: Figures;
  readonly flagSources: FlagSources;
  readonly flaggedHomes: readonly FlaggedHome[];
  readonly ipv4: Intervals;
  readonly ipv6: Intervals;
  /** Record 1 of a match is the first of these. Rows in `asns` are ascending, without gaps; `tails` are in any order. */
  readonly records: { readonly rows: Uint32Array; readonly tails: Uint32Array };
  readonly tails: readonly CompiledTail[];
  readonly asns: readonly CompiledAsn[];
  readonly covered: readonly CompiledCovered[];
  readonly otherOrigins: readonly CompiledOtherOrigin[];
};

/** Another origin of an announced prefix, and the position of the source that lists it. */
export type CompiledOtherOrigin = {
  readonly version: 4 | 6;
  readonly start: bigint;
  readonly length: number;
  readonly asn: number;
  readonly source: number;
};

export type CompiledAsn = {
  readonly number: number;
  readonly name: string;
  readonly handle?: string;
  /** yyyy-mm-dd */
  readonly registered?: string;
  readonly type: ConnectionType;
  readonly country: string;
  readonly rir: Rir;
  readonly cloud_provider: string | undefined;
  readonly ipv4Addresses: number;
  readonly ipv4Prefixes: number;
  readonly ipv6Prefixes: number;
};

/** All sections except `meta`, with a digest over them: two builds with the same digest give the same answers. */
export type Content = {
  readonly sections: Omit<Record<SectionName, Uint8Array>, 'meta'>;
  readonly meta: Omit<Meta, 'version' | 'built_at'>;
  /** Homes of which a list flags a large part. Not in the file: they are looked at before it is published. */
  readonly flaggedHomes: readonly FlaggedHome[];
};

export type FlaggedHome = {
  readonly asn: number;
  readonly flag: string;
  /** IPv4 addresses with the flag, and all of the network. */
  readonly flagged: number;
  readonly addresses: number;
};

export function encodeContent(compiled: Compiled, refused: readonly Refusal[] = []): Content {
  const providers = [...new Set(compiled.asns.flatMap(({ cloud_provider }) => cloud_provider ?? []))].sort();
  const { ipv4, ipv6, records, tails, asns } = compiled;
  const v4 = encodeIpv4(ipv4);
  const v6 = encodeIpv6(ipv6);
  const { sections: tailSections, numberOf } = encodeTails(tails);
  const rowOfRecord = withUnusedFirst(records.rows);
  const sections = {
    'v4.top': v4.top,
    'v4.buckets': v4.buckets,
    'v6.top': v6.top,
    'v6.first': v6.first,
    'v6.offset': v6.offset,
    'v6.second': v6.second,
    'v6.match': v6.match,
    'v6.deep': v6.deep,
    records: bytesOf(withUnusedFirst(records.tails.map((tail) => numberOf[tail] as number))),
    'records.row': encodeGroups(rowOfRecord),
    ...encodeAsns(asns, providers),
    ...encodeNames(asns),
    ...encodeOrigins([new Ipv4Table(v4.top, v4.buckets), new Ipv6Table(v6)], rowOfRecord, asns.length),
    ...tailSections,
    ...encodeCovered(compiled.covered),
    rivals: encodeOtherOrigins(compiled),
  };
  const { sources, figures, flagSources: flag_sources } = compiled;
  const counts = {
    ipv4_intervals: ipv4.starts.length,
    ipv6_intervals: ipv6.starts.length,
    records: records.rows.length,
    tails: tails.length,
    asns: asns.length,
    ipv4_prefixes: asns.reduce((sum, { ipv4Prefixes }) => sum + ipv4Prefixes, 0),
    ipv6_prefixes: asns.reduce((sum, { ipv6Prefixes }) => sum + ipv6Prefixes, 0),
  };
  const digest = createHash('sha256').update(JSON.stringify({ sources, providers }));
  for (const [name, bytes] of Object.entries(sections)) digest.update(`${name} ${bytes.length}\n`).update(bytes);
  const content_sha256 = digest.digest('hex');
  const { flaggedHomes } = compiled;
  return {
    sections,
    flaggedHomes,
    meta: { content_sha256, sources, refused, figures, flag_sources, providers, counts },
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

function encodeAsns(asns: readonly CompiledAsn[], providers: readonly string[]) {
  const rows = new Uint32Array(asns.length * ASN_ROW_WORDS);
  const texts: string[] = [];
  let length = 0;
  asns.forEach((asn, row) => {
    const name = asciiJson(asn.name).slice(1, -1);
    const text = `${name}\t${asciiJson(asn.handle ?? '').slice(1, -1)}\n`;
    const provider = asn.cloud_provider === undefined ? 0 : providers.indexOf(asn.cloud_provider) + 1;
    rows.set(
      [
        asn.number,
        length,
        name.length | (CONNECTION_TYPES.indexOf(asn.type) << 16) | (RIRS.indexOf(asn.rir) << 20) | (provider << 24),
        encodeCountry(asn.country) | (encodeDate(asn.registered) << 16),
        asn.ipv4Prefixes,
        asn.ipv6Prefixes,
        asn.ipv4Addresses,
      ],
      row * ASN_ROW_WORDS,
    );
    texts.push(text);
    length += text.length;
  });
  const byNumber = Uint32Array.from(asns.keys()).sort((a, b) => (asns[a]?.number ?? 0) - (asns[b]?.number ?? 0));
  return {
    asns: bytesOf(rows),
    'asns.number': bytesOf(byNumber),
    'asns.text': Buffer.from(texts.join(''), 'latin1'),
  };
}

/** Record 0 is never answered with. It has the first network and the first tail, so that every number has a row. */
function withUnusedFirst(values: Uint32Array): Uint32Array {
  const all = new Uint32Array(values.length + 1);
  all.set(values, 1);
  return all;
}

function encodeOtherOrigins({ otherOrigins }: Compiled): Uint8Array {
  const rows = otherOrigins.map(({ version, start, length, asn, source }) => {
    const { w0, w1, w2, w3 } = fromBigInt(start, version);
    return [(version << 8) | length, w0 >>> 0, w1 >>> 0, w2 >>> 0, w3 >>> 0, asn, source];
  });
  rows.sort((a, b) => {
    const different = a.findIndex((word, i) => word !== b[i]);
    return different < 0 ? 0 : (a[different] ?? 0) - (b[different] ?? 0);
  });
  return bytesOf(Uint32Array.from(rows.flat()));
}
