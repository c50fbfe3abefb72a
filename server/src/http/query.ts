/**
 * Reads queries. The reader of a route is made from the schema of its parameters: a list may be
 * repeated and is merged, a single value may not be repeated, a text must be one of those that the
 * schema allows, and a parameter without a name is ignored. Numbers, dates and names stay text,
 * because each route refuses them with an error of its own.
 */
import type { FastifyInstance, FastifyReply, RouteOptions } from 'fastify';
import { closestName } from '../closest-name.ts';
import { ApiError, type ErrorName } from './errors.ts';
import type { QueryOf, Schema, UnknownParameters } from './json-schema.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    unknownParameters?: UnknownParameters;
    /** Headers of the response that refuses a query. */
    refusalHeaders?: Readonly<Record<string, string>>;
  }
}

export type QueryMistake = {
  readonly name: ErrorName;
  readonly details: Readonly<Record<string, unknown>>;
};

type ReadQuery<Values> = {
  readonly values: Values;
  /** Unknown parameters of a route that names them. */
  readonly ignored: readonly string[];
  readonly mistake: QueryMistake | undefined;
};

type Kind = 'switch' | 'list' | 'text';
type Parameter = { readonly kind: Kind; readonly allowed: readonly string[] | undefined };
type ParameterSchema = { readonly type?: string; readonly enum?: readonly string[] };
type Value = boolean | string | string[];

/** The closest name costs time by the length, and no parameter has a longer name. */
const MAX_NAME_CHARACTERS = 64;
/**
 * Names in `X-Ignored-Parameters`. Ten of the longest take 1 kB: nginx answers 502 where all fields
 * together have more than 4 kB.
 */
const MAX_IGNORED = 10;
/** In place of further names. A name with a blank would be shown with an escape. */
const FURTHER_IGNORED = 'and more';

const KINDS: Readonly<Record<string, Kind>> = { boolean: 'switch', array: 'list' };
const SWITCH = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

export class QueryReader<Values> {
  readonly #parameters: ReadonlyMap<string, Parameter>;
  readonly #unknown: UnknownParameters;
  /** Most requests have no query. */
  readonly #empty = { values: {} as Values, ignored: [], mistake: undefined };

  constructor(properties: Readonly<Record<string, object>>, unknown: UnknownParameters) {
    const parameterOf = (schema: ParameterSchema): Parameter => ({
      kind: KINDS[schema.type ?? ''] ?? 'text',
      allowed: schema.enum,
    });
    this.#parameters = new Map(
      Object.entries(properties).map(([name, schema]) => [name, parameterOf(schema)]),
    );
    this.#unknown = unknown;
  }

  /** `text` is the query without its question mark. Reads up to the first mistake. */
  read(text: string): ReadQuery<Values> {
    if (text === '') return this.#empty;
    const values: Record<string, Value> = {};
    const ignored: string[] = [];
    let mistake: QueryMistake | undefined;
    for (const parameter of text.split('&')) {
      const equals = parameter.indexOf('=');
      const name = decode(equals === -1 ? parameter : parameter.slice(0, equals));
      if (name === '') continue;
      const known = this.#parameters.get(name);
      if (known === undefined) {
        if (this.#unknown === 'refused') mistake = this.#unknownParameter(name);
        if (this.#unknown === 'named') this.#ignore(name, ignored);
      } else {
        const value = equals === -1 ? '' : decode(parameter.slice(equals + 1));
        mistake = this.#take(values, name, known, value);
      }
      if (mistake !== undefined) break;
    }
    return { values: values as Values, ignored, mistake };
  }

  #take(
    values: Record<string, Value>,
    name: string,
    { kind, allowed }: Parameter,
    value: string,
  ): QueryMistake | undefined {
    if (kind === 'list') {
      const items = value.split(',').map((item) => item.trim());
      const before = (values[name] ?? []) as string[];
      values[name] = [...before, ...items.filter((item) => item !== '')];
      return undefined;
    }
    if (values[name] !== undefined && this.#unknown !== 'ignored')
      return { name: 'REPEATED_PARAMETER', details: { parameter: name } };
    if (kind === 'text') {
      if (allowed?.includes(value) === false) return otherThan(name, allowed);
      values[name] = value;
      return undefined;
    }
    const isOn = SWITCH.get(value.toLowerCase());
    if (isOn === undefined) return otherThan(name, ['true', 'false']);
    values[name] = isOn;
    return undefined;
  }

  #unknownParameter(name: string): QueryMistake {
    const closest = this.#closest(name);
    return {
      name: 'UNKNOWN_PARAMETER',
      details: {
        parameter: name.slice(0, MAX_NAME_CHARACTERS),
        ...(closest !== undefined && { closest }),
        parameters: [...this.#parameters.keys()],
      },
    };
  }

  #ignore(name: string, ignored: string[]): void {
    if (ignored.length > MAX_IGNORED) return;
    const shown = encodeURIComponent(name).slice(0, MAX_NAME_CHARACTERS).replace(/%.?$/, '');
    const closest = this.#closest(name);
    const entry = closest === undefined ? shown : `${shown} (did you mean ${closest}?)`;
    if (ignored.includes(entry)) return;
    ignored.push(ignored.length < MAX_IGNORED ? entry : FURTHER_IGNORED);
  }

  #closest(name: string): string | undefined {
    if (name.length > MAX_NAME_CHARACTERS) return undefined;
    return closestName(name.toLowerCase(), [...this.#parameters.keys()]);
  }
}

const otherThan = (parameter: string, allowed: readonly string[]): QueryMistake => ({
  name: 'INVALID_QUERY',
  details: { parameter, allowed },
});

/** As `URLSearchParams` decodes, which is five times slower. */
function decode(text: string): string {
  if (!text.includes('%')) return text.includes('+') ? text.replaceAll('+', ' ') : text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return new URLSearchParams(`text=${text}`).get('text') ?? '';
  }
}

export function queryReader<Query extends Schema<unknown>>(
  schema: Query & { readonly properties: Readonly<Record<string, object>> },
  unknown: UnknownParameters = 'refused',
): QueryReader<QueryOf<Query>> {
  return new QueryReader(schema.properties, unknown);
}

export function queryRefusal(
  { name, details }: QueryMistake,
  headers: Readonly<Record<string, string>> = {},
): ApiError {
  return new ApiError(name, { headers, extra: { details } });
}

/**
 * Reads the query of every route that is registered after this call: behind the hooks that admit a
 * request, and before its body is read. Until then `request.query` is the text.
 */
export function readQueries(app: FastifyInstance): void {
  app.addHook('onRoute', (route: RouteOptions) => {
    const { unknownParameters = 'refused', refusalHeaders } = route.config ?? {};
    const schema = route.schema?.querystring as { properties?: Record<string, object> } | undefined;
    const reader = new QueryReader<unknown>(schema?.properties ?? {}, unknownParameters);
    route.preParsing = (request, reply: FastifyReply, _payload, done) => {
      const { values, ignored, mistake } = reader.read(request.query as string);
      if (mistake !== undefined) throw queryRefusal(mistake, refusalHeaders);
      if (ignored.length > 0) reply.header('X-Ignored-Parameters', ignored.join(', '));
      request.query = values;
      done();
    };
  });
}
