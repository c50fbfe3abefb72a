/** The steps of admission on Node's path: where a request has its key, and what its answer says of the limits. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Admission } from '../admission/admission.ts';
import type { KeyDeclaration } from '../admission/declaration.ts';
import { ApiError } from '../http/errors.ts';
import { disconnectSignal } from '../http/requests.ts';
import type { Key } from '../keys/key.ts';
import { SECRET_PREFIX } from '../keys/secret.ts';
import type { Requester } from '../limits/cost-classes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    key: Key | undefined;
    /** The day that this request was charged to; undefined if none. */
    chargedDay: string | undefined;
  }
}

/** Everything up to the cost class. A refusal is thrown once the headers of the limit are set. */
export async function admit(
  admission: Admission,
  request: FastifyRequest,
  reply: FastifyReply,
  declaration: KeyDeclaration,
  nowMs: number,
): Promise<void> {
  await identify(admission, request);
  const { key } = request;
  if (key === undefined) return;
  const { limit, remaining, resetSeconds, chargedDay, refusal } = await admission.charge(key, declaration, nowMs);
  reply
    .header('X-RateLimit-Limit', limit)
    .header('X-RateLimit-Remaining', remaining)
    .header('X-RateLimit-Reset', resetSeconds);
  request.chargedDay = chargedDay;
  if (refusal !== undefined) throw refusal;
}

/** Header names are case-insensitive (RFC 9110 §5.1). A key elsewhere is not used, except by MCP. */
export async function identify(
  admission: Admission,
  request: FastifyRequest,
  secret: unknown = request.headers['x-api-key'],
): Promise<void> {
  admission.requireCapacity();
  if (typeof secret !== 'string') throw new ApiError('UNAUTHORIZED', { extra: misplacedKey(request) });
  request.key = await admission.findKey(secret, request.ip);
}

/** The most frequent mistake of new clients: the key as a bearer token or in the query. */
function misplacedKey({ headers, query }: FastifyRequest): { details?: { hint: string } } {
  const token = headers.authorization?.replace(/^Bearer +/i, '');
  const candidates = [token, ...Object.values(query as Record<string, unknown>)];
  const isMisplaced = candidates.some((text) => typeof text === 'string' && text.startsWith(SECRET_PREFIX));
  return isMisplaced ? { details: { hint: 'send the key in the header X-API-Key' } } : {};
}

export function refundRequest(admission: Admission, request: FastifyRequest, reply: FastifyReply): void {
  const { key, chargedDay } = request;
  if (key === undefined || chargedDay === undefined) return;
  request.chargedDay = undefined;
  const remaining = admission.refund(key, chargedDay);
  if (remaining !== undefined) reply.header('X-RateLimit-Remaining', remaining);
}

/** Who waits in the queue of a cost class. */
export function requesterOf(
  { key, routeOptions }: Pick<FastifyRequest, 'key' | 'routeOptions'>,
  reply: FastifyReply,
): Requester {
  const costs = routeOptions.config.declaration?.costs ?? [];
  return { fairnessKey: key?.id ?? '', signal: disconnectSignal(reply), costs };
}
