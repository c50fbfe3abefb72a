// Model Context Protocol messages (https://modelcontextprotocol.io, JSON-RPC 2.0). Reads only
// members that an answer depends on. Up to 2025-11-25 a client begins with `initialize`, and may
// name the version in a header; from 2026-07-28 each request names it in `params._meta`, and over
// HTTP also in headers.
import { isObject } from '../../http/validators.ts';
import { packageVersion } from '../../version.ts';

/** That `initialize` may agree on, the preferred one first. */
const HANDSHAKE_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];
/** Without a handshake; versions are dates, so later ones compare as greater. */
export const STATELESS_VERSION = '2026-07-28';

const META = 'io.modelcontextprotocol/';
const VERSION_KEY = `${META}protocolVersion`;
const CAPABILITIES_KEY = `${META}clientCapabilities`;
const SERVER_INFO = { name: 'whence', title: 'Whence', version: packageVersion() };

/** JSON-RPC 2.0 §5.1, and those of the protocol. */
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
export const PARSE_ERROR = -32700;
const BAD_VERSION_HEADER = -32000;
const HEADER_MISMATCH = -32020;
const UNSUPPORTED_VERSION = -32022;

/** A message that is no call of a tool. */
const MAX_OTHER_BYTES = 8 * 1024;
/** Members, elements and nested values: twice what a call with the largest batch has. */
const MAX_VALUES = 2_000;
export const MESSAGE_LIMITS = 'at most 8 KiB, or a tools/call with at most 2,000 values';
/** An id is repeated in the answer, so it is short. */
const MAX_ID_CHARACTERS = 100;
/** Characters of a name or version that an error repeats. */
const MAX_SHOWN_CHARACTERS = 60;

/** What the transport says beside the message; standard input says nothing. */
export type McpHeaders = {
  readonly version?: unknown;
  readonly method?: unknown;
  readonly name?: unknown;
};

export type McpRequest = {
  readonly id: string | number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly isStateless: boolean;
};

export type Answer = { readonly status: number; readonly text?: string };

type Parsed = { readonly value: unknown } | { readonly problem: 'too large' | 'not JSON' };

/**
 * Measured before parsing: 256 KiB of members or nested lists take 30 ms, of texts 1 ms. A call is
 * at most a batch.
 */
export function parseMessage(bytes: Buffer): Parsed {
  const text = bytes.toString();
  if (bytes.length > MAX_OTHER_BYTES && !CALL.test(text)) return { problem: 'too large' };
  let values = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) values++;
  }
  if (values > MAX_VALUES) return { problem: 'too large' };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: 'not JSON' };
  }
}

/** Some clients escape the slash. */
const CALL = /"tools\\?\/call"/;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

export function readMessage(value: unknown, headers?: McpHeaders): McpRequest | Answer {
  if (!isObject(value) || value['jsonrpc'] !== '2.0')
    return invalid('the message is not a JSON-RPC 2.0 object; lists of messages are not supported');
  const { id, method, params = {} } = value;
  // A response to a request of the server, which sends none.
  if (method === undefined && ('result' in value || 'error' in value)) return ACCEPTED;
  if (typeof method !== 'string') return invalid('method must be a text');
  if (id !== undefined && !isId(id))
    return invalid(`id must be a number or at most ${MAX_ID_CHARACTERS} characters`);
  if (!isObject(params))
    return refuse(id ?? null, INVALID_PARAMS, 'params must be an object', { status: 400 });
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  const version = meta[VERSION_KEY];
  const refusal =
    version === undefined
      ? checkHandshakeVersion(id, method, headers?.version)
      : checkStatelessVersion(id, version, meta[CAPABILITIES_KEY]);
  if (refusal !== undefined) return refusal;
  if (id === undefined) return ACCEPTED;
  const request = { id, method, params, isStateless: version !== undefined };
  return (
    (request.isStateless && headers !== undefined ? checkHeaders(request, headers) : undefined) ??
    request
  );
}

/** For notifications; none of them changes an answer. */
const ACCEPTED: Answer = { status: 202 };

