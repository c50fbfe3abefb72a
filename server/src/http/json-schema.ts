// JSON Schemas that carry the TypeScript type of what they describe (`ValueOf`): Fastify validates
// bodies with them, and the OpenAPI document is made of them. Parameters and answers are only
// described.
import type { FastifyRequest } from 'fastify';
import { present } from '../present.ts';

/**
 * A schema of values of this type. One that is written without the functions below describes
 * `unknown`.
 */
export type Schema<Value> = { readonly '~value'?: Value };
export type ValueOf<Given> = Given extends Schema<infer Value> ? Value : unknown;

type Properties = Readonly<Record<string, object>>;
/** Marks a property that may be missing: at run time with a symbol, which JSON does not have. */
const OPTIONAL = Symbol('optional');
type Optional = { readonly '~optional': true };
type ObjectOf<P extends Properties> = Flat<
  { [Name in keyof P as P[Name] extends Optional ? never : Name]: ValueOf<P[Name]> } & {
    [Name in keyof P as P[Name] extends Optional ? Name : never]?: ValueOf<P[Name]>;
  }
>;
type Flat<T> = { [Name in keyof T]: T[Name] };

/** A schema that has no function of its own below. */
export const typed = <Value>(keywords: object): Schema<Value> => keywords;

export const string = (description: string, example?: string) =>
  typed<string>({
    type: 'string',
    description,
    ...(example === undefined ? {} : { examples: [example] }),
  });
export const text = (maxLength: number) => typed<string>({ type: 'string', maxLength });
export const list = <Items extends object>(items: Items, description?: string) =>
  typed<ValueOf<Items>[]>({ type: 'array', items, ...present({ description }) });
export const strings = (description: string) =>
  list(typed<string>({ type: 'string' }), description);
export const integer = (description: string) => typed<number>({ type: 'integer', description });
export const number = (description: string, example: number) =>
  typed<number>({ type: 'number', description, examples: [example] });
export const boolean = (description?: string) =>
  typed<boolean>({ type: 'boolean', ...present({ description }) });
/** A member that is absent where it would be false. */
export const always = (description: string) =>
  typed<true>({ type: 'boolean', const: true, description });
export const oneOfTexts = <const Text extends string>(
  values: readonly Text[],
  description?: string,
) => typed<Text>({ type: 'string', enum: values, ...present({ description }) });
export const share = (description: string) =>
  typed<number>({ type: 'number', minimum: 0, maximum: 1, description });
/** A date and time of RFC 3339. */
export const dateTime = (description: string, example = '2026-11-15T05:26:11.551Z') => ({
  ...string(description, example),
  format: 'date-time',
});
export const constant = <const Text extends string>(text: Text, description?: string) =>
  typed<Text>({ type: 'string', const: text, ...present({ description }) });
export const orNull = <Given extends object>(schema: Given) =>
  typed<ValueOf<Given> | null>({ ...schema, nullable: true });

export const switchParameter = (description: string) => ({
  ...boolean(description),
  examples: [true],
});
/** Names separated by commas. */
export const listParameter = <Items extends object>(
  items: Items,
  description: string,
  example: readonly string[],
) => ({
  ...list(items, description),
  examples: [example],
});

/** A schema that the OpenAPI document has under `components`: see `api/openapi-document.ts`. */
export const named = <Given extends object>(title: string, schema: Given) => ({ title, ...schema });

export const optional = <Given extends object>(schema: Given) =>
  ({ ...schema, [OPTIONAL]: true }) as unknown as Given & Optional;
export const allOptional = <P extends Properties>(properties: P) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, optional(schema)]),
  ) as {
    [Name in keyof P]: P[Name] & Optional;
  };

export function object<P extends Properties>(properties: P) {
  const required = Object.keys(properties).filter(
    (name) => !(OPTIONAL in (properties[name] ?? {})),
  );
  return { ...typed<ObjectOf<P>>({}), type: 'object', properties, required };
}

export const namedObject = <P extends Properties>(title: string, properties: P) =>
  named(title, object(properties));

/** Without other properties: a misspelt one is refused. */
export const exactObject = <P extends Properties>(properties: P) => ({
  ...object(properties),
  additionalProperties: false,
});

/**
 * A query as `http/query` reads it; any parameter may be missing: switches, lists of
 * texts, texts, and numbers as texts.
 */
export type QueryOf<Query> = {
  readonly [Name in keyof ValueOf<Query>]?: ReadAs<Exclude<ValueOf<Query>[Name], undefined>>;
};
type ReadAs<Value> = [Value] extends [boolean]
  ? boolean
  : [Value] extends [readonly unknown[]]
    ? readonly string[]
    : [Value] extends [string]
      ? Value
      : string;

/**
 * What a route does with a parameter that its schema does not have:
 *
 *   refused    400 with the closest name; unless a route says otherwise
 *   named      ignored, and listed in `X-Ignored-Parameters`: the routes of SPEC.md, whose clients
 *              must never be refused for more than SPEC.md says
 *   ignored    other programs and browsers send parameters of their own; the last of repeated
 *              values counts
 */
export type UnknownParameters = 'refused' | 'named' | 'ignored';

export type ParameterOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterOf<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type PartOf<Route, Part extends string> = Route extends { readonly [Name in Part]: infer Given }
  ? Given
  : Schema<unknown>;
export type RequestOf<Route> = FastifyRequest<{
  Params: ValueOf<PartOf<Route, 'params'>>;
  Querystring: QueryOf<PartOf<Route, 'querystring'>>;
  Body: ValueOf<PartOf<Route, 'body'>>;
}>;
