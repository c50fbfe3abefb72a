/**
 * `GET /v1/decide`: whether a request may pass, for `auth_request`, `forward_auth` and the like.
 */
import proxyAddr from '@fastify/proxy-addr';
import { type Address, parseAddress } from '@whence/dataset/address';
import { explain as evidenceOf } from '@whence/dataset/evidence';
import { FLAGS, type ThreatGap } from '@whence/dataset/record';
import type { FastifyReply } from 'fastify';
import type { KeyDeclaration } from '../admission/declaration.ts';
import { envelope } from '../http/envelope.ts';
import { ApiError, DENIED } from '../http/errors.ts';
import type { QueryOf, RequestOf } from '../http/json-schema.ts';
import { type QueryMistake, queryReader, queryRefusal } from '../http/query.ts';
import { parseClient } from '../limits/client.ts';
import type { LiveDataset, ServedDataset } from '../lookup/live-dataset.ts';
import { requireDataset } from '../lookup/lookup-requests.ts';
import type { Metrics } from '../metrics/metrics.ts';
import {
  type Decider,
  type Decision,
  type Facts,
  factsOf,
  type RequestFields,
  ruleRecord,
  unknownFlagsOf,
} from '../rules/decide.ts';
import { type LiveRules, NO_RULES } from '../rules/live-rules.ts';
import { bytesOf } from '../rules/request-facts.ts';
import { DEFAULT_SET, FORBIDDEN_STATUS } from '../rules/rule-sets.ts';
import { decideSchema } from './schemas/decide.ts';

export const DECIDE: KeyDeclaration = {
  access: 'decide:read',
  counts: 'decide',
  costs: ['lookup'],
};

export type RequestToDecide = Omit<RequestFields, 'address'> & {
  readonly address: Address | undefined;
  readonly set: string | undefined;
  readonly mistake: QueryMistake | undefined;
};

/** Reads a query of the fast path. */
export const DECISION_QUERY = queryReader(decideSchema.querystring);
type DecisionParameters = QueryOf<typeof decideSchema.querystring>;
/** Reads the query that a client has sent to a proxy, which may have anything. */
const CLIENT_QUERY = queryReader(decideSchema.querystring, 'ignored');

// A proxy that replaces only the path leaves the client's query in the question.
function takenFromClient(query: DecisionParameters, uri: string): QueryMistake | undefined {
  const queryAt = uri.indexOf('?');
  if (queryAt === -1) return undefined;
  const ofClient = CLIENT_QUERY.read(uri.slice(queryAt + 1)).values;
  const names = Object.keys(query) as (keyof DecisionParameters)[];
  const parameter = names.find((name) => query[name] === ofClient[name]);
  if (parameter === undefined) return undefined;
  const expected = 'another value than in X-Forwarded-Uri';
  return { name: 'INVALID_QUERY', details: { parameter, expected } };
}

type ForwardedName = 'host' | 'uri' | 'method';

/**
 * What the parameters say, which are text, and otherwise the headers of a trusted proxy, which are
 * bytes.
 */
export function requestToDecide(
  query: DecisionParameters,
  forwarded: (name: ForwardedName) => string | undefined,
  client: () => string,
): RequestToDecide {
  const { ip, host, path, method, set } = query;
  return {
    address: ip === undefined ? parseClient(client()) : parseAddress(ip),
    host: host === undefined ? forwarded('host') : bytesOf(host),
    path: path === undefined ? forwarded('uri') : bytesOf(path),
    method: method ?? forwarded('method'),
    set,
    mistake: takenFromClient(query, forwarded('uri') ?? ''),
  };
}

// Created once: an error captures its stack, which costs as much as a lookup.
const INVALID_IP = new ApiError('INVALID_IP', { headers: DENIED });
const RULES_UNAVAILABLE = new ApiError('RULES_UNAVAILABLE');

type DecisionDependencies = {
  readonly live: Pick<LiveDataset, 'current'>;
  readonly metrics: Pick<Metrics, 'countDecision'>;
  readonly rules: LiveRules | undefined;
  /** Addresses of proxies whose forwarding headers are trusted. */
  readonly trustProxy: readonly string[];
};

