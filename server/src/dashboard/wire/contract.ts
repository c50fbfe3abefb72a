/**
 * The contract of `/dashboard/api/*`: paths, methods, and the types of what is sent and answered.
 * The dashboard imports it, the routes are typed by it. Every answer is `{ data, meta }`; field
 * names are snake_case; times are ISO 8601 in UTC and days are `YYYY-MM-DD`. An absent field is
 * absent, never null, unless its type says so.
 *
 * Every request that changes something carries the header `X-CSRF-Token`: `csrf_token` of the
 * session, or any text where there is no session yet (signing in, redeeming a link). Browsers add
 * Origin and Sec-Fetch-Site themselves.
 */
import type {
  AddressHistory,
  AsnSearchAnswer,
  EmailTrial,
  Senders,
  TlsReports,
} from '@whence/client/wire';
import type { ParameterOf, ValueOf } from '../../http/json-schema.ts';
import type {
  AddedDomains,
  DomainPage,
  EventPage,
  ShownDomain,
  ShownEvent,
} from '../../watch/watch-schema.ts';
import type {
  LinkState,
  OneTimeLink,
  OpenLink,
  OpenSession,
  Person,
  SessionState,
  SignedIn,
} from './accounts.ts';
import type { Channel, ChannelPage, CreatedChannel, Delivery } from './alerts.ts';
import type { DataAges, DatabasesPage, DatasetPage, UpdateState } from './dataset.ts';
import type { DomainCheck, ImportedReport, ReportedDomain, ReportMailboxState } from './domains.ts';
import type { CreatedKey, KeyDetail, KeyPage, KeySummary } from './keys.ts';
import type { AsnLookup, BatchLookup, HostnameLookup, IpLookup, PrefixSummary } from './lookups.ts';
import type { AuditPage, Health, SettingInForce } from './operation.ts';
import type { refusals } from './refusals.ts';
import type { requests } from './requests.ts';
import type { ReplayedLog, RulesPage, TriedRule } from './rules.ts';
import type { Overview, Traffic, UsageSeries } from './usage.ts';

export const CSRF_HEADER = 'X-CSRF-Token';
/**
 * Where one-time links lead. The token follows as a fragment (`/set-up#TOKEN`), so that no log and
 * no Referer has it.
 */
export const LINK_PAGE = '/set-up';
/** A page that leads to the identity provider. `?to=` is the path to come back to. */
export const PROVIDER_PATH = '/dashboard/provider';
/** What went wrong there, as `?failure=` of `/sign-in`. */
export type ProviderFailure = 'unreachable' | 'failed' | 'disabled' | 'name_taken';

const at =
  <const Method extends string>(method: Method) =>
  <const Path extends string>(path: Path) => ({
    answers: <Answer>() =>
      ({ method, path: `/dashboard/api${path}` }) as Route<Method, Path, Answer>,
  });
/** `answer` is a type, and not there at run time. */
type Route<Method, Path extends string, Answer> = {
  readonly method: Method;
  readonly path: `/dashboard/api${Path}`;
  readonly answer?: Answer;
};
const get = at('GET');
const post = at('POST');
const patch = at('PATCH');
const remove = at('DELETE');

