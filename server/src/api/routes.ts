/** Every route of the API that takes a key: path, declaration, schema, handler. */
import { parseAddress } from '@whence/dataset/address';
import type {
  FastifyContextConfig,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RouteOptions,
} from 'fastify';
import type { KeyDeclaration } from '../admission/declaration.ts';
import { isAllowedDomain } from '../domains/allowed-domains.ts';
import { checkForRequest } from '../email-checks/check-request.ts';
import { tryForRequest } from '../email-checks/try-request.ts';
import { sendersForRequest } from '../email-reports/senders-request.ts';
import { tlsReportsForRequest } from '../email-reports/tls-reports-request.ts';
import { envelope, sendJsonData } from '../http/envelope.ts';
import { ApiError, DENIED } from '../http/errors.ts';
import type { ParameterOf, RequestOf, Schema } from '../http/json-schema.ts';
import { MAX_REPORT_BYTES } from '../http/limits.ts';
import { rawBody } from '../http/requests.ts';
import { requireDataset, searchNetworks } from '../lookup/lookup-requests.ts';
import { NetworkSearches } from '../lookup/network-searches.ts';
import { requirePrefix } from '../lookup/prefix-contents.ts';
import { historyJson } from '../versions/past-request.ts';
import type { WatchWriter } from '../watch/watch-list.ts';
import { requesterOf } from './admit.ts';
import { ASN_LOOKUP, ASN_SEARCH, getAsn } from './asn.ts';
import { BATCH, postBatch } from './batch/batch.ts';
import { DATABASE, DATABASE_LIST, getDatabase, listDatabases } from './databases.ts';
import { getDataset } from './dataset.ts';
import { DECIDE, getDecision } from './decide.ts';
import type { RouteDependencies } from './dependencies.ts';
import {
  DIRECT,
  directSchema,
  downloadSchema,
  getDirectDownload,
  getDownload,
  getMetadata,
  getUpdate,
  metadataSchema,
  refusalText,
  updateSchema,
} from './geoip.ts';
import { getIp, getOwnIp, IP_LOOKUP } from './ip.ts';
import { getList, LIST } from './lists.ts';
import { asnSchema, asnSearchSchema } from './schemas/asn.ts';
import { databaseSchema, databasesSchema, listSchema } from './schemas/databases.ts';
import { datasetSchema } from './schemas/dataset.ts';
import { decideSchema } from './schemas/decide.ts';
import { emailDomainSchema } from './schemas/email.ts';
import { emailReportsSchema } from './schemas/email-reports.ts';
import { emailSendersSchema } from './schemas/email-senders.ts';
import { emailTlsReportsSchema } from './schemas/email-tls-reports.ts';
import { emailTrialSchema } from './schemas/email-trial.ts';
import { batchSchema, ipHistorySchema, ipSchema, ownIpSchema } from './schemas/ip.ts';
import { prefixSchema, splitPrefixSchema } from './schemas/prefix.ts';
import {
  acceptEventSchema,
  changeWatchedSchema,
  checkWatchedSchema,
  eventsSchema,
  unwatchDomainsSchema,
  watchDomainsSchema,
  watchedDomainsSchema,
} from './schemas/watch.ts';

type ApiRoute = Pick<RouteOptions, 'method' | 'url' | 'schema'> & {
  readonly declaration: KeyDeclaration;
  readonly handler: (request: never, reply: never) => unknown;
  readonly refusalText?: (error: ApiError) => string;
  /** What becomes of unknown parameters: refused unless given. */
  readonly query?: Pick<FastifyContextConfig, 'unknownParameters' | 'refusalHeaders'>;
  /** The body is taken as it is, whatever its type, up to this size. */
  readonly maxRawBytes?: number;
};

/**
 * A route whose schema names the parameters of its path, and whose handler takes what the schema
 * describes.
 */
const routeFor =
  (method: 'GET' | 'POST' | 'PATCH' | 'DELETE') =>
  <
    Url extends string,
    S extends FastifySchema & { readonly params?: Schema<{ [Name in ParameterOf<Url>]: string }> },
  >(
    url: Url,
    schema: S,
    declaration: KeyDeclaration,
    handler: (request: RequestOf<NoInfer<S>>, reply: FastifyReply) => unknown,
  ): ApiRoute => ({ method, url, schema, declaration, handler });
const get = routeFor('GET');
const post = routeFor('POST');
const patch = routeFor('PATCH');
const remove = routeFor('DELETE');

