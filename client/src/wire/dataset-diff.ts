import type { Flag, ThreatLevel } from './ip.ts';

/** What changed between two versions of the dataset. */
export type DatasetDiff = {
  from: ComparedVersion;
  to: ComparedVersion;
  /** The limit that was applied, at most 1000. */
  limit: number;
  is_same: boolean;
  addresses: { gained: Amount; lost: Amount };
  prefixes: { gained: Changes<AnnouncedPrefix>; lost: Changes<AnnouncedPrefix> };
  origins: Changes<OriginChange>;
  countries: Changes<CountryChange> & { moves: CountryMove[] };
  levels: LevelMove[];
  flags: Record<Flag, { gained: Changes<FlaggedNetwork>; lost: Changes<FlaggedNetwork> }>;
  ai_company: Changes<LabelChange>;
  cloud_provider: Changes<LabelChange>;
  networks: NetworkChanges;
  sources: SourceChange[];
};

/** IPv6 is counted in /48s; a smaller network counts as one. */
export type Amount = { ipv4: { count: number; addresses: number }; ipv6: { count: number; slash48s: number } };
/** `count` and sizes cover all changes; `largest` has at most `limit` of them. */
export type Changes<Entry> = {
  ipv4: { count: number; addresses: number; largest: (Entry & { addresses: number })[] };
  ipv6: { count: number; slash48s: number; largest: (Entry & { slash48s: number })[] };
};
export type ComparedVersion = { version: number; built_at: string };
export type NetworkName = { asn: number; asn_name: string };
export type AnnouncedPrefix = { prefix: string; asn: number; asn_name: string };
export type OriginChange = { prefix: string; from: NetworkName; to: NetworkName };
/** `network` here and below is a prefix, or `first-last` if the addresses do not form one. */
export type CountryChange = { network: string; from: string; to: string };
export type FlaggedNetwork = { network: string; asn: number; asn_name: string };
/** `from` or `to` is absent if that version has no label. */
export type LabelChange = { network: string; from?: string; to?: string };
export type CountryMove = { from: string; to: string } & Amount;
export type LevelMove = { from: ThreatLevel; to: ThreatLevel } & Amount;
export type NetworkChange = { asn: number; asn_name: string; ipv4_addresses: number };
export type NameChange = { asn: number; from: string; to: string; ipv4_addresses: number };
export type NetworkChanges = {
  appeared: { count: number; largest: NetworkChange[] };
  vanished: { count: number; largest: NetworkChange[] };
  renamed: { count: number; largest: NameChange[] };
};
export type SourceState = { as_of: string; records: number };
/** `from` or `to` is absent if that version does not have the source. */
export type SourceChange = { id: string; from?: SourceState; to?: SourceState };
