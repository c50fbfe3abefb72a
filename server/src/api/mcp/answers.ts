// Answers to MCP messages over HTTP and standard input, without state: fixed texts, or a request of
// the API for a tool.
import { checkOf, isObject, type Violation } from '../../http/validators.ts';
import {
  type Answer,
  INVALID_PARAMS,
  initializeResult,
  type McpHeaders,
  type McpRequest,
  METHOD_NOT_FOUND,
  readMessage,
  refuse,
  resultAnswer,
  STATELESS_VERSION,
  shown,
} from './protocol.ts';
import { type ApiRequest, TOOLS, type Tool } from './tools.ts';

export type ApiAnswer = {
  readonly retryAfter: string | undefined;
  readonly body: string;
  /** Whether the score of an address is complete. */
  readonly isThreatKnown: (ip: string) => boolean;
};

export type Call = {
  readonly id: McpRequest['id'];
  readonly request: ApiRequest;
  readonly finish: (answer: ApiAnswer) => Answer;
};

/** A refusal of the API may repeat texts of the request. */
const MAX_FAILURE_CHARACTERS = 500;

const INSTRUCTIONS =
  'Facts about IP addresses, networks (AS numbers) and the mail setup of domains, from one dataset. Use batch for several addresses. A flag that is listed in unknown_flags of dataset is not known, rather than false; with threat_is_known false, the score is what is known at least. Pass explain when the source of a value matters.';
const CAPABILITIES = { tools: {} };
/** How long a client may keep a result; required from 2026-07-28. */
const CACHING = { ttlMs: 0, cacheScope: 'private' };

const LISTED = JSON.stringify({
  tools: TOOLS.map(({ name, title, description, inputSchema, outputSchema }) => ({
    name,
    title,
    description,
    inputSchema,
    outputSchema,
    // They only read, and the same call has the same answer while the dataset stays. Only domain
    // and hostname ask DNS.
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: name === 'domain' || name === 'address',
    },
  })),
  ...CACHING,
});
const DISCOVERED = JSON.stringify({
  supportedVersions: [STATELESS_VERSION],
  capabilities: CAPABILITIES,
  instructions: INSTRUCTIONS,
  ...CACHING,
});

const CHECKS = new Map(
  TOOLS.map((tool) => [tool.name, { tool, check: checkOf(tool.inputSchema) }]),
);

export function answerMessage(value: unknown, headers?: McpHeaders): Answer | Call {
  const read = readMessage(value, headers);
  return 'status' in read ? read : answerRequest(read);
}

function answerRequest(request: McpRequest): Answer | Call {
  const { id, method, params, isStateless } = request;
  switch (method) {
    case 'tools/call':
      return callTool(request);
    case 'tools/list':
      return resultAnswer(request, LISTED);
    case 'server/discover':
      if (isStateless) return resultAnswer(request, DISCOVERED);
      break;
    case 'ping':
      if (!isStateless) return resultAnswer(request, '{}');
      break;
    case 'initialize': {
      if (isStateless) break;
      const { protocolVersion, capabilities, clientInfo } = params;
      if (typeof protocolVersion !== 'string' || !isObject(capabilities) || !isObject(clientInfo))
        return refuse(
          id,
          INVALID_PARAMS,
          'initialize needs protocolVersion, capabilities and clientInfo',
        );
      return resultAnswer(
        request,
        JSON.stringify(initializeResult(params, CAPABILITIES, INSTRUCTIONS)),
      );
    }
  }
  return refuse(id, METHOD_NOT_FOUND, `there is no method ${shown(method)}`, {
    status: isStateless ? 404 : 200,
  });
}

function callTool(request: McpRequest): Answer | Call {
  const { name, arguments: given = {} } = request.params;
  if (typeof name !== 'string')
    return refuse(request.id, INVALID_PARAMS, 'the name of the tool is missing');
  const checked = CHECKS.get(name);
  if (checked === undefined)
    return refuse(request.id, INVALID_PARAMS, `there is no tool ${shown(name)}`);
  const { tool, check } = checked;
  const violation = check(given, '');
  if (violation !== undefined) return failure(request, invalidArgument(tool, violation));
  return {
    id: request.id,
    request: tool.requestFor(given as Record<string, unknown>),
    finish: ({ body, retryAfter, isThreatKnown }) => {
      const { data } = JSON.parse(body) as { data: object };
      if (isRefusal(data)) return failure(request, refusalText(data, retryAfter));
      const result = tool.resultOf(data, given as Record<string, unknown>, isThreatKnown);
      const text = JSON.stringify(result);
      const content = `[{"type":"text","text":${JSON.stringify(text)}}]`;
      return resultAnswer(request, `{"content":${content},"structuredContent":${text}}`);
    },
  };
}

type Refusal = { readonly error: string; readonly code: string; readonly details?: object };

/** The entries of a batch are one level below. */
function isRefusal(data: object): data is Refusal {
  return 'code' in data && 'error' in data && typeof data.error === 'string';
}

function refusalText({ error, code, details }: Refusal, retryAfter: string | undefined): string {
  const more = details === undefined ? '' : `: ${JSON.stringify(details)}`;
  const retry = retryAfter === undefined ? '' : `; try again in ${retryAfter} s`;
  return `${error} (${code})${more}${retry}`;
}

/** An error of the tool, which a language model reads. */
function failure(request: McpRequest, text: string): Answer {
  const content = [{ type: 'text', text: text.slice(0, MAX_FAILURE_CHARACTERS) }];
  return resultAnswer(request, JSON.stringify({ isError: true, content }));
}

function invalidArgument({ inputSchema }: Tool, { instancePath, params }: Violation): string {
  const { missingProperty } = params;
  const allowed = `the arguments are ${Object.keys(inputSchema.properties).join(', ')}`;
  if (missingProperty !== undefined)
    return `the argument ${missingProperty} is missing; ${allowed}`;
  return instancePath === ''
    ? allowed
    : `the argument ${instancePath.slice(1)} is invalid; see inputSchema`;
}