const declare = (
  access: KeyDeclaration['access'],
  counts: KeyDeclaration['counts'],
  ...costs: KeyDeclaration['costs']
): KeyDeclaration => ({ access, counts, costs });

/** A client that was written against SPEC.md is never refused for a parameter. */
const inSpec = (route: ApiRoute): ApiRoute => ({ ...route, query: { unknownParameters: 'named' } });
/** The programs send parameters of their own. */
export const OF_OTHER_PROGRAMS = { unknownParameters: 'ignored' } as const;

const WATCH_READ = declare('watch:read', 'watch', 'storage');
const WATCH_WRITE = declare('watch:write', 'watch', 'storage');
const PREFIX = declare('ip:read', 'prefix', 'scan', 'turn');

export function apiRoutes(dependencies: RouteDependencies): ApiRoute[] {
  const { live, emailChecks, reportImports, addressSections, past, slices } = dependencies;
  const { senders, tlsReports, prefixContents } = dependencies;
  const searches = new NetworkSearches();
  /** What is announced inside a prefix. Its slash may be percent-encoded. */
  const answerPrefix = async (request: FastifyRequest, reply: FastifyReply, cidr: string) => {
    const { dataset } = requireDataset(live);
    const json = await prefixContents.find(
      dataset,
      requirePrefix(cidr),
      requesterOf(request, reply),
    );
    return sendJsonData(request, reply, Buffer.from(addressSections.describeParts(json, dataset)));
  };
  /** Nothing that comes from reports is shown to a key without the permission. */
  const emailSources = ({ key }: FastifyRequest, domainText: string) => ({
    emailChecks,
    live,
    dataset: live.current?.dataset,
    ...(key?.permissions.includes('reports:read') === true &&
    isAllowedDomain(domainText, key.allowedDomains)
      ? { senders, tlsReports }
      : { senders: undefined, tlsReports: undefined }),
  });
  return [
    inSpec(get('/v1/ip/:ip', ipSchema, IP_LOOKUP, getIp(dependencies))),
    get('/v1/ip/me', ownIpSchema, IP_LOOKUP, getOwnIp(dependencies)),
    get(
      '/v1/ip/:ip/history',
      ipHistorySchema,
      declare('ip:read', 'ip_history', 'past_version'),
      async (ask, reply) => {
        const served = requireDataset(live);
        const address = parseAddress(ask.params.ip);
        if (address === undefined) throw new ApiError('INVALID_IP');
        const json = await historyJson(past, served, address, requesterOf(ask, reply));
        return sendJsonData(ask, reply, Buffer.from(json));
      },
    ),
    inSpec(post('/v1/ip/batch', batchSchema, BATCH, postBatch(live, addressSections, slices))),
    get('/v1/prefix/:cidr', prefixSchema, PREFIX, (request, reply) =>
      answerPrefix(request, reply, request.params.cidr),
    ),
    get('/v1/prefix/:cidr/:length', splitPrefixSchema, PREFIX, (request, reply) =>
      answerPrefix(request, reply, `${request.params.cidr}/${request.params.length}`),
    ),
    inSpec(
      get(
        '/v1/asn/:asn',
        asnSchema,
        ASN_LOOKUP,
        getAsn(live, addressSections, prefixContents.walks),
      ),
    ),
    inSpec(
      get('/v1/asn/search', asnSearchSchema, ASN_SEARCH, async (request, reply) =>
        envelope(
          request,
          await searchNetworks({ live, searches }, request.query, requesterOf(request, reply)),
        ),
      ),
    ),
    inSpec(
      get(
        '/v1/email/domain/:domain/dns',
        emailDomainSchema,
        declare('email:read', 'email', 'email_check', 'smtp_probe', 'judgement'),
        async (request, reply) => {
          const { params, query } = request;
          const requester = requesterOf(request, reply);
          const { answer } = await checkForRequest(
            emailSources(request, params.domain),
            params.domain,
            query,
            requester,
          );
          return envelope(request, answer);
        },
      ),
    ),
    post(
      '/v1/email/domain/:domain/try',
      emailTrialSchema,
      declare('email:read', 'email', 'email_check', 'judgement'),
      async (request, reply) => {
        const { params, body } = request;
        const requester = requesterOf(request, reply);
        return envelope(
          request,
          await tryForRequest(emailSources(request, params.domain), params.domain, body, requester),
        );
      },
    ),
    get(
      '/v1/email/domain/:domain/senders',
      emailSendersSchema,
      declare('reports:read', 'email', 'email_check', 'judgement'),
      async (request, reply) => {
        const { params, query } = request;
        const requester = requesterOf(request, reply);
        return envelope(
          request,
          await sendersForRequest(
            emailSources(request, params.domain),
            params.domain,
            query,
            requester,
          ),
        );
      },
    ),
    get(
      '/v1/email/domain/:domain/tls-reports',
      emailTlsReportsSchema,
      declare('reports:read', 'email', 'email_check'),
      async (request, reply) => {
        const { params, query } = request;
        const requester = requesterOf(request, reply);
        const sources = emailSources(request, params.domain);
        return envelope(
          request,
          await tlsReportsForRequest(sources, params.domain, query, requester),
        );
      },
    ),
    {
      ...post(
        '/v1/email/reports',
        emailReportsSchema,
        declare('reports:write', 'email_reports', 'report_import'),
        async (request, reply) => {
          if (reportImports === undefined) throw new ApiError('STORAGE_UNAVAILABLE');
          const reports = await reportImports.import(
            rawBody(request),
            { id: request.key?.id ?? '', allowedDomains: request.key?.allowedDomains },
            requesterOf(request, reply),
          );
          return envelope(request, { reports });
        },
      ),
      maxRawBytes: MAX_REPORT_BYTES,
    },
    ...watchRoutes(dependencies),
    {
      ...get('/v1/decide', decideSchema, DECIDE, getDecision(dependencies)),
      // The client of a proxy can cause it.
      query: { refusalHeaders: DENIED },
    },
    get('/v1/databases', databasesSchema, DATABASE_LIST, listDatabases(dependencies)),
    get('/v1/databases/:name', databaseSchema, DATABASE, getDatabase(dependencies)),
    ...[
      get('/geoip/updates/metadata', metadataSchema, DATABASE_LIST, getMetadata(dependencies)),
      get('/geoip/databases/:edition/update', updateSchema, DATABASE, getUpdate(dependencies)),
      get(
        '/geoip/databases/:edition/download',
        downloadSchema,
        DATABASE,
        getDownload(dependencies),
      ),
      get('/app/geoip_download', directSchema, DIRECT, getDirectDownload(dependencies)),
    ].map((route) => ({ ...route, refusalText, query: OF_OTHER_PROGRAMS })),
    get('/v1/lists/:list', listSchema, LIST, getList(dependencies)),
    get(
      '/v1/dataset',
      datasetSchema,
      declare('ip:read', 'dataset', 'lookup'),
      getDataset(dependencies),
    ),
  ];
}

