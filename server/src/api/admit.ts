/**
 * The steps of admission on Node's path: where a request has its key, and what its answer says of
 * the limits.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Admission, Admitted, KeyRequester } from '../admission/admission.ts';
import type { KeyDeclaration } from '../admission/declaration.ts';
import { ApiError } from '../http/errors.ts';
import { disconnectSignal } from '../http/requests.ts';
import type { Key } from '../keys/key.ts';
import { deadlineOf, type Requester } from '../limits/cost-classes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    key: Key | undefined;
    chargedDay: string | undefined;
    /** As the process was when the request was admitted: work that has begun is not refused. */
    isWorkRefused: boolean;
  }
}

/**
 * Everything up to the cost class. Throws refusals after setting limit headers. A promise only if
 * storage is asked.
 */
export function admit(
  admission: Admission,
  request: FastifyRequest,
  reply: FastifyReply,
  declaration: KeyDeclaration,
  nowMs: number,
): Promise<void> | undefined {
  const apply = (admitted: Admitted | undefined) => {
    request.isWorkRefused = admission.refusesQueuedWork;
    if (admitted?.limit !== undefined) {
      reply
        .header('X-RateLimit-Limit', admitted.limit)
        .header('X-RateLimit-Remaining', admitted.remaining)
        .header('X-RateLimit-Reset', admitted.resetSeconds);
      request.key = admitted.key;
      request.chargedDay = admitted.chargedDay;
    }
    if (admitted?.refusal !== undefined) throw admitted.refusal;
  };
  const admitted = admission.admit(
    keyRequester(request, secretOf(request, declaration)),
    declaration,
    nowMs,
  );
  if (admitted instanceof Promise) return admitted.then(apply);
  apply(admitted);
  return undefined;
}

/** The first steps alone. */
export async function identify(
  admission: Admission,
  request: FastifyRequest,
  secret: unknown,
): Promise<void> {
  const key = await admission.identify(keyRequester(request, secret));
  if (key instanceof ApiError) throw key;
  request.key = key;
  request.isWorkRefused = admission.refusesQueuedWork;
}

/**
 * Header names are case-insensitive (RFC 9110 §5.1). A key elsewhere is not used, except where a
 * route says so.
 */
function keyRequester(request: FastifyRequest, secret: unknown): KeyRequester {
  return {
    kind: 'key',
    secret: typeof secret === 'string' ? secret : undefined,
    client: () => request.ip,
    waits: 'always',
  };
}

/**
 * Update programs and firewalls cannot send the header: a route may take the key from elsewhere
 * (RFC 7617 for Basic).
 */
function secretOf({ headers, query }: FastifyRequest, { keyIn = [] }: KeyDeclaration): unknown {
  const own = headers['x-api-key'];
  if (own !== undefined || keyIn.length === 0) return own;
  const password = basicPassword(headers.authorization);
  if (password !== undefined) return password;
  // The query is still text. The last of repeated values counts, as in `http/query`.
  return keyIn.includes('license_key')
    ? new URLSearchParams(query as string).getAll('license_key').at(-1)
    : undefined;
}

function basicPassword(authorization = ''): string | undefined {
  const [, credentials] = /^Basic +([\w+/=-]+)$/i.exec(authorization) ?? [];
  return (
    credentials &&
    Buffer.from(credentials, 'base64')
      .toString()
      .replace(/^[^:]*:/, '')
  );
}

export function refundRequest(
  admission: Admission,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { key, chargedDay } = request;
  if (key === undefined || chargedDay === undefined) return;
  request.chargedDay = undefined;
  const remaining = admission.refund(key, chargedDay);
  if (remaining !== undefined) reply.header('X-RateLimit-Remaining', remaining);
}

/**
 * A hook for routes that are charged for files only, or not at all: refunds every other request.
 */
export function refundUncharged(admission: Admission, { charges }: KeyDeclaration) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { statusCode } = reply;
    const isFile = (statusCode === 200 || statusCode === 206) && request.method !== 'HEAD';
    if (charges === 'nothing' || !isFile) refundRequest(admission, request, reply);
  };
}

/** To be called once for a request, when its work begins. */
export function requesterOf(
  {
    key,
    routeOptions,
    isWorkRefused,
  }: Pick<FastifyRequest, 'key' | 'routeOptions' | 'isWorkRefused'>,
  reply: FastifyReply,
): Requester {
  const costs = routeOptions.config.declaration?.costs ?? [];
  return {
    fairnessKey: key?.id ?? '',
    isRefused: isWorkRefused,
    signal: disconnectSignal(reply),
    costs,
    deadlineMs: deadlineOf(costs),
  };
}
