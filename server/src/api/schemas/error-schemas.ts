/**
 * `data` of a refusal: a schema per row of the error table, with its text, its code and what its details say. Clients
 * tell the alternatives of an answer apart by `code`.
 */
import { type ErrorName, errors } from '../../http/errors.ts';
import { integer, named, namesOf, object, string, strings } from '../../http/json-schema.ts';

type Row = { readonly text: string; readonly code?: string };

/** What `details` has, where a refusal has details. */
const DETAILS: Partial<Record<ErrorName, Record<string, object>>> = {
  INVALID_QUERY: {
    parameter: string('The name of the parameter.', 'explain'),
    allowed: strings('The values that it can have.'),
  },
  INVALID_VERSION: {
    parameter: string('The parameter that the version does not go with.', 'explain'),
    allowed: strings('The values that it can have.'),
  },
  INVALID_INCLUDE: { allowed: strings('What can be included.') },
  TOO_MANY_SELECTORS: { limit: integer('The most that are taken.') },
  INVALID_REQUEST: { path: string('JSON Pointer to what is wrong; empty for the body itself.', '/ips') },
  BATCH_TOO_LARGE: { limit: integer('Addresses that the tier allows.'), received: integer('Addresses in the body.') },
  UNAUTHORIZED: { hint: string('Where to send the key, if it was sent elsewhere.') },
  FORBIDDEN: { required: string('The permission that the key lacks.', 'ip:read') },
  IP_NOT_FOUND: {
    prefix: string('The special-purpose range.', '10.0.0.0/8'),
    name: string('What it is for.', 'Private use'),
    rfc: string('Where that is written.', 'RFC 1918'),
  },
  DNS_UNAVAILABLE: { fault: string('signatures do not validate, or the servers do not answer.', 'signatures') },
  UNSUPPORTED_MEDIA_TYPE: { expected: string('The media type to send.', 'application/json') },
};

/** One refusal, or one of several. `extra` are members beside `error`, `code` and `details`. */
export function refusalData(names: ErrorName | readonly ErrorName[], extra: Record<string, object> = {}): object {
  if (typeof names === 'string') return errorSchema(names, extra);
  return { oneOf: names.map((name) => errorSchema(name)) };
}

function errorSchema(name: ErrorName, extra: Record<string, object> = {}): object {
  const { text, code = name }: Row = errors[name];
  const own = DETAILS[name];
  const more = { ...(own && { details: object(own) }), ...extra };
  const fixed = { error: { type: 'string', const: text }, code: { type: 'string', const: code } };
  return named(`${pascalCase(name)}Error`, object({ ...fixed, ...more }, namesOf(more)));
}

const CODES = new Set(Object.entries(errors).map(([name, row]: [string, Row]) => row.code ?? name));
const errorCode = named('ErrorCode', { type: 'string', enum: [...CODES].sort(), description: 'Does not change.' });

/** Schema of every refusal, including those that an operation does not list. */
export const anyRefusal = named(
  'ErrorData',
  object(
    {
      error: string('What is wrong, for people.', 'internal error'),
      code: errorCode,
      details: { type: 'object', description: 'More, by code.' },
    },
    ['details'],
  ),
);

function pascalCase(name: string): string {
  return name
    .split('_')
    .map((word) => `${word.charAt(0)}${word.slice(1).toLowerCase()}`)
    .join('');
}
