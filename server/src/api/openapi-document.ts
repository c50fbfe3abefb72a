// What the OpenAPI document has beyond the routes' schemas: named schemas, headers, examples and
// unlisted errors.
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { anyRefusal, envelope } from './schemas/refusals.ts';

type Json = { [key: string]: unknown };
type Content = { 'application/json': { schema: Json; examples?: Json } };
type Answer = { description?: string; content?: Content; headers?: Json };
type Parameter = { in: string; schema: Json; example?: unknown; style?: string; explode?: boolean };
type Operation = {
  operationId?: string;
  security?: unknown[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, Answer>;
};
export type OpenApiDocument = Json & {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas?: Json; headers?: Json };
};

const integerHeader = (description: string, example: number) => ({
  description,
  schema: { type: 'integer' },
  example,
});
const HEADERS = {
  'X-Request-ID': {
    description: 'Unique identifier of the request.',
    schema: { type: 'string' },
    example: '0e4f1b8a-7c55-4d0c-9a53-1e0f6f0b7a11',
  },
  'X-RateLimit-Limit': integerHeader('Requests that the key has in a UTC day.', 1000),
  'X-RateLimit-Remaining': integerHeader('How many of them are left.', 588),
  'X-RateLimit-Reset': integerHeader(
    'When they are all there again, in seconds since 1970.',
    1_794_700_800,
  ),
  'X-Cache-Status': {
    description: 'Whether the answer came from the cache.',
    schema: { type: 'string', enum: ['HIT', 'MISS'] },
    example: 'MISS',
  },
  'X-Ignored-Parameters': {
    description: 'The first ten unknown parameters, with the names that were probably meant.',
    schema: { type: 'string' },
    example: 'explan (did you mean explain?)',
  },
  'Retry-After': integerHeader('Seconds to wait before another try.', 5),
};
type HeaderName = keyof typeof HEADERS;

/**
 * By operation and status. Refusals that consist of a text and a code are not in it: they are made
 * from the error table.
 */
const EXAMPLES = new URL('../../reference/answer-examples.json', import.meta.url);
const ANSWER_EXAMPLES = JSON.parse(readFileSync(EXAMPLES, 'utf8')) as Record<
  string,
  Record<string, object>
>;

/**
 * Takes a document of its own and changes it. `namesIgnored`: operations that ignore unknown
 * parameters and say so.
 */
export function completeDocument(
  document: OpenApiDocument,
  namesIgnored: ReadonlySet<string>,
): OpenApiDocument {
  const schemas: Json = {};
  for (const operation of Object.values(document.paths).flatMap((methods) =>
    Object.values(methods),
  )) {
    for (const parameter of operation.parameters ?? []) {
      // Programs that show the document fill in what is required from there.
      if (parameter.in === 'path') parameter.schema['examples'] = [parameter.example];
      // Separated by commas.
      if (parameter.schema['type'] === 'array')
        Object.assign(parameter, { style: 'form', explode: false });
    }
    const body = operation.requestBody?.content['application/json'];
    if (body !== undefined) body.schema = hoist(body.schema, schemas) as Json;
    operation.responses['default'] = otherRefusal();
    for (const [status, answer] of Object.entries(operation.responses)) {
      answer.headers = Object.fromEntries(
        headersOf(operation, status, namesIgnored).map((name) => [
          name,
          { $ref: `#/components/headers/${name}` },
        ]),
      );
      const json = answer.content?.['application/json'];
      if (json === undefined) continue;
      json.examples = examplesOf(operation, status, json.schema);
      json.schema = hoist(json.schema, schemas) as Json;
    }
  }
  document.components.headers = HEADERS;
  document.components.schemas = schemas;
  return document;
}

function headersOf(
  { operationId = '', security = [] }: Operation,
  status: string,
  namesIgnored: ReadonlySet<string>,
): HeaderName[] {
  // Refused before it is a request.
  if (status === '431') return [];
  const names: HeaderName[] = ['X-Request-ID'];
  // Without a known key there is no limit to tell of.
  if (security.length > 0 && status !== '401') {
    names.push('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset');
  }
  if (
    (operationId === 'getIp' || operationId === 'getOwnIp') &&
    (status === '200' || status === '404')
  )
    names.push('X-Cache-Status');
  if (status === '200' && namesIgnored.has(operationId)) names.push('X-Ignored-Parameters');
  if (security.length > 0 && (status === '429' || status === '503')) names.push('Retry-After');
  return names;
}

function examplesOf({ operationId = '' }: Operation, status: string, schema: Json): Json {
  if (status === 'default') return { INTERNAL: errorExample('internal error', 'INTERNAL') };
  const written = ANSWER_EXAMPLES[operationId]?.[status];
  if (written !== undefined)
    return { [status === '200' ? 'answer' : 'refusal']: { value: written } };
  const { data } = schema['properties'] as { data: ErrorSchema | { oneOf: ErrorSchema[] } };
  return Object.fromEntries(
    ('oneOf' in data ? data.oneOf : [data]).map(({ properties: { error, code } }) => [
      code.const,
      errorExample(error.const, code.const),
    ]),
  );
}

type ErrorSchema = {
  readonly properties: { readonly error: { const: string }; readonly code: { const: string } };
};

const errorExample = (error: string, code: string) => ({
  value: { data: { error, code }, meta: { processing_time_ms: 0 } },
});

function otherRefusal(): Answer {
  const { description, ...schema } = envelope(
    'Any other refusal, such as a fault of the server (500).',
    anyRefusal,
  );
  return { description, content: { 'application/json': { schema } } };
}

/** Schemas with a title move to `schemas`; references stay in their place. */
function hoist(value: unknown, schemas: Json): unknown {
  if (Array.isArray(value)) return value.map((item) => hoist(item, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const walked = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, hoist(item, schemas)]),
  );
  const { title } = walked;
  if (typeof title !== 'string') return walked;
  if (schemas[title] !== undefined && !isDeepStrictEqual(schemas[title], walked))
    throw new Error(`two schemas have the name ${title}`);
  schemas[title] = walked;
  return { $ref: `#/components/schemas/${title}` };
}
