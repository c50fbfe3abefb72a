/** Requests to the back end, typed by its contract. Every failure is thrown as a `Failure`. */
import type { ErrorCode } from '@whence/client/wire';
import {
  type Answer,
  CSRF_HEADER,
  type DashboardErrorCode,
  type Input,
  type RouteName,
  routes,
} from '@whence/server/dashboard-wire/contract';
import { readServerTime } from './server-clock.ts';

export type Envelope<Name extends RouteName> = {
  readonly data: Answer<Name>;
  readonly meta: Readonly<Record<string, unknown>>;
};

type LooseInput = {
  params?: Record<string, string>;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
};

export type Caller = <Name extends RouteName>(
  name: Name,
  input: Input<Name>,
  signal?: AbortSignal,
) => Promise<Envelope<Name>>;

/** `csrfToken` is called for every request, because signing in changes the token. */
export function createCaller(csrfToken: () => string): Caller {
  return async (name, input, signal) => {
    const { method } = routes[name];
    const { body } = input as LooseInput;
    const isChange = method !== 'GET';
    const response = await send(addressOf(name, input), {
      method,
      credentials: 'same-origin',
      headers: {
        Accept: 'application/json',
        ...(isChange ? { [CSRF_HEADER]: csrfToken() } : {}),
        ...(body === undefined || body instanceof Blob
          ? {}
          : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    readServerTime(response.headers.get('Date'));
    return (await readEnvelope(response)) as Envelope<typeof name>;
  };
}

export function addressOf<Name extends RouteName>(name: Name, input: Input<Name>): string {
  const { params = {}, query = {} } = input as LooseInput;
  const path = routes[name].path.replace(/:(\w+)/g, (_, key: string) =>
    encodeURIComponent(params[key] ?? ''),
  );
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(
    entries.map(([key, value]) => [key, String(value)]),
  ).toString();
  return search === '' ? path : `${path}?${search}`;
}

async function send(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Failure('The server cannot be reached', 'OFFLINE', {}, { cause: error });
  }
}

async function readEnvelope(response: Response): Promise<unknown> {
  const { status, headers } = response;
  const requestId = headers.get('X-Request-ID') ?? undefined;
  const body: unknown = await response.json().catch(() => undefined);
  if (!isEnvelope(body))
    throw new Failure(`The server responded with ${status} and no answer`, 'INVALID_RESPONSE', {
      status,
      requestId,
    });
  if (response.ok) return body;
  const {
    error = `The server responded with ${status}`,
    code = 'INVALID_RESPONSE',
    details = {},
  } = body.data as {
    error?: string;
    code?: FailureCode;
    details?: Failure['details'];
  };
  const retryAfter = Number(headers.get('Retry-After') ?? Number.NaN);
  const retryAfterSeconds = Number.isFinite(retryAfter) ? retryAfter : undefined;
  throw new Failure(error, code, { status, requestId, retryAfterSeconds, details });
}

function isEnvelope(body: unknown): body is { data: object; meta: object } {
  return (
    typeof body === 'object' &&
    body !== null &&
    'data' in body &&
    typeof body.data === 'object' &&
    body.data !== null
  );
}

type FailureCode = ErrorCode | DashboardErrorCode | 'OFFLINE' | 'INVALID_RESPONSE';
type FailureFields = Partial<
  Pick<Failure, 'status' | 'requestId' | 'retryAfterSeconds' | 'details'>
>;

/** Why a request failed: the server refused it, or could not be reached. */
export class Failure extends Error {
  override name = 'Failure';
  readonly code: FailureCode;
  /** 0 without a response. */
  readonly status: number = 0;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly details: Readonly<Record<string, unknown>> = {};

  constructor(
    message: string,
    code: FailureCode,
    fields: FailureFields = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = code;
    Object.assign(this, fields, { details: fields.details ?? {} });
  }
}

export function isFailure(error: unknown, ...codes: FailureCode[]): error is Failure {
  return error instanceof Failure && (codes.length === 0 || codes.includes(error.code));
}
