// Validators for the JSON Schema keywords that our bodies use: loading Ajv takes 130 ms of the
// first request. Errors are those that Ajv reports first (tested). Other keywords are refused at
// registration.
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify';

/**
 * The first violation: where it is (RFC 6901), the name of a property that is missing there, and
 * what should be there.
 */
export type Violation = {
  readonly instancePath: string;
  readonly params: { readonly missingProperty?: string };
  readonly expected: string;
};

type Check = (value: unknown, path: string) => Violation | undefined;

type Schema = {
  readonly type?: unknown;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly unknown[];
};

/** For the documentation only. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'examples',
  'deprecated',
]);

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  number: Number.isFinite,
  boolean: (value) => typeof value === 'boolean',
};

/** Sets the validators of an app. Only what it needs of a schema is read, and only once. */
export function useValidators(app: FastifyInstance): void {
  const compilerOf: FastifySchemaCompiler<unknown> = ({ schema, httpPart }) => {
    // Parameters of paths and queries are texts: handlers parse them, and refuse them with errors
    // of their own.
    if (httpPart !== 'body') return () => true;
    const check = checkOf(schema as Schema);
    // The interface of Fastify: false, and the errors as a property of the function.
    const validate = (value: unknown): boolean => {
      const violation = check(value, '');
      validate.errors = violation === undefined ? null : [violation];
      return violation === undefined;
    };
    validate.errors = null as Violation[] | null;
    return validate as unknown as ReturnType<FastifySchemaCompiler<unknown>>;
  };
  app.setValidatorCompiler(compilerOf);
}

/** The keywords in the order in which Ajv checks them. */
export function checkOf(schema: Schema): Check {
  const { type, nullable = false, properties, required, items, ...others } = schema;
  const {
    additionalProperties,
    minItems,
    maxItems,
    maxLength,
    minimum,
    maximum,
    enum: values,
    ...unknown
  } = others;
  const unsupported = Object.keys(unknown).find((name) => !ANNOTATIONS.has(name));
  if (unsupported !== undefined)
    throw new Error(`validators do not support ${unsupported} in a request schema`);
  if (additionalProperties !== undefined && additionalProperties !== false)
    throw new Error('validators support additionalProperties only as false');
  const isOfType = typeCheckOf(type);
  const checkItem = items === undefined ? undefined : checkOf(items);
  const members = Object.entries(properties ?? {}).map(
    ([name, each]) => [name, checkOf(each)] as const,
  );
  const memberNames = new Set(members.map(([name]) => name));
  const expected = describe(schema);
  return (value, path) => {
    const violation: Violation = { instancePath: path, params: {}, expected };
    if (nullable && value === null) return undefined;
    if (!isOfType(value)) return violation;
    if (typeof value === 'number' && (value < (minimum ?? value) || value > (maximum ?? value)))
      return violation;
    if (typeof value === 'string' && maxLength !== undefined && isLonger(value, maxLength))
      return violation;
    if (Array.isArray(value)) {
      if (value.length > (maxItems ?? value.length) || value.length < (minItems ?? 0))
        return violation;
      return checkItem === undefined
        ? undefined
        : first(value, (item, i) => checkItem(item, `${path}/${i}`));
    }
    if (isObject(value)) {
      const missing = required?.find((name) => value[name] === undefined);
      if (missing !== undefined) {
        const expectedThere = describe(properties?.[missing] ?? {});
        return {
          instancePath: path,
          params: { missingProperty: missing },
          expected: expectedThere,
        };
      }
      if (
        additionalProperties === false &&
        Object.keys(value).some((name) => !memberNames.has(name))
      )
        return violation;
      return first(members, ([name, check]) =>
        value[name] === undefined ? undefined : check(value[name], `${path}/${name}`),
      );
    }
    return values === undefined || values.includes(value) ? undefined : violation;
  };
}

function describe({
  type,
  properties,
  items,
  minItems,
  maxItems,
  maxLength,
  minimum,
  maximum,
  enum: values,
}: Schema): string {
  if (values !== undefined) return `one of ${values.join(', ')}`;
  if (type === 'object') return `an object with ${Object.keys(properties ?? {}).join(', ')}`;
  if (type === 'array') {
    let count = '';
    if (maxItems !== undefined) count = ` of ${minItems ?? 0} to ${maxItems}`;
    else if (minItems !== undefined) count = ` of at least ${minItems}`;
    return `a list${count}, each ${describe(items ?? {})}`;
  }
  const limits = [
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
  ];
  return [[type].flat().join(' or '), ...limits].join(', ');
}

function typeCheckOf(type: unknown): (value: unknown) => boolean {
  const checks = [type].flat().map((name) => TYPES[String(name)]);
  if (!checks.every((check) => check !== undefined))
    throw new Error(`validators do not support the type ${type} in a request schema`);
  return (value) => checks.some((check) => check(value));
}

/** JSON Schema counts characters, not UTF-16 code units. */
function isLonger(text: string, maxLength: number): boolean {
  if (text.length <= maxLength) return false;
  return text.length > 2 * maxLength || [...text].length > maxLength;
}

function first<Item>(
  list: readonly Item[],
  check: (item: Item, i: number) => Violation | undefined,
): Violation | undefined {
  for (let i = 0; i < list.length; i++) {
    const violation = check(list[i] as Item, i);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