export function getDecision({ live, metrics, rules, trustProxy }: DecisionDependencies) {
  const isTrusted = proxyAddr.compile([...trustProxy]);
  return (request: RequestOf<typeof decideSchema>, reply: FastifyReply) => {
    const served = requireDataset(live);
    const { headersDistinct, socket } = request.raw;
    const isForwarded = trustProxy.length > 0 && isTrusted(socket.remoteAddress ?? '', 0);
    // The proxy appends its own to one that the client has sent.
    const forwarded = (name: ForwardedName) =>
      isForwarded ? headersDistinct[`x-forwarded-${name}`]?.at(-1) : undefined;
    const facts = requestToDecide(request.query, forwarded, () => request.ip);
    const decided = decide(rules, served, facts);
    if (decided instanceof ApiError) throw decided;
    countDecision(metrics, decided);
    const { status, headers, body } = decisionAnswer(decided);
    reply.headers(Object.fromEntries(headers));
    if (request.query.explain === true) return envelope(request, explain(served, decided));
    // RFC 9110 §8.3: a type describes content, and 204 has none.
    return (body === undefined ? reply.removeHeader('Content-Type') : reply.type(TEXT))
      .code(status)
      .send(body);
  };
}

type Decided = {
  readonly decision: Decision;
  readonly decider: Decider;
  readonly facts: Facts;
  /** Why the score may be too low. */
  readonly gap: ThreatGap | undefined;
};

export function decide(
  rules: LiveRules | undefined,
  served: ServedDataset,
  { address, host, path, method, set = DEFAULT_SET, mistake }: RequestToDecide,
): Decided | ApiError {
  if (mistake !== undefined) return queryRefusal(mistake, DENIED);
  if (address === undefined) return INVALID_IP;
  if (rules?.isUnavailable === true) return RULES_UNAVAILABLE;
  const decider = rules?.decider(set, served);
  if (decider === undefined)
    return new ApiError('RULE_SET_NOT_FOUND', {
      extra: {
        details: {
          sets: [...(rules?.file?.sets.keys() ?? [])],
          ...(rules === undefined && NO_RULES),
        },
      },
    });
  const { dataset } = served;
  const match = dataset.find(address);
  const record = match === 0 ? undefined : ruleRecord(dataset, match);
  const facts = factsOf({ address, host, path, method }, record);
  const gap = match === 0 ? undefined : dataset.threatGap(address.version, match);
  return { decision: decider.decide(facts), decider, facts, gap };
}

export function countDecision(
  metrics: Pick<Metrics, 'countDecision'>,
  { decider, decision: { decision, rule } }: Decided,
): void {
  metrics.countDecision(decider.set.name, rule?.name ?? '', decision);
}

export const TEXT = 'text/plain; charset=utf-8';

type DecisionAnswer = {
  readonly status: number;
  /** Those of what is not known are absent. */
  readonly headers: readonly (readonly [name: string, value: string | number])[];
  /** A TEXT; undefined for 204. */
  readonly body: string | undefined;
};

export function decisionAnswer({
  decision: { decision, rule },
  facts: { record },
  gap,
}: Decided): DecisionAnswer {
  const headers: [string, string | number][] = [['x-whence-decision', decision]];
  if (rule !== undefined) headers.push(['x-whence-rule', rule.name]);
  if (record !== undefined) {
    const { asn, country, connection_type: type, detection, threat } = record;
    if (country !== '') headers.push(['x-whence-country', country]);
    headers.push(['x-whence-asn', asn], ['x-whence-type', type]);
    const flags = FLAGS.filter((flag) => detection[flag]);
    if (flags.length > 0)
      headers.push(['x-whence-flags', flags.map((flag) => flag.slice('is_'.length)).join()]);
    if (gap === undefined || threat.score > 0) headers.push(['x-whence-score', threat.score]);
  }
  if (decision !== 'deny') return { status: 204, headers, body: undefined };
  const { status = FORBIDDEN_STATUS, text = '' } = rule ?? {};
  return { status, headers, body: text === '' ? '' : `${text}\n` };
}

function explain(
  { dataset }: ServedDataset,
  { decision: { decision, rule }, decider, facts }: Decided,
): object {
  const { address } = facts;
  const match = dataset.find(address);
  return {
    decision,
    ...(rule && { rule: rule.name, matched: decider.explain(rule, facts) }),
    ...(match !== 0 && {
      record: dataset.record(address, match),
      evidence: evidenceOf(dataset, address, match),
    }),
    not_known: [...unknownFlagsOf(dataset)].map((flag) => flag.replace(/^is_/, '')),
  };
}
