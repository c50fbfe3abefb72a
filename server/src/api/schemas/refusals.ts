/** Answers in the OpenAPI document: their envelope, and every refusal with its details. */
import { type ErrorName, errors } from '../../http/errors.ts';
import {
  allOptional,
  integer,
  named,
  namedObject,
  object,
  oneOfTexts,
  optional,
  string,
  strings,
  type UnknownParameters,
} from '../../http/json-schema.ts';

/** What every answer has in common: `data` and `meta`. */
export const processingTime = integer('Milliseconds spent.');
const timedMeta = namedObject('Meta', { processing_time_ms: processingTime });

export const envelope = (description: string, data: object, meta: object = timedMeta) => ({
  description,
  ...object({ data, meta }),
});

/**
 * `data` of a refusal: a schema per row of the error table. Clients tell alternatives apart by
 * `code`.
 */
type Row = { readonly text: string; readonly code?: string };

const rulesSetting = string(
  'What an operator would have to set, if there is no file of rules.',
  'WHENCE_RULES',
);

const DETAILS: Partial<Record<ErrorName, Record<string, object>>> = {
  INVALID_QUERY: {
    parameter: string('The name of the parameter.', 'explain'),
    allowed: strings('The values that it can have.'),
  },
  REPEATED_PARAMETER: { parameter: string('The name of the parameter.', 'explain') },
  UNKNOWN_PARAMETER: {
    parameter: string('The name of the parameter.', 'explan'),
    closest: optional(string('The parameter that was probably meant.', 'explain')),
    parameters: strings('The parameters of the route.'),
  },
  INVALID_INCLUDE: {
    allowed: strings('What can be included.'),
    setting: optional(
      string('What an operator would have to set, for what is switched off.', 'WHENCE_SMTP_PROBE'),
    ),
  },
  TOO_MANY_SELECTORS: { limit: integer('The most that are taken.') },
  INVALID_REQUEST: {
    path: string('JSON Pointer to what is wrong; empty for the body itself.', '/ips'),
    expected: string('What should be there.', 'a list of at least 1, each string'),
    line: optional(integer('The line of the records to try.')),
  },
  BATCH_TOO_LARGE: {
    limit: integer('Addresses that the tier allows.'),
    received: integer('Addresses in the body.'),
  },
  UNAUTHORIZED: { hint: string('Where to send the key, if there is none.') },
  INVALID_IP: { hint: string('Where to ask for a prefix, if it is one.') },
  FORBIDDEN: { required: string('The permission or access that the key lacks.', 'ip:read') },
  IP_NOT_FOUND: {
    prefix: string('The special-purpose range.', '10.0.0.0/8'),
    name: string('What it is for.', 'Private use'),
    rfc: string('Where that is written.', 'RFC 1918'),
  },
  RULE_SET_NOT_FOUND: {
    sets: strings('The rule sets that exist.'),
    setting: optional(rulesSetting),
  },
  VERSION_NOT_FOUND: {
    databases: optional(strings('The databases that exist.')),
  },
  DATABASE_NOT_FOUND: { databases: strings('The databases that exist.') },
  LIST_NOT_FOUND: {
    lists: strings('The lists that exist.'),
    formats: strings('The formats of a list.'),
    setting: optional(rulesSetting),
  },
  WATCH_LIST_FULL: { limit: integer('The most that are watched.') },
  DNS_UNAVAILABLE: {
    fault: string(
      'Of the domain: its signatures do not validate, or its servers fail. Not of the domain: the resolver fails for other names too, or the request was refused.',
      'signatures',
    ),
  },
  UNSUPPORTED_MEDIA_TYPE: { expected: string('The media type to send.', 'application/json') },
};

/** One refusal, or one of several. `extra` are members beside `error`, `code` and `details`. */
export function refusalData(
  names: ErrorName | readonly ErrorName[],
  extra: Record<string, object> = {},
): object {
  if (typeof names === 'string') return errorSchema(names, extra);
  return { oneOf: names.map((name) => errorSchema(name)) };
}

/** An answer that is a refusal. */
export const refusal = (description: string, ...names: Parameters<typeof refusalData>) =>
  envelope(description, refusalData(...names));

function errorSchema(name: ErrorName, extra: Record<string, object> = {}): object {
  const { text, code = name }: Row = errors[name];
  const own = DETAILS[name];
  const more = allOptional({ ...(own && { details: object(own) }), ...extra });
  const fixed = { error: { type: 'string', const: text }, code: { type: 'string', const: code } };
  return namedObject(`${pascalCase(name)}Error`, { ...fixed, ...more });
}

const CODES = new Set(Object.entries(errors).map(([name, row]: [string, Row]) => row.code ?? name));
const errorCode = named('ErrorCode', oneOfTexts([...CODES].sort(), 'Does not change.'));

/** Schema of every refusal, including those that an operation does not list. */
export const anyRefusal = namedObject('ErrorData', {
  error: string('What is wrong, for people.', 'internal error'),
  code: errorCode,
  details: optional({ type: 'object', description: 'More, by code.' }),
});

function pascalCase(name: string): string {
  return name
    .split('_')
    .map((word) => `${word.charAt(0)}${word.slice(1).toLowerCase()}`)
    .join('');
}

export const UNAVAILABLE: readonly ErrorName[] = [
  'DATASET_UNAVAILABLE',
  'STORAGE_UNAVAILABLE',
  'OVERLOADED',
];

/** The answers of a route with the refusals of its query, which depend on its parameters. */
export function withQueryRefusals(
  answers: Readonly<Record<number, object>>,
  parameters: readonly string[],
  unknown: UnknownParameters,
): object {
  const names: ErrorName[] = [];
  if (parameters.length > 0) names.push('REPEATED_PARAMETER');
  if (unknown === 'refused') names.push('UNKNOWN_PARAMETER');
  if (unknown === 'ignored' || names.length === 0) return answers;
  const { description = 'A wrong query.', properties } = (answers[400] ?? {}) as WrittenRefusal;
  const { data } = properties ?? {};
  const written = data === undefined ? [] : (data.oneOf ?? [data]);
  const all = [...written, ...names.map((name) => errorSchema(name))];
  return {
    ...answers,
    400: envelope(description, all.length === 1 ? (all[0] ?? {}) : { oneOf: all }),
  };
}

type WrittenRefusal = {
  readonly description?: string;
  readonly properties?: { readonly data: { readonly oneOf?: readonly object[] } };
};

/** The errors that every endpoint can answer with. */
export const refusals = {
  401: refusal(
    'Key missing, malformed, unknown, revoked, paused or expired, or not allowed from this network.',
    'UNAUTHORIZED',
  ),
  403: refusal('The key lacks the permission.', 'FORBIDDEN'),
  429: refusal('The requests of the day, or of the second, are used up.', 'RATE_LIMIT_EXCEEDED'),
  503: refusal('No dataset is loaded, storage is down, or the server is overloaded.', UNAVAILABLE),
};

/** Refusals of routes that read a JSON body. */
export const bodyRefusals = {
  413: refusal('Body over 256 KiB.', 'PAYLOAD_TOO_LARGE'),
  415: refusal('Body that is not JSON.', 'UNSUPPORTED_MEDIA_TYPE'),
};

/** Every endpoint except the health checks takes a key. */
export const operation = <Given extends object>(tag: string, given: Given) => ({
  tags: [tag],
  security: [{ key: [] }],
  ...given,
});

export const headersTooLarge = refusal('Headers over 16 KiB.', 'HEADERS_TOO_LARGE');
