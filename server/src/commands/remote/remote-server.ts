/** A server that a command queries instead of the local dataset, through `@whence/client`. */
import { type Client, type ClientOptions, createClient, WhenceError } from '@whence/client';
import { CommandError, NegativeAnswer, UsageError } from '../../terminal/exit.ts';

export type RemoteServer = {
  readonly url: string;
  readonly apiKey: string;
  client(options?: Pick<ClientOptions, 'batchSize' | 'retries' | 'timeoutMs'>): Client;
};

export function openRemote(url: string, apiKey: string): RemoteServer {
  if (apiKey === '')
    throw new UsageError(`the server at ${url} needs an API key: set WHENCE_KEY, or give --key`);
  const client: RemoteServer['client'] = (more) => {
    try {
      return createClient({ baseUrl: url, apiKey, ...more });
    } catch (error) {
      // The message names the option of the client and does not quote it.
      const name = (error as Error).message.startsWith('apiKey')
        ? '--key or WHENCE_KEY'
        : '--url or WHENCE_URL';
      throw new UsageError(`${name}: ${(error as Error).message.replace(/^\w+ /, 'it ')}`);
    }
  };
  return { url, apiKey, client };
}

/**
 * Runs `ask`. A failure becomes a sentence that says what to do, unless `answered` makes it an
 * answer.
 */
export async function asking<Answer>(
  url: string,
  ask: () => Promise<Answer>,
  answered: (error: WhenceError) => Answer | undefined = () => undefined,
): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof WhenceError)) throw error;
    const answer = answered(error);
    if (answer !== undefined) return answer;
    const message = `${describe(error, url, new Date())}${error.requestId === '' ? '' : ` (request ${error.requestId})`}`;
    throw new (kindOf(error))(message);
  }
}

/** The exit code is the same as without a server. */
function kindOf({ status, code }: WhenceError) {
  // An option requests something that this server does not have, or refuses.
  if (status === 400 && code !== 'BAD_RESPONSE') return UsageError;
  if (status === 404 && code.endsWith('NOT_FOUND') && code !== 'ROUTE_NOT_FOUND')
    return NegativeAnswer;
  return CommandError;
}

function describe(error: WhenceError, url: string, now: Date): string {
  switch (error.code) {
    case 'NETWORK':
      return `cannot reach ${url}: ${causeOf(error)}`;
    case 'TIMEOUT':
      return `${url}: ${error.message}`;
    case 'BAD_RESPONSE':
      return `${url} is not a Whence server, or a proxy answered instead: ${error.message}`;
    case 'UNAUTHORIZED':
      return `${url} does not accept the API key; check --key or WHENCE_KEY`;
    case 'FORBIDDEN':
      return `the API key has no permission for this request at ${url}${detailsOf(error)}`;
    case 'RATE_LIMIT_EXCEEDED':
      return `the limit of the API key at ${url} is reached${resetOf(error, now)}`;
    default:
      return `${url} answered: ${error.message} (${error.code})${detailsOf(error)}`;
  }
}

/** fetch reports "fetch failed"; the reason is one or two causes below. */
function causeOf(error: Error): string {
  let deepest: Error = error;
  while (deepest.cause instanceof Error) deepest = deepest.cause;
  const { code, message } = deepest as NodeJS.ErrnoException;
  // OpenSSL's words for an answer in plain HTTP.
  if (message.includes('wrong version number')) return 'no TLS there; use http:, not https:';
  return message || code || error.message;
}

const detailsOf = ({ details }: WhenceError) =>
  details === undefined ? '' : `: ${JSON.stringify(details)}`;

function resetOf({ retryAfterMs }: WhenceError, now: Date): string {
  if (retryAfterMs === undefined) return '';
  return `; try again after ${new Date(now.getTime() + retryAfterMs).toISOString().replace(/\.\d+Z$/, 'Z')}`;
}
