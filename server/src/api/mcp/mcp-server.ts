/**
 * The MCP server (https://modelcontextprotocol.io): lists the tools, and answers a call with a request of the API. It
 * keeps nothing between calls. The SDK is loaded with this file, so nothing else imports it statically.
 */
import {
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';
import { checkOf, type Violation } from '../../http/validators.ts';
import { packageVersion } from '../../version.ts';
import { type ApiRequest, TOOLS, type Tool } from './tools.ts';

/** The answer to a request of the API. */
export type ApiAnswer = { readonly retryAfter: string | undefined; readonly body: string };
export type Ask = (request: ApiRequest) => Promise<ApiAnswer>;

const INSTRUCTIONS =
  'Facts about IP addresses, networks (AS numbers) and the mail setup of domains, from one dataset. Use batch for several addresses. A flag that is listed in unknown_flags of dataset is not known, rather than false. Pass explain when the source of a value matters.';

/** They only read, and the same call has the same answer while the dataset stays. Only domain and hostname ask DNS. */
const annotationsOf = ({ name }: Tool) => ({
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: name === 'domain' || name === 'address',
});

const LISTED = TOOLS.map((tool) => {
  const { name, title, description, inputSchema, outputSchema } = tool;
  return {
    name,
    title,
    description,
    inputSchema,
    outputSchema,
    annotations: annotationsOf(tool),
  };
  // The SDK's type spells out what JSON is, where ours has objects.
}) as readonly object[] as ListToolsResult['tools'];

const CHECKS = new Map(TOOLS.map((tool) => [tool.name, { tool, check: checkOf(tool.inputSchema) }]));

export function createMcpServer(ask: Ask): Server {
  const server = new Server(
    { name: 'whence', title: 'Whence', version: packageVersion() },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', () => ({ tools: LISTED }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: given = {} } }) => {
    const known = CHECKS.get(name);
    if (known === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool ${name}`);
    const { tool, check } = known;
    const violation = check(given, '');
    if (violation !== undefined) return failure(invalidArgument(tool, violation));
    return answerOf(await ask(tool.requestFor(given as never)), (data) => tool.compact(data as never, given as never));
  });
  return server;
}

function answerOf(
  { body, retryAfter }: ApiAnswer,
  compact: (data: unknown) => Record<string, unknown>,
): CallToolResult {
  const { data } = JSON.parse(body) as { data: object };
  if (isRefusal(data)) {
    const details = data.details === undefined ? '' : `: ${JSON.stringify(data.details)}`;
    const retry = retryAfter === undefined ? '' : `; try again in ${retryAfter} s`;
    return failure(`${data.error} (${data.code})${details}${retry}`);
  }
  const structuredContent = compact(data);
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

type Refusal = { readonly error: string; readonly code: string; readonly details?: object };

/** The entries of a batch are one level below. */
function isRefusal(data: object): data is Refusal {
  return 'code' in data && 'error' in data && typeof data.error === 'string';
}

function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

function invalidArgument({ inputSchema }: Tool, { instancePath, params }: Violation): string {
  const { missingProperty } = params;
  const allowed = `the arguments are ${Object.keys(inputSchema.properties).join(', ')}`;
  if (missingProperty !== undefined) return `the argument ${missingProperty} is missing; ${allowed}`;
  return instancePath === '' ? allowed : `the argument ${instancePath.slice(1)} is invalid; see inputSchema`;
}
