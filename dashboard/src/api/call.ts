/** One request to the back end: typed by its contract, with the CSRF token, with every failure as a `Failure`. */
import { type Contract, CSRF_HEADER, type RouteName, routes } from '@whence/server/dashboard-wire';
import { Failure, type FailureCode } from './failure.ts';

type Part<Name extends RouteName, Key extends string> = Contract[Name] extends { [K in Key]: infer Value }
  ? { [K in Key]: Value }
  : unknown;
export type Input<Name extends RouteName> = Part<Name, 'params'> & Part<Name, 'query'> & Part<Name, 'body'>;
export type Answer<Name extends RouteName> = Contract[Name]['answer'];

export type Answered<Name extends RouteName> = {
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
) => Promise<Answered<Name>>;

/** `csrfToken` is asked at each request: signing in changes it. */
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
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    return (await readEnvelope(response)) as Answered<typeof name>;
  };
}

export function addressOf<Name extends RouteName>(name: Name, input: Input<Name>): string {
  const { params = {}, query = {} } = input as LooseInput;
  const path = routes[name].path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? ''));
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(entries.map(([key, value]) => [key, String(value)])).toString();
  return search === '' ? path : `${path}?${search}`;
}

async function send(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Failure('The server cannot be reached', 'OFFLINE', { cause: error });
  }
}

async function readEnvelope(response: Response): Promise<unknown> {
  const requestId = response.headers.get('X-Request-ID') ?? undefined;
  const body: unknown = await response.json().catch(() => undefined);
  if (!isEnvelope(body)) {
    throw new Failure(`The server answered ${response.status} without JSON`, 'NOT_AN_ANSWER', {
      status: response.status,
      requestId,
    });
  }
  if (response.ok) return body;
  const { error, code, details } = body.data as { error?: string; code?: FailureCode; details?: object };
  const retryAfter = Number(response.headers.get('Retry-After') ?? Number.NaN);
  throw new Failure(error ?? `The server answered ${response.status}`, code ?? 'NOT_AN_ANSWER', {
    status: response.status,
    requestId,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
    details: details as Record<string, unknown> | undefined,
  });
}

function isEnvelope(body: unknown): body is { data: object; meta: object } {
  return typeof body === 'object' && body !== null && 'data' in body && typeof body.data === 'object';
}
