/**
 * Look-ups with the session in place of a key: counted for the account, and limited for it by day. Where the operator
 * allows them without an account, they are limited by client address; batches always need one.
 */
import { parsePrefixedAsn } from '@whence/dataset/as-number';
import { prefixLength } from '@whence/dataset/format';
import { formatPrefix, fromBigInt, parsePrefix } from '@whence/dataset/prefix';
import type { Dataset } from '@whence/dataset/read';
import { normalizeDomain } from '@whence/email/domain-name';
import { isSelector, MAX_SELECTORS, tidySelectors } from '@whence/email/selectors';
import type { FastifyReply } from 'fastify';
import { elapsedMs, envelope, sendJson } from '../../http/envelope.ts';
import { ApiError, errors } from '../../http/errors.ts';
import { GuessThrottle } from '../../keys/guess-throttle.ts';
import { evidenceOf, lookup, specialPurposeOf } from '../../lookup/lookup.ts';
import { connectionTypesOf, relatedNetworks } from '../../lookup/network-profile.ts';
import { summarizePrefix } from '../../lookup/prefix-summary.ts';
import { dayAt } from '../../quota/day.ts';
import type { NetworkCounts } from '../../usage/networks.ts';
import { creditsOf, limitsOf, requireDataset } from '../data/served-dataset.ts';
import type { RouteParts } from '../parts.ts';
import type { PublicAsk, Rows } from '../requests/ask.ts';
import { parseCount } from '../requests/parameters.ts';
import { DashboardRefusal, invalid } from '../requests/refusal.ts';
import { listOf, object, text } from '../requests/schemas.ts';
import type { RouteName } from '../wire.ts';
import {
  LOOK_UP_LEASE,
  LOOK_UPS_PER_DAY,
  MAX_BATCH,
  PUBLIC_LIMITS,
  PUBLIC_USAGE_ID,
  usageIdOf,
} from './lookup-limits.ts';

type Names = 'lookUpIp' | 'lookUpPrefix' | 'lookUpAsn' | 'searchAsn' | 'checkDomain' | 'lookUpBatch';

const DEFAULT_RESULTS = 20;
const MAX_RESULTS = 100;
const MAX_QUERY_CHARACTERS = 100;
/** Shorter prefixes hold more runs than a page could show. */
const MIN_LENGTH = { 4: 8, 6: 16 } as const;

