/** Every route of the API that takes a key: path, declaration, schema, handler. */
import { parseAddress } from '@whence/dataset/address';
import type { FastifyReply, FastifyRequest, FastifySchema, RouteOptions } from 'fastify';
import type { KeyDeclaration } from '../admission/declaration.ts';
import { checkForRequest } from '../email-checks/check-request.ts';
import { tryForRequest } from '../email-checks/try-request.ts';
import { sendersForRequest } from '../email-reports/senders-request.ts';
import { envelope, sendJsonData } from '../http/envelope.ts';
import { ApiError } from '../http/errors.ts';
import type { ParameterOf, RequestOf, Schema } from '../http/json-schema.ts';
import { MAX_REPORT_BYTES } from '../http/limits.ts';
import { rawBody } from '../http/requests.ts';
import { requireDataset, searchNetworks } from '../lookup/lookup-requests.ts';
import { requirePrefix } from '../lookup/prefix-contents.ts';
import { datasetReport } from '../versions/dataset-report.ts';
import { diffVersions } from '../versions/diff-request.ts';
import { historyJson } from '../versions/past-request.ts';
import { requesterOf } from './admit.ts';
import { ASN_LOOKUP, ASN_SEARCH, getAsn } from './asn.ts';
import { BATCH, postBatch } from './batch/batch.ts';
import { DATABASE, DATABASE_LIST, getDatabase, listDatabases } from './databases.ts';
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
import { datasetDiffSchema } from './schemas/dataset-diff.ts';
import { decideSchema } from './schemas/decide.ts';
import { emailDomainSchema } from './schemas/email.ts';
import { emailReportsSchema } from './schemas/email-reports.ts';
import { emailSendersSchema } from './schemas/email-senders.ts';
import { emailTrialSchema } from './schemas/email-trial.ts';
import { batchSchema, ipHistorySchema, ipSchema, ownIpSchema } from './schemas/ip.ts';
import { prefixSchema, splitPrefixSchema } from './schemas/prefix.ts';

type ApiRoute = Pick<RouteOptions, 'method' | 'url' | 'schema'> & {
  readonly declaration: KeyDeclaration;
  readonly handler: (request: never, reply: never) => unknown;
  readonly refusalText?: (error: ApiError) => string;
  /** The body is taken as it is, whatever its type, up to this size. */
  readonly maxRawBytes?: number;
};

/** A route whose schema names the parameters of its path, and whose handler takes what the schema describes. */
const routeFor =
  (method: 'GET' | 'POST') =>
  <Url extends string, S extends FastifySchema & { readonly params?: Schema<{ [Name in ParameterOf<Url>]: string }> }>(
    url: Url,
    schema: S,
    declaration: KeyDeclaration,
    handler: (request: RequestOf<NoInfer<S>>, reply: FastifyReply) => unknown,
  ): ApiRoute => ({ method, url, schema, declaration, handler });
const [get, post] = [routeFor('GET'), routeFor('POST')];

const declare = (
  access: KeyDeclaration['access'],
  counts: KeyDeclaration['counts'],
  ...costs: KeyDeclaration['costs']
): KeyDeclaration => ({ access, counts, costs });

/** Also of the fast path. */
export const PREFIX = declare('ip:read', 'prefix', 'scan', 'turn');

