// Requests and responses as JSON, types only, from `openapi.d.mts`, which is generated from the
// OpenAPI document; here is what a program calls by another name.
import type * as api from '../openapi.d.mts';

export type {
  AddedDomains,
  AddressHistory,
  AskedPolicy,
  AsnPrefixes,
  AsnSearchAnswer,
  AsnSearchResult,
  BatchAnswer,
  BatchEntry,
  BatchMeta,
  BatchRequest,
  BimiReport,
  ConnectionType,
  DaneHost,
  DaneReport,
  DatasetCounts,
  DatasetReport,
  Decision,
  Detection,
  DkimReport,
  DmarcPolicy,
  DmarcReport,
  DnssecReport,
  EmailDetails,
  EmailReport,
  EmailTrial,
  EmailTrialRequest,
  ErrorCode,
  Evidence,
  FamilyFigures,
  Figures,
  Flag,
  FlagSource,
  FlagSubject,
  HealthReport,
  Hostname,
  IpMeta,
  IpNotFoundMeta,
  Location,
  MailCarrier,
  MailPart,
  Meta as TimedMeta,
  MtaStsReport,
  MxNetwork,
  MxReport,
  NetworkRouting,
  NetworkShare,
  NetworksReport,
  Origin,
  PrefixContent,
  PrefixPart,
  Privacy,
  PublishedVersion,
  ReadyChecks,
  ReadyReport,
  RecordSpan,
  RefusedFeed as Refusal,
  RemovedDomains,
  Rir,
  Roa,
  Routing,
  SenderNetwork,
  SenderService,
  Senders,
  SmtpCertificate,
  SmtpReport,
  SmtpServer,
  Source,
  SpaceFigures,
  SpfReport,
  Threat,
  ThreatKnowledge,
  ThreatLevel,
  TlsReports,
  TlsRptReport,
  TransportRecommendation,
  TransportReport,
  WatchEvent,
  WatchEventPage,
  WatchedDomain,
  WatchedDomainPage,
} from '../openapi.d.mts';

/** What every response has around its data. */
export type Envelope<Data, Meta> = { data: Data; meta: Meta };
/** `data` of an error. Only NOT_READY has `checks`. */
export type ErrorData = api.ErrorData & { checks?: api.ReadyChecks };

/**
 * `evidence` and `threat_is_known` are there with `explain=true`, the sections if they are included
 * and something is known.
 */
export type IpAnswer = api.IpRecord;
export type IpRecord = Omit<IpAnswer, Explained | AddressSection>;
type Explained = 'evidence' | 'threat_is_known';
/** What `include` adds to the record of an address. */
export type AddressMembers = Pick<IpAnswer, AddressSection>;
export type AddressSection = Exclude<OptionalOf<IpAnswer>, Explained | 'rir'>;
type OptionalOf<T> = {
  [Name in keyof T]-?: T extends Record<Name, T[Name]> ? never : Name;
}[keyof T];
export type LocalAddressSection = NonNullable<api.BatchRequest['include']>[number];
export type PrivacyKind = api.Privacy['kind'];
/** `'error' in entry` distinguishes it from a record. */
export type BatchRefusal = Exclude<api.BatchEntry, IpAnswer>;

/**
 * `prefixes` is there with `include_prefixes=true`, and complete; `routing` if it is included and
 * something is known.
 */
export type AsnAnswer = api.AsnRecord;
export type AsnRecord = Omit<AsnAnswer, 'prefixes' | NetworkSection>;
export type NetworkSection = 'routing';

/** For space that is not announced, `asn` is 0 and the texts are empty. */
export type MailNetwork = Omit<api.MxNetwork, 'host' | 'address'>;