function checkHandshakeVersion(
  id: McpRequest['id'] | undefined,
  method: string,
  header: unknown,
): Answer | undefined {
  if (typeof header !== 'string') return undefined;
  if (header >= STATELESS_VERSION) {
    if (id === undefined) return undefined;
    if (method === 'initialize')
      return mismatch(id, `initialize is not part of version ${shown(header)}`);
    return refuse(id, INVALID_PARAMS, `params._meta has no ${VERSION_KEY}`, { status: 400 });
  }
  if (method === 'initialize' || HANDSHAKE_VERSIONS.includes(header)) return undefined;
  const supported = HANDSHAKE_VERSIONS.join(', ');
  const text = `protocol version ${shown(header)} is not supported; supported are ${supported}`;
  return refuse(id ?? null, BAD_VERSION_HEADER, text, { status: 400 });
}

function checkStatelessVersion(
  id: McpRequest['id'] | undefined,
  version: unknown,
  capabilities: unknown,
): Answer | undefined {
  if (id === undefined) return undefined;
  if (typeof version !== 'string' || !isObject(capabilities)) {
    const key = typeof version === 'string' ? CAPABILITIES_KEY : VERSION_KEY;
    return refuse(id, INVALID_PARAMS, `params._meta has no valid ${key}`, { status: 400 });
  }
  if (version === STATELESS_VERSION) return undefined;
  const data = { supported: [STATELESS_VERSION], requested: shown(version) };
  return refuse(id, UNSUPPORTED_VERSION, `protocol version ${shown(version)} is not supported`, {
    status: 400,
    data,
  });
}

/** Proxies route by these headers, so they must say what the message says. */
function checkHeaders({ id, method, params }: McpRequest, headers: McpHeaders): Answer | undefined {
  if (headers.version !== STATELESS_VERSION)
    return mismatch(id, `MCP-Protocol-Version must be ${STATELESS_VERSION}`);
  if (headers.method !== method)
    return mismatch(id, 'Mcp-Method must be the method of the message');
  if (
    method === 'tools/call' &&
    typeof params['name'] === 'string' &&
    decoded(headers.name) !== params['name']
  )
    return mismatch(id, 'Mcp-Name must be the name of the tool');
  return undefined;
}

/** A header cannot carry every text; other texts are sent as `=?base64?…?=`. */
function decoded(header: unknown): unknown {
  const encoded = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(String(header))?.[1];
  return encoded === undefined ? header : Buffer.from(encoded, 'base64').toString();
}

/** The version to go on with: the requested one, or the newest if the server does not know it. */
export function initializeResult(
  params: McpRequest['params'],
  capabilities: object,
  instructions: string,
): object {
  const requested = String(params['protocolVersion']);
  const protocolVersion = HANDSHAKE_VERSIONS.includes(requested)
    ? requested
    : HANDSHAKE_VERSIONS[0];
  return { protocolVersion, capabilities, serverInfo: SERVER_INFO, instructions };
}

/** `result` is JSON of an object, which is not empty if the request is stateless. */
export function resultAnswer({ id, isStateless }: McpRequest, result: string): Answer {
  const more = isStateless ? STATELESS_MEMBERS : '';
  return {
    status: 200,
    text: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result.slice(0, -1)}${more}}}`,
  };
}

const STATELESS_MEMBERS = `,${JSON.stringify({ resultType: 'complete', _meta: { [`${META}serverInfo`]: SERVER_INFO } }).slice(1, -1)}`;

/**
 * The status is 200 for errors of a request that was understood, and 404 for a method that the
 * version does not have.
 */
export function refuse(
  id: McpRequest['id'] | null,
  code: number,
  message: string,
  { status = 200, data }: { status?: number; data?: object } = {},
): Answer {
  const error = { code, message, ...(data !== undefined && { data }) };
  return { status, text: JSON.stringify({ jsonrpc: '2.0', id, error }) };
}

const invalid = (message: string) => refuse(null, INVALID_REQUEST, message, { status: 400 });
const mismatch = (id: McpRequest['id'], message: string) =>
  refuse(id, HEADER_MISMATCH, message, { status: 400 });

/**
 * A text of the client for a message of ours: short, and in characters that JSON does not escape.
 */
export function shown(text: string): string {
  return text.slice(0, MAX_SHOWN_CHARACTERS).replace(/[^\x20-\x7e]|["\\]/g, '?');
}

function isId(value: unknown): value is McpRequest['id'] {
  if (typeof value !== 'string') return Number.isFinite(value);
  return value.length <= MAX_ID_CHARACTERS && JSON.stringify(value).length <= MAX_ID_CHARACTERS + 2;
}