export const routes = {
  getSession: get('/session').answers<SessionState>(),
  signIn: post('/session').answers<SignedIn>(),
  signOut: remove('/session').answers<Done>(),
  checkLink: post('/links/check').answers<LinkState>(),
  redeemLink: post('/links/redeem').answers<SignedIn>(),

  changePassword: post('/account/password').answers<SignedIn>(),
  listSessions: get('/account/sessions').answers<{ sessions: OpenSession[] }>(),
  endSession: remove('/account/sessions/:id').answers<Done>(),
  /** Signs out everywhere, here too. */
  endAllSessions: remove('/account/sessions').answers<Done>(),

  listPeople: get('/people').answers<{ people: Person[] }>(),
  changePerson: patch('/people/:id').answers<{ person: Person }>(),
  makeResetLink: post('/people/:id/reset-link').answers<OneTimeLink>(),
  invite: post('/invitations').answers<{ open: OpenLink; link: OneTimeLink }>(),
  listLinks: get('/links').answers<{ links: OpenLink[] }>(),
  revokeLink: remove('/links/:id').answers<Done>(),

  listKeys: get('/keys').answers<KeyPage>(),
  createKey: post('/keys').answers<CreatedKey>(),
  /**
   * The key with a secret that was found somewhere. It is in the body, so that no log and no
   * history has it.
   */
  findKey: post('/keys/find').answers<{ key: KeySummary }>(),
  getKey: get('/keys/:id').answers<KeyDetail>(),
  /** Answers once every process has applied the change; so do `pauseKey` and `resumeKey`. */
  changeKey: patch('/keys/:id').answers<{ key: KeySummary }>(),
  pauseKey: post('/keys/:id/pause').answers<{ key: KeySummary }>(),
  resumeKey: post('/keys/:id/resume').answers<{ key: KeySummary }>(),
  revokeKey: post('/keys/:id/revoke').answers<{ key: KeySummary }>(),
  /**
   * Creates the successor, with the attributes of the key; the key itself stays active until it is
   * revoked.
   */
  rotateKey: post('/keys/:id/rotate').answers<CreatedKey>(),
  getKeyAudit: get('/keys/:id/audit').answers<AuditPage>(),

  getOverview: get('/overview').answers<Overview>(),
  getUsage: get('/usage').answers<UsageSeries>(),
  /** A file: `format=csv|ndjson` and the parameters of `getUsage`. */
  exportUsage: get('/usage/export').answers<never>(),
  getTraffic: get('/traffic').answers<Traffic>(),

  lookUpIp: get('/lookup/ip/:ip').answers<IpLookup>(),
  /** Asks DNS. */
  lookUpHostname: get('/lookup/ip/:ip/hostname').answers<HostnameLookup>(),
  /** Asks the registry of the address, at most once a day. */
  lookUpHistory: get('/lookup/ip/:ip/history').answers<AddressHistory>(),
  lookUpPrefix: get('/lookup/prefix/:address/:length').answers<PrefixSummary>(),
  lookUpAsn: get('/lookup/asn/:asn').answers<AsnLookup>(),
  searchAsn: get('/lookup/asn').answers<AsnSearchAnswer>(),
  checkDomain: get('/lookup/domain/:domain').answers<DomainCheck>(),
  /**
   * What the check would say with other records. Nothing is changed; records do not fit into a
   * path.
   */
  tryDomain: post('/lookup/domain/:domain/try').answers<EmailTrial>(),
  lookUpBatch: post('/lookup/batch').answers<BatchLookup>(),

  /** Domains with aggregate or TLS reports, and the mailbox from which the server fetches them. */
  listReports: get('/reports').answers<{
    domains: ReportedDomain[];
    mailbox?: ReportMailboxState;
  }>(),
  importReports: post('/reports').answers<{ reports: ImportedReport[] }>(),
  getSenders: get('/reports/:domain').answers<Senders>(),
  getTlsReports: get('/reports/:domain/tls').answers<TlsReports>(),
  decideSender: post('/reports/:domain/decisions').answers<Done>(),

  listWatched: get('/watched').answers<DomainPage>(),
  watchDomains: post('/watched').answers<AddedDomains>(),
  changeWatched: patch('/watched/:domain').answers<ShownDomain>(),
  unwatchDomains: post('/watched/remove').answers<{ removed: string[] }>(),
  /** Those that are watched are checked within seconds. */
  checkWatched: post('/watched/check').answers<{ checking: string[] }>(),
  listEvents: get('/events').answers<EventPage>(),
  acceptEvent: post('/events/:id/accept').answers<ShownEvent>(),

  /** Those of the account; for administrators, of all accounts. */
  listChannels: get('/channels').answers<ChannelPage>(),
  createChannel: post('/channels').answers<CreatedChannel>(),
  changeChannel: patch('/channels/:id').answers<{ channel: Channel }>(),
  deleteChannel: remove('/channels/:id').answers<Done>(),
  /** One attempt. Of a channel that is not confirmed, the link is sent again. */
  testChannel: post('/channels/:id/test').answers<{ delivery?: Delivery }>(),
  /** The last 20, newest first. */
  listDeliveries: get('/channels/:id/deliveries').answers<{ deliveries: Delivery[] }>(),
  /** With the token of the link in the message. */
  confirmRecipient: post('/channels/confirm').answers<Done>(),

  getDataset: get('/dataset').answers<DatasetPage>(),
  /** What every page shows of the dataset, without its description. */
  getDataAges: get('/dataset/ages').answers<DataAges>(),
  useVersion: post('/dataset/use').answers<{ version: number }>(),
  startUpdate: post('/dataset/update').answers<UpdateState>(),
  getUpdate: get('/dataset/update').answers<UpdateState>(),
  /** Whether all machines with this storage fetch the feeds every day. */
  chooseUpdates: patch('/dataset/update').answers<UpdateState>(),

  getDatabases: get('/databases').answers<DatabasesPage>(),
  getRules: get('/rules').answers<RulesPage>(),
  tryRule: get('/rules/try').answers<TriedRule>(),
  /** The body is the log. */
  replayLog: post('/rules/replay').answers<ReplayedLog>(),

  getHealth: get('/health').answers<Health>(),
  getSettings: get('/settings').answers<{ settings: SettingInForce[] }>(),
  listAudit: get('/audit').answers<AuditPage>(),
  /** A file: `format=csv|ndjson` and the parameters of `listAudit`. */
  exportAudit: get('/audit/export').answers<never>(),
};

export type RouteName = keyof typeof routes;
/** `data` of what a route answers. */
export type Answer<Name extends RouteName> = Required<(typeof routes)[Name]>['answer'];

type Requests = typeof requests;
/**
 * What a page sends: an absent part is not sent. Lists in a query are texts separated by commas.
 */
export type Input<Name extends RouteName> = ([ParameterOf<PathOf<Name>>] extends [never]
  ? unknown
  : { params: Params<Name> }) &
  (Name extends keyof Requests ? Sent<Requests[Name]> : unknown) &
  (Name extends 'importReports' | 'replayLog' ? { body: Blob } : unknown);
type Sent<Given> = (Given extends { body: infer Body } ? { body: ValueOf<Body> } : unknown) &
  (Given extends { querystring: infer Query } ? { query: Unlisted<ValueOf<Query>> } : unknown);
type Unlisted<Query> = {
  [Name in keyof Query]: Query[Name] extends readonly string[] | undefined ? string : Query[Name];
};
type PathOf<Name extends RouteName> = (typeof routes)[Name]['path'];
export type Params<Name extends RouteName> = { [Parameter in ParameterOf<PathOf<Name>>]: string };

type Done = { done: true };

/** Codes of this part beside those of the API. All have the form `{ error, code, details? }`. */
export type DashboardErrorCode = keyof typeof refusals;