export function apiRoutes(dependencies: RouteDependencies): ApiRoute[] {
  const { live, emailChecks, reportImports, senders, addressSections, datasetDiffs, past, slices, nowMs } =
    dependencies;
  const { prefixContents } = dependencies;
  /** What is announced inside a prefix. Its slash may be percent-encoded. */
  const answerPrefix = async (request: FastifyRequest, reply: FastifyReply, cidr: string) => {
    const { dataset } = requireDataset(live);
    const json = await prefixContents.find(dataset, requirePrefix(cidr), requesterOf(request, reply));
    return sendJsonData(request, reply, Buffer.from(addressSections.describeParts(json, dataset)));
  };
  /** Nothing that comes from reports is shown to a key without the permission. */
  const emailSources = ({ key }: FastifyRequest) => ({
    ...{ emailChecks, live, dataset: live.current?.dataset },
    senders: key?.permissions.includes('reports:read') === true ? senders : undefined,
  });
  return [
    get('/v1/ip/:ip', ipSchema, IP_LOOKUP, getIp(dependencies)),
    get('/v1/ip/me', ownIpSchema, IP_LOOKUP, getOwnIp(dependencies)),
    get('/v1/ip/:ip/history', ipHistorySchema, declare('ip:read', 'ip_history', 'past_version'), async (ask, reply) => {
      const served = requireDataset(live);
      const address = parseAddress(ask.params.ip);
      if (address === undefined) throw new ApiError('INVALID_IP');
      const json = await historyJson(past, served, address, requesterOf(ask, reply));
      return sendJsonData(ask, reply, Buffer.from(json));
    }),
    post('/v1/ip/batch', batchSchema, BATCH, postBatch(live, addressSections, slices)),
    get('/v1/prefix/:cidr', prefixSchema, PREFIX, (request, reply) =>
      answerPrefix(request, reply, request.params.cidr),
    ),
    get('/v1/prefix/:cidr/:length', splitPrefixSchema, PREFIX, (request, reply) =>
      answerPrefix(request, reply, `${request.params.cidr}/${request.params.length}`),
    ),
    get('/v1/asn/:asn', asnSchema, ASN_LOOKUP, getAsn(live, addressSections, prefixContents.walks)),
    get('/v1/asn/search', asnSearchSchema, ASN_SEARCH, (request) =>
      envelope(request, searchNetworks(live, request.query)),
    ),
    get(
      '/v1/email/domain/:domain/dns',
      emailDomainSchema,
      declare('email:read', 'email', 'email_check', 'smtp_probe'),
      async (request, reply) => {
        const { params, query } = request;
        const requester = requesterOf(request, reply);
        const { answer } = await checkForRequest(emailSources(request), params.domain, query, requester);
        return envelope(request, answer);
      },
    ),
    post(
      '/v1/email/domain/:domain/try',
      emailTrialSchema,
      declare('email:read', 'email', 'email_check'),
      async (request, reply) => {
        const { params, body } = request;
        const requester = requesterOf(request, reply);
        return envelope(request, await tryForRequest(emailSources(request), params.domain, body, requester));
      },
    ),
    get(
      '/v1/email/domain/:domain/senders',
      emailSendersSchema,
      declare('reports:read', 'email', 'email_check'),
      async (request, reply) => {
        const { params, query } = request;
        const requester = requesterOf(request, reply);
        return envelope(request, await sendersForRequest(emailSources(request), params.domain, query, requester));
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
            request.key?.id ?? '',
            requesterOf(request, reply),
          );
          return envelope(request, { reports });
        },
      ),
      maxRawBytes: MAX_REPORT_BYTES,
    },
    get('/v1/decide', decideSchema, DECIDE, getDecision(dependencies)),
    get('/v1/databases', databasesSchema, DATABASE_LIST, listDatabases(dependencies)),
    get('/v1/databases/:name', databaseSchema, DATABASE, getDatabase(dependencies)),
    ...[
      get('/geoip/updates/metadata', metadataSchema, DATABASE_LIST, getMetadata(dependencies)),
      get('/geoip/databases/:edition/update', updateSchema, DATABASE, getUpdate(dependencies)),
      get('/geoip/databases/:edition/download', downloadSchema, DATABASE, getDownload(dependencies)),
      get('/app/geoip_download', directSchema, DIRECT, getDirectDownload(dependencies)),
    ].map((route) => ({ ...route, refusalText })),
    get('/v1/lists/:list', listSchema, LIST, getList(dependencies)),
    get('/v1/dataset', datasetSchema, declare('ip:read', 'dataset', 'lookup'), (request) =>
      envelope(request, datasetReport(requireDataset(live), live.versions, nowMs())),
    ),
    get('/v1/dataset/diff', datasetDiffSchema, declare('ip:read', 'dataset_diff', 'comparison'), async (ask, reply) =>
      sendJsonData(ask, reply, await diffVersions(live, datasetDiffs, ask.query, requesterOf(ask, reply))),
    ),
  ];
}
