/**
 * `GET /v1/email/domain/{domain}/dns`: MX, SPF, DKIM and DMARC of a domain, with score and recommendations; on request
 * also what protects its mail on the way, and the networks that carry it.
 */
import { normalizeDomain } from '@whence/email/domain-name';
import { isSelector, MAX_SELECTORS, tidySelectors } from '@whence/email/selectors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { envelope } from '../http/envelope.ts';
import { ApiError } from '../http/errors.ts';
import type { EmailChecks } from '../lookup/email-checks.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import { requireDataset } from './ip.ts';

type EmailRequest = FastifyRequest<{
  Params: { domain: string };
  Querystring: { selectors?: string; include?: string };
}>;

export function getEmailDomain(checks: EmailChecks, live: LiveDataset) {
  return async (request: EmailRequest, reply: FastifyReply) => {
    const { domain: text } = request.params;
    if (text.trim() === '') throw new ApiError('MISSING_DOMAIN');
    const domain = normalizeDomain(text);
    if (domain === undefined) throw new ApiError('INVALID_DOMAIN');
    const selectors = parseSelectors(request.query.selectors ?? '');
    const included = parseIncluded(request.query.include ?? '');
    const networksFrom = included.has('networks') ? requireDataset(live).dataset : undefined;
    const fairnessKey = request.key?.id ?? '';
    if (checks.isFull(fairnessKey)) throw new ApiError('OVERLOADED', { headers: { 'Retry-After': '5' } });
    const checked = await checks.check(domain, {
      fairnessKey,
      selectors,
      signal: whenGone(reply),
      hasTransport: included.has('transport'),
      networksFrom,
    });
    if (checked === undefined || checked.isDnsUnavailable)
      throw new ApiError('DNS_UNAVAILABLE', { headers: { 'Retry-After': '5' } });
    return envelope(request, checked.answer);
  };
}

/** Undefined means the common selectors. Repetitions are dropped, in any case. */
export function parseSelectors(text: string): string[] | undefined {
  const selectors = tidySelectors(text.split(','));
  if (selectors.length === 0) return undefined;
  if (selectors.length > MAX_SELECTORS) {
    throw new ApiError('TOO_MANY_SELECTORS', { extra: { details: { limit: MAX_SELECTORS } } });
  }
  if (!selectors.every(isSelector)) throw new ApiError('INVALID_SELECTOR');
  return selectors;
}

export const INCLUDABLE = ['transport', 'networks'] as const;
type Includable = (typeof INCLUDABLE)[number];

/** Names separated by commas. A name that is not known is refused, so that a typing error is noticed. */
function parseIncluded(text: string): ReadonlySet<Includable> {
  const names = text.split(',').map((name) => name.trim());
  const known = names.filter((name): name is Includable => INCLUDABLE.some((includable) => includable === name));
  if (known.length < names.filter((name) => name !== '').length)
    throw new ApiError('INVALID_INCLUDE', { extra: { details: { allowed: INCLUDABLE } } });
  return new Set(known);
}

/** Aborts when the client disconnects before it is answered. */
function whenGone({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
