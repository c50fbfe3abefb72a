// Files under one URL: `https:`, `http:` or `file:`. Failures begin with the URL, without
// credentials and query.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DatasetError } from '../dataset-error.ts';
import type { Network } from '../io/download/connection.ts';
import { formatStatus } from '../io/download/connection-error.ts';
import { displayUrl, userAgent } from '../io/download/credentials.ts';
import { BodyError, httpGet } from '../io/download/http-get.ts';
import { type TransferLimits, TransferTimeouts } from '../io/download/transfer-timeouts.ts';
import { openRegular, UnusableFile } from '../io/files.ts';
import { formatSize } from '../io/format-size.ts';

/** The host or the network failed: what was received so far is valid and can be continued. */
export class HostError extends DatasetError {}

type Wanted = {
  readonly etag?: string | undefined;
  readonly offset?: number;
  readonly maxBytes: number;
  readonly limits: TransferLimits;
  readonly stop?: AbortSignal | undefined;
};

type Answer =
  | { readonly kind: 'not-modified' }
  /** `offset` is 0 if the host does not support ranges. */
  | {
      readonly kind: 'body';
      readonly offset: number;
      readonly etag: string | undefined;
      readonly body: AsyncIterable<Uint8Array>;
    };

export type StaticHost = {
  /** The URL of a file, without credentials, for logs and messages. */
  describe(name: string): string;
  /** Requests a file and lets `use` read the answer; the timeouts apply until `use` is done. */
  get<T>(name: string, wanted: Wanted, use: (answer: Answer) => Promise<T>): Promise<T>;
};

/** `base`: an `http:`, `https:` or `file:` URL, the last without a host. */
export function staticHost(base: URL, network?: Network): StaticHost {
  if (base.protocol === 'file:') {
    const folder = fileURLToPath(base);
    return {
      describe: (name) => join(folder, name),
      get: (name, wanted, use) =>
        withTimeouts(wanted, (timeouts) =>
          use(openFile(join(folder, name), wanted, timeouts.signal)),
        ),
    };
  }
  const locate = (name: string) => {
    const url = new URL(base);
    url.pathname = `${base.pathname.replace(/\/+$/, '')}/${name}`;
    return url;
  };
  return {
    describe: (name) => displayUrl(locate(name)),
    get: (name, wanted, use) =>
      withTimeouts(wanted, async (timeouts) =>
        use(await openHttp(locate(name), wanted, timeouts, network)),
      ),
  };
}

async function withTimeouts<T>(
  { limits, stop }: Wanted,
  work: (timeouts: TransferTimeouts) => Promise<T>,
): Promise<T> {
  const timeouts = new TransferTimeouts(limits, stop);
  try {
    return await work(timeouts);
  } finally {
    timeouts.end();
  }
}

async function openHttp(
  url: URL,
  wanted: Wanted,
  timeouts: TransferTimeouts,
  network: Network | undefined,
): Promise<Answer> {
  const { etag, offset = 0, maxBytes } = wanted;
  const fault = (reason: string) => new HostError(`${displayUrl(url)}: ${reason}`);
  const headers = {
    'user-agent': userAgent(undefined),
    // Digests and ranges refer to the file without a content coding.
    'accept-encoding': 'identity',
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(offset > 0 && { range: `bytes=${offset}-` }),
  };
  const answer = await httpGet(url, { headers, timeouts, network });
  if (answer.kind === 'failure') throw fault(answer.reason);
  const { status } = answer;
  if (status === 200 || (status === 206 && offset > 0)) {
    const isPart = status === 206;
    if (isPart && answer.headers['content-range']?.startsWith(`bytes ${offset}-`) !== true) {
      answer.close();
      throw fault('the server sent a different part of the file than was requested');
    }
    const body = withFaults(answer.body(isPart ? maxBytes - offset : maxBytes), fault);
    return { kind: 'body', offset: isPart ? offset : 0, etag: answer.headers.etag, body };
  }
  answer.close();
  if (status === 304 && etag !== undefined) return { kind: 'not-modified' };
  if (status === 416 && offset > 0)
    return openHttp(url, { ...wanted, offset: 0 }, timeouts, network);
  const advice =
    status === 401 || status === 403
      ? '; user name and password in the URL are missing or wrong'
      : '';
  throw fault(`the server ${formatStatus(status)}${advice}`);
}

async function* withFaults(
  body: AsyncIterable<Uint8Array>,
  fault: (reason: string) => HostError,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    throw error.cut === 'too large'
      ? new DatasetError(fault(error.message).message)
      : fault(error.message);
  }
}

function openFile(path: string, { offset = 0, maxBytes }: Wanted, signal: AbortSignal): Answer {
  return {
    kind: 'body',
    offset,
    etag: undefined,
    body: readFile(path, offset, maxBytes - offset, signal),
  };
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'is a folder',
};

async function* readFile(
  path: string,
  start: number,
  maxBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    const file = await openRegular(path);
    for await (const chunk of file.createReadStream({ start, signal })) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new DatasetError(`${path}: larger than ${formatSize(maxBytes)}`);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof DatasetError) throw error;
    if (error instanceof UnusableFile) throw new HostError(`${path}: ${error.message}`);
    if (signal.aborted) throw new HostError(`${path}: ${signal.reason.message}`);
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new HostError(`${path}: ${FILE_ERRORS[code] ?? `cannot be read: ${message}`}`);
  }
}
