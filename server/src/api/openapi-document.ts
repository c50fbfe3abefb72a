/**
 * What the OpenAPI document has beyond the schemas of the routes: schemas by name, the headers of answers, and an example
 * of every answer and error.
 */
import { errors } from '../http/errors.ts';
import { ANSWER_EXAMPLES } from './answer-examples.ts';

type Json = { [key: string]: unknown };
type Answer = { content?: { 'application/json': { schema: Json; examples?: Json } }; headers?: Json };
type Parameter = { in: string; schema: Json; example?: unknown };
type Operation = {
  operationId?: string;
  security?: unknown[];
  parameters?: Parameter[];
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
  'X-RateLimit-Reset': integerHeader('When they are all there again, in seconds since 1970.', 1_794_700_800),
  'X-Cache-Status': {
    description: 'Whether the answer came from the cache.',
    schema: { type: 'string', enum: ['HIT', 'MISS'] },
    example: 'MISS',
  },
  'Retry-After': integerHeader('Seconds to wait before another try.', 5),
};
type HeaderName = keyof typeof HEADERS;

/** Takes a document of its own and changes it. */
export function completeDocument(document: OpenApiDocument): OpenApiDocument {
  const schemas: Json = {};
  for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    for (const parameter of operation.parameters ?? []) {
      // Scalar fills in what is required from there, and not from the example of the parameter.
      if (parameter.in === 'path') parameter.schema['examples'] = [parameter.example];
    }
    for (const [status, answer] of Object.entries(operation.responses)) {
      answer.headers = Object.fromEntries(
        headersOf(operation, status).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
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

function headersOf({ operationId, security = [] }: Operation, status: string): HeaderName[] {
  // Refused before it is a request.
  if (status === '431') return [];
  const names: HeaderName[] = ['X-Request-ID'];
  // Without a known key there is no limit to tell of.
  if (security.length > 0 && status !== '401') {
    names.push('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset');
  }
  if ((operationId === 'getIp' || operationId === 'getOwnIp') && (status === '200' || status === '404'))
    names.push('X-Cache-Status');
  if (security.length > 0 && (status === '429' || status === '503')) names.push('Retry-After');
  return names;
}

function examplesOf({ operationId = '' }: Operation, status: string, schema: Json): Json {
  const written = ANSWER_EXAMPLES[operationId]?.[status];
  if (written !== undefined) return { [status === '200' ? 'answer' : 'refusal']: { value: written } };
  const { data } = schema['properties'] as { data: { properties: { error: Choice; code: Choice } } };
  const texts = choicesOf(data.properties.error);
  return Object.fromEntries(
    choicesOf(data.properties.code).map((code) => [code, { value: errorExample(code, texts) }]),
  );
}

type Choice = { readonly const?: string; readonly enum?: readonly string[] };

function choicesOf({ const: only = '', enum: several }: Choice): readonly string[] {
  return several ?? [only];
}

/** Two errors may share a code, never in one answer. */
function errorExample(code: string, texts: readonly string[]): Json {
  const row = Object.entries(errors).find(
    ([name, error]) => texts.includes(error.text) && ('code' in error ? error.code : name) === code,
  );
  return { data: { error: row?.[1].text, code }, meta: { processing_time_ms: 0 } };
}

/** Schemas with a title move to `schemas`; references stay in their place. */
function hoist(value: unknown, schemas: Json): unknown {
  if (Array.isArray(value)) return value.map((item) => hoist(item, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const walked = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hoist(item, schemas)]));
  const { title } = walked;
  if (typeof title !== 'string') return walked;
  schemas[title] = walked;
  return { $ref: `#/components/schemas/${title}` };
}