export function lookupRoutes({ live, emailChecks, quota, usage, networks, nowMs, settings }: RouteParts): Rows<Names> {
  const access = settings.hasPublicLookUps ? 'public' : 'viewer';
  const visitors = new GuessThrottle(undefined, PUBLIC_LIMITS);

  /** Charges the account, or the address, and counts the answer under the name that the API has for it. */
  const charge = async (ask: Pick<PublicAsk<RouteName>, 'session' | 'reply' | 'client'>, endpoint: string) => {
    const { session, reply, client } = ask;
    const id = session === undefined ? PUBLIC_USAGE_ID : usageIdOf(session.account.id);
    reply.raw.once('finish', () => usage.count(id, endpoint, reply.statusCode, nowMs()));
    if (session === undefined) {
      if (visitors.attempt(client.address) === undefined) throw tooManyLookUps(1);
      return;
    }
    const spent = await quota.spend(id, { limit: LOOK_UPS_PER_DAY, lease: LOOK_UP_LEASE }, nowMs());
    if (!spent.isAllowed) throw tooManyLookUps(dayAt(nowMs()).endSeconds - Math.floor(nowMs() / 1000));
  };

  return {
    lookUpIp: {
      access,
      handler: async (ask: PublicAsk<'lookUpIp'>) => {
        await charge(ask, 'ip');
        const { dataset, version } = requireDataset(live);
        const found = lookup(dataset, ask.params.ip);
        if (found.kind === 'invalid') throw new ApiError('INVALID_IP');
        if (found.kind === 'not found') {
          const details = specialPurposeOf(found);
          throw new ApiError('IP_NOT_FOUND', {
            extra: details === undefined ? {} : { details },
            meta: { dataset_version: version },
          });
        }
        networks.count(dataset, found.address);
        const sources = new Map(dataset.meta.sources.map((source) => [source.id, source]));
        const evidence = evidenceOf(dataset, found).map((row) => {
          const { licence = '', credit = '' } = sources.get(row.source) ?? {};
          return { ...row, licence, credit };
        });
        const answer = {
          record: dataset.record(found.address, found.match),
          evidence,
          credits: creditsOf(dataset, new Set(evidence.map(({ source }) => source))),
          limits: limitsOf(dataset),
        };
        const { request, reply } = ask;
        return reply.send(envelope(request, answer, { request_id: request.id, dataset_version: version }));
      },
    },
    lookUpPrefix: {
      access,
      handler: async (ask: PublicAsk<'lookUpPrefix'>) => {
        await charge(ask, 'prefix');
        const { dataset } = requireDataset(live);
        const { address, length } = ask.params;
        const range = parsePrefix(`${address}/${length}`);
        if (range === undefined) throw invalid('/address', 'a prefix such as 192.0.2.0/24 or 2001:db8::/32');
        const minimum = MIN_LENGTH[range.version];
        if (Number(length) < minimum) throw invalid('/length', `at least /${minimum}`);
        const first = fromBigInt(range.start, range.version);
        const special = specialPurposeOf({ address: first });
        return {
          prefix: formatPrefix(first, Number(length)),
          ...summarizePrefix(dataset, range),
          ...coveredBy(dataset, first, Number(length)),
          ...(special === undefined ? {} : { special_purpose: special }),
          credits: creditsOf(dataset),
        };
      },
    },
    lookUpAsn: {
      access,
      handler: async (ask: PublicAsk<'lookUpAsn'>) => {
        await charge(ask, 'asn');
        const number = parsePrefixedAsn(ask.params.asn);
        if (number === undefined) throw new ApiError('INVALID_ASN');
        const { dataset, search } = requireDataset(live);
        const record = dataset.asn(number);
        if (record === undefined) throw new ApiError('ASN_NOT_FOUND');
        const prefixes = dataset.prefixesOf(number);
        const { shares, isSample } = connectionTypesOf(dataset, number, prefixes.ipv4);
        return {
          record: { ...record, prefixes },
          connection_types: shares,
          is_sample: isSample,
          related: relatedNetworks(search, record),
          credits: creditsOf(dataset),
        };
      },
    },
    searchAsn: {
      access,
      handler: async (ask: PublicAsk<'searchAsn'>) => {
        await charge(ask, 'asn_search');
        const { q = '', limit } = ask.query;
        if (q.trim() === '') throw new ApiError('MISSING_QUERY');
        if (q.length > MAX_QUERY_CHARACTERS) throw new ApiError('INVALID_QUERY');
        const { search } = requireDataset(live);
        return search.search(q, Math.max(1, parseCount('/limit', limit, DEFAULT_RESULTS, MAX_RESULTS)));
      },
    },
    checkDomain: {
      access,
      handler: async (ask: PublicAsk<'checkDomain'>) => {
        await charge(ask, 'email');
        const domain = normalizeDomain(ask.params.domain);
        if (domain === undefined) throw new ApiError('INVALID_DOMAIN');
        const selectors = parseSelectors(ask.query.selectors ?? '');
        const fairnessKey = ask.session === undefined ? ask.client.address : usageIdOf(ask.session.account.id);
        if (emailChecks.isFull(fairnessKey)) throw new ApiError('OVERLOADED', { headers: { 'Retry-After': '5' } });
        const included = parseIncluded(ask.query.include ?? '');
        const examination = await emailChecks.check(domain, {
          fairnessKey,
          selectors,
          signal: whenGone(ask.reply),
          hasTransport: included.has('transport'),
          networksFrom: included.has('networks') ? requireDataset(live).dataset : undefined,
        });
        if (examination === undefined || examination.isDnsUnavailable) {
          throw new ApiError('DNS_UNAVAILABLE', { headers: { 'Retry-After': '5' } });
        }
        // Loaded for the first check, not before the server listens.
        const { describeExamination } = await import('./domain-report.ts');
        return describeExamination(examination);
      },
    },
    lookUpBatch: {
      access: 'viewer',
      bodySchema: object({ ips: { ...listOf(text(1_000), MAX_BATCH), minItems: 1 } }),
      handler: async (ask) => {
        await charge(ask, 'batch');
        const { dataset } = requireDataset(live);
        const { request, reply } = ask;
        // As text: a submitted `__proto__` is a key like any other.
        const entries = [...new Set(ask.body.ips)].map(
          (ip) => `${JSON.stringify(ip)}:${entryOf(dataset, networks, ip)}`,
        );
        const meta = `{"request_id":"${request.id}","processing_time_ms":${elapsedMs(request)}}`;
        return sendJson(reply, `{"data":{${entries.join(',')}},"meta":${meta}}`);
      },
    },
  };
}

const INCLUDABLE = ['transport', 'networks'];

function parseIncluded(list: string): ReadonlySet<string> {
  const names = list.split(',').filter((name) => name !== '');
  if (!names.every((name) => INCLUDABLE.includes(name))) throw invalid('/include', INCLUDABLE.join(', '));
  return new Set(names);
}

function tooManyLookUps(seconds: number): DashboardRefusal {
  return new DashboardRefusal('RATE_LIMIT_EXCEEDED', { headers: { 'Retry-After': String(Math.max(1, seconds)) } });
}

const INVALID = JSON.stringify({ error: errors.INVALID_IP.text, code: 'INVALID_IP' });
const NOT_FOUND = JSON.stringify({ error: errors.IP_NOT_FOUND.text, code: errors.IP_NOT_FOUND.code });

function entryOf(dataset: Dataset, networks: NetworkCounts, ip: string): string {
  const found = lookup(dataset, ip);
  if (found.kind === 'found') {
    networks.count(dataset, found.address);
    return dataset.json(found.address, found.match);
  }
  return found.kind === 'invalid' ? INVALID : NOT_FOUND;
}

/** The announced prefix that contains all of this one, where its first address has one. */
function coveredBy(dataset: Dataset, first: ReturnType<typeof fromBigInt>, length: number) {
  const match = dataset.find(first);
  if (match === 0 || prefixLength(match) > length) return {};
  const { prefix, asn, asn_name } = dataset.record(first, match);
  return { covered_by: { prefix, asn, asn_name } };
}

function parseSelectors(list: string): string[] | undefined {
  const selectors = tidySelectors(list.split(','));
  if (selectors.length === 0) return undefined;
  if (selectors.length > MAX_SELECTORS) {
    throw new ApiError('TOO_MANY_SELECTORS', { extra: { details: { limit: MAX_SELECTORS } } });
  }
  if (!selectors.every(isSelector)) throw new ApiError('INVALID_SELECTOR');
  return selectors;
}

/** Aborts when the browser goes elsewhere before it is answered. */
function whenGone({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