function watchRoutes({ watchList, nowMs }: RouteDependencies): ApiRoute[] {
  const listed = () => {
    if (watchList === undefined) throw new ApiError('STORAGE_UNAVAILABLE');
    return watchList;
  };
  const now = () => new Date(nowMs());
  return [
    get('/v1/watched-domains', watchedDomainsSchema, WATCH_READ, async (ask) =>
      envelope(ask, await listed().list(writerOf(ask), ask.query)),
    ),
    post('/v1/watched-domains', watchDomainsSchema, WATCH_WRITE, async (ask) =>
      envelope(ask, await listed().add(writerOf(ask), ask.body, now())),
    ),
    remove('/v1/watched-domains', unwatchDomainsSchema, WATCH_WRITE, async (ask) =>
      envelope(ask, await listed().remove(writerOf(ask), ask.query.domains ?? [], now())),
    ),
    patch('/v1/watched-domains/:domain', changeWatchedSchema, WATCH_WRITE, async (ask) =>
      envelope(ask, await listed().change(writerOf(ask), ask.params.domain, ask.body)),
    ),
    post('/v1/watched-domains/:domain/check', checkWatchedSchema, WATCH_WRITE, async (ask) => {
      await listed().checkNow(writerOf(ask), [ask.params.domain], now());
      return envelope(ask, await listed().get(writerOf(ask), ask.params.domain));
    }),
    get('/v1/events', eventsSchema, WATCH_READ, async (ask) =>
      envelope(ask, await listed().events(writerOf(ask), ask.query, now())),
    ),
    post('/v1/events/:id/accept', acceptEventSchema, WATCH_WRITE, async (ask) =>
      envelope(ask, await listed().accept(writerOf(ask), ask.params.id, now())),
    ),
  ];
}

function writerOf({ key, ip }: Pick<FastifyRequest, 'key' | 'ip'>): WatchWriter {
  return {
    allowedDomains: key?.allowedDomains,
    mayReadReports: key?.permissions.includes('reports:read') === true,
    actor: { name: `key ${key?.name ?? ''}`, address: ip },
  };
}
