/**
 * What must hold for whatever is sent to the server: it answers, in the envelope, with a status and
 * an error of the contract, and never with a 5xx. Closing without an answer is not among what it
 * may do.
 */

import { type HttpAnswer, splitAnswers } from './answers.ts';
import type { HttpCase } from './cases.ts';
import { isContractError, isUntimed } from './contract-errors.ts';

/** How a connection ended: closed by the server, or by us after it was quiet. */
export type HttpOutcome = {
  readonly received: Buffer;
  readonly end: 'closed' | 'quiet' | 'no answer';
  /** The error of the connection, if it broke. */
  readonly error: string | undefined;
};

/** docs/mcp.md. */
const MAX_MCP_ERROR = 500;
const MAX_MCP_ANSWER = 64_000;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function checkHttpAnswer(
  { chunks, isHead, statuses }: HttpCase,
  { received, end, error }: HttpOutcome,
) {
  const { answers, rest, fault } = splitAnswers(received, isHead === true);
  if (fault !== undefined) return fault;
  const [first] = answers;
  if (first === undefined) {
    // RFC 9112 §2.2: empty lines before a request are ignored, so this is no request.
    if (isBlank(chunks)) return undefined;
    const how =
      end === 'closed'
        ? `closed without an answer${error === undefined ? '' : ` (${error})`}`
        : 'not answered';
    return rest.length > 0 ? `an answer that was cut off, ${how}` : how;
  }
  if (rest.length > 0 && end === 'closed') return 'an answer that was cut off';
  const sent = Buffer.concat(chunks).toString('latin1');
  for (const answer of answers) {
    const wrong =
      isPage(answer, sent) || isFile(answer, sent)
        ? undefined
        : (mcpFault(answer, sent) ?? faultOf(answer, isHead === true, sent));
    if (wrong !== undefined) return wrong;
  }
  if (statuses !== undefined && !statuses.includes(first.status))
    return `status ${first.status} instead of ${statuses.join(' or ')}`;
  return undefined;
}

/** The dashboard's page, which stands at all other paths for a browser. */
function isPage({ status, headers }: HttpAnswer, sent: string): boolean {
  const isHtml = /^text\/html\b/.test(headers.get('content-type') ?? '');
  return isHtml && [200, 304, 503].includes(status) && /text\/html|\*\/\*/i.test(sent);
}

/** An export of the dashboard, which is a file to download. */
function isFile({ status, headers }: HttpAnswer, sent: string): boolean {
  const isTable = /^(?:text\/csv|application\/x-ndjson)\b/.test(headers.get('content-type') ?? '');
  const isDownload = headers.get('content-disposition')?.startsWith('attachment;') === true;
  return (
    isTable &&
    isDownload &&
    status === 200 &&
    headers.get('cache-control') === 'no-store' &&
    /export/i.test(sent)
  );
}

/**
 * An answer of the MCP endpoint is in the envelope, or JSON-RPC, or empty. Errors are short, and so
 * is the list of tools.
 */
function mcpFault({ status, body }: HttpAnswer, sent: string): string | undefined {
  if (!sent.startsWith('POST /mcp ')) return undefined;
  const answer = body === '' ? {} : parseJson(body);
  if (!isObject(answer)) return `status ${status} is no JSON object`;
  const isError = 'error' in answer || status >= 400;
  const isCall = isObject(answer['result']) && 'content' in answer['result'];
  const maxAnswer = isCall ? Number.POSITIVE_INFINITY : MAX_MCP_ANSWER;
  if (body.length > (isError ? MAX_MCP_ERROR : maxAnswer))
    return `an MCP answer of ${body.length} characters`;
  return undefined;
}

function isMessage({ status, body }: HttpAnswer, sent: string): boolean {
  if (!sent.startsWith('POST /mcp ')) return false;
  if (status === 202) return body === '';
  const answer = parseJson(body);
  return (
    isObject(answer) &&
    answer['jsonrpc'] === '2.0' &&
    'id' in answer &&
    ('result' in answer || 'error' in answer)
  );
}

function isBlank(chunks: readonly Buffer[]): boolean {
  return chunks.every((chunk) => chunk.every((byte) => byte === 0x0d || byte === 0x0a));
}

function faultOf(
  { status, headers, body }: HttpAnswer,
  isHead: boolean,
  sent: string,
): string | undefined {
  if (status >= 500) return `status ${status}: ${body.slice(0, 100)}`;
  if (!UUID.test(headers.get('x-request-id') ?? '')) return `status ${status} without X-Request-ID`;
  if (headers.get('cache-control') !== 'no-store')
    return `status ${status} without Cache-Control: no-store`;
  if (status === 204 && headers.has('x-whence-decision')) return undefined;
  if (!/^application\/json\b/.test(headers.get('content-type') ?? ''))
    return `status ${status} is not JSON`;
  if (status === 405 && !headers.has('allow')) return 'status 405 without Allow';
  if (isMessage({ status, headers, body }, sent)) return undefined;
  return isHead ? undefined : envelopeFault(status, headers, body, /\/dashboard\//i.test(sent));
}

function envelopeFault(
  status: number,
  headers: HttpAnswer['headers'],
  body: string,
  isDashboard: boolean,
): string | undefined {
  const envelope = parseJson(body);
  if (!isObject(envelope) || Object.keys(envelope).sort().join() !== 'data,meta')
    return `status ${status} without the envelope: ${body.slice(0, 80)}`;
  const { data, meta } = envelope;
  if (!isObject(data) || !isObject(meta)) return `status ${status}: data or meta is not an object`;
  const { processing_time_ms: ms, request_id } = meta;
  if (!Number.isInteger(ms) || Number(ms) < 0)
    return `status ${status}: processing_time_ms is ${String(ms)}`;
  if (request_id !== undefined && request_id !== headers.get('x-request-id'))
    return 'request_id is not X-Request-ID';
  if (status === 200) return undefined;
  const { code, error } = data;
  if (!isContractError(status, code, error, isDashboard))
    return `status ${status} with ${String(code)} "${String(error)}"`;
  return !isDashboard && isUntimed(code) && ms !== 0
    ? `${String(code)} with a time of ${String(ms)} ms`
    : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
