/** A server that a command asks instead of the local dataset, through `@whence/client`. */
import { type Client, type ClientOptions, createClient, WhenceError } from '@whence/client';
import type { Environment } from '../../settings/config.ts';
import { CommandError, UsageError } from '../../terminal/exit.ts';
import type { RemoteOptions } from './remote-options.ts';
import { remoteUrl } from './remote-options.ts';

export type RemoteServer = {
  readonly url: string;
  client(options?: Pick<ClientOptions, 'batchSize'>): Client;
};

export function openRemote(options: RemoteOptions, environment: Environment): RemoteServer {
  const url = remoteUrl(options, environment) ?? '';
  const apiKey = options.key ?? environment['WHENCE_KEY'] ?? '';
  if (apiKey === '') throw new UsageError(`the server at ${url} needs an API key: set WHENCE_KEY, or give --key`);
  const client: RemoteServer['client'] = (more) => {
    try {
      return createClient({ baseUrl: url, apiKey, ...more });
    } catch (error) {
      // The message names the option of the client and does not quote it.
      const name = (error as Error).message.startsWith('apiKey') ? '--key or WHENCE_KEY' : '--url or WHENCE_URL';
      throw new UsageError(`${name}: ${(error as Error).message.replace(/^\w+ /, 'it ')}`);
    }
  };
  return { url, client };
}

/** The failure of a request as a sentence that says what to do. Other errors are returned unchanged. */
export function remoteError(error: unknown, url: string, now: Date): unknown {
  if (!(error instanceof WhenceError)) return error;
  return new CommandError(
    `${describe(error, url, now)}${error.requestId === '' ? '' : ` (request ${error.requestId})`}`,
  );
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
  return message || code || error.message;
}

const detailsOf = ({ details }: WhenceError) => (details === undefined ? '' : `: ${JSON.stringify(details)}`);

function resetOf({ retryAfterMs }: WhenceError, now: Date): string {
  if (retryAfterMs === undefined) return '';
  return `; try again after ${new Date(now.getTime() + retryAfterMs).toISOString().replace(/\.\d+Z$/, 'Z')}`;
}
