/** `GET /v1/decide`: whether a request may pass, for `auth_request`, `forward_auth` and the like. */
import proxyAddr from '@fastify/proxy-addr';
import { type Address, parseAddress } from '@whence/dataset/address';
import { explain as evidenceOf } from '@whence/dataset/internal/lookup/evidence';
import { FLAGS } from '@whence/dataset/record';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyDeclaration } from '../admission/declaration.ts';
import { envelope } from '../http/envelope.ts';
import { ApiError, DENIED } from '../http/errors.ts';
import type { RequestOf } from '../http/json-schema.ts';
import { parseSwitch } from '../http/requests.ts';
import { parseClient } from '../limits/client.ts';
import type { ServedDataset } from '../lookup/live-dataset.ts';
import { requireDataset } from '../lookup/lookup-requests.ts';
import type { Metrics } from '../metrics/metrics.ts';
import {
  type AskedRequest,
  type Decider,
  type Decision,
  type Facts,
  factsOf,
  ruleRecord,
  unknownFlagsOf,
} from '../rules/decide.ts';
import { type LiveRules, NO_RULES } from '../rules/live-rules.ts';
import { bytesOf } from '../rules/request-facts.ts';
import { DEFAULT_SET, FORBIDDEN_STATUS } from '../rules/rule-sets.ts';
import type { RouteDependencies } from './dependencies.ts';
import { decideSchema } from './schemas/decide.ts';

export const DECIDE: KeyDeclaration = { access: 'decide:read', counts: 'decide', costs: ['lookup'] };

export type AskedDecision = Omit<AskedRequest, 'address'> & {
  readonly address: Address | undefined;
  readonly set: string | undefined;
  readonly mistake: { readonly parameter: string; readonly expected: string } | undefined;
};

const PARAMETERS: readonly string[] = Object.keys(decideSchema.querystring.properties);
const NO_PARAMETERS: RequestOf<typeof decideSchema>['query'] = {};

// Elsewhere the last of equal parameters counts. Here an unescaped path could bring another address, and a proxy that
// replaces only the path leaves the client's query in the question.
function mistakeIn(query: URLSearchParams, uri = ''): AskedDecision['mistake'] {
  const names = [...query.keys()];
  const repeated = names.find((name, i) => names.indexOf(name) < i);
  if (repeated !== undefined) return { parameter: repeated, expected: 'once' };
  const ofClient = new URLSearchParams(queryOf(uri));
  const parameter = PARAMETERS.find((name) => query.has(name) && query.get(name) === ofClient.get(name));
  return parameter === undefined ? undefined : { parameter, expected: 'another value than in X-Forwarded-Uri' };
}

const queryOf = (uri: string) => uri.replace(/^[^?]*\??/, '');

type ForwardedName = 'host' | 'uri' | 'method';

/** What the parameters say, which are text, and otherwise the headers of a trusted proxy, which are bytes. */
export function askedRequest(
  text: string,
  forwarded: (name: ForwardedName) => string | undefined,
  client: () => string,
): AskedDecision & { readonly explain: string | undefined } {
  const query = text === '' ? undefined : new URLSearchParams(text);
  const { ip, host, path, method, set, explain } = query === undefined ? NO_PARAMETERS : Object.fromEntries(query);
  return {
    address: ip === undefined ? parseClient(client()) : parseAddress(ip),
    host: host === undefined ? forwarded('host') : bytesOf(host),
    path: path === undefined ? forwarded('uri') : bytesOf(path),
    method: method ?? forwarded('method'),
    set,
    explain,
    mistake: query && mistakeIn(query, forwarded('uri')),
  };
}

// Created once: an error captures its stack, which costs as much as a lookup.
const INVALID_IP = new ApiError('INVALID_IP', { headers: DENIED });
const RULES_UNAVAILABLE = new ApiError('RULES_UNAVAILABLE');

export function getDecision({ live, metrics, rules, trustProxy }: RouteDependencies) {
  const isTrusted = proxyAddr.compile([...trustProxy]);
  return (request: FastifyRequest, reply: FastifyReply) => {
    const served = requireDataset(live);
    const { headersDistinct, socket } = request.raw;
    const isForwarded = trustProxy.length > 0 && isTrusted(socket.remoteAddress ?? '', 0);
    // The proxy appends its own to one that the client has sent.
    const forwarded = (name: ForwardedName) =>
      isForwarded ? headersDistinct[`x-forwarded-${name}`]?.at(-1) : undefined;
    const asked = askedRequest(queryOf(request.originalUrl), forwarded, () => request.ip);
    const decided = decide(rules, served, asked);
    if (decided instanceof ApiError) throw decided;
    const isExplained = parseSwitch('explain', asked.explain);
    countDecision(metrics, decided);
    const { status, headers, body } = decisionAnswer(decided);
    reply.headers(Object.fromEntries(headers));
    if (isExplained) return envelope(request, explain(served, decided));
    // RFC 9110 §8.3: a type describes content, and 204 has none.
    return (body === undefined ? reply.removeHeader('Content-Type') : reply.type(TEXT)).code(status).send(body);
  };
}

type Decided = { readonly decision: Decision; readonly decider: Decider; readonly facts: Facts };

export function decide(
  rules: LiveRules | undefined,
  served: ServedDataset,
  { address, host, path, method, set = DEFAULT_SET, mistake }: AskedDecision,
): Decided | ApiError {
  if (mistake !== undefined) return new ApiError('INVALID_QUERY', { headers: DENIED, extra: { details: mistake } });
  if (address === undefined) return INVALID_IP;
  if (rules?.isUnavailable === true) return RULES_UNAVAILABLE;
  const decider = rules?.decider(set, served);
  if (decider === undefined)
    return new ApiError('RULE_SET_NOT_FOUND', {
      extra: { details: { sets: [...(rules?.file?.sets.keys() ?? [])], ...(rules === undefined && NO_RULES) } },
    });
  const { dataset } = served;
  const match = dataset.find(address);
  const record = match === 0 ? undefined : ruleRecord(dataset, match);
  const facts = factsOf({ address, host, path, method }, record);
  return { decision: decider.decide(facts), decider, facts };
}

export function countDecision(metrics: Metrics, { decider, decision: { decision, rule } }: Decided): void {
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

export function decisionAnswer({ decision: { decision, rule }, facts: { record } }: Decided): DecisionAnswer {
  const headers: [string, string | number][] = [['x-whence-decision', decision]];
  if (rule !== undefined) headers.push(['x-whence-rule', rule.name]);
  if (record !== undefined) {
    const { asn, country, connection_type: type, detection, threat } = record;
    if (country !== '') headers.push(['x-whence-country', country]);
    headers.push(['x-whence-asn', asn], ['x-whence-type', type]);
    const flags = FLAGS.filter((flag) => detection[flag]);
    if (flags.length > 0) headers.push(['x-whence-flags', flags.map((flag) => flag.slice('is_'.length)).join()]);
    headers.push(['x-whence-score', threat.score]);
  }
  if (decision !== 'deny') return { status: 204, headers, body: undefined };
  const { status = FORBIDDEN_STATUS, text = '' } = rule ?? {};
  return { status, headers, body: text === '' ? '' : `${text}\n` };
}

function explain({ dataset }: ServedDataset, { decision: { decision, rule }, decider, facts }: Decided): object {
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
