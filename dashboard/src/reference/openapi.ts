/** The parts of the OpenAPI document that the reference shows. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
};
export type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
};
type Content = {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
};
type Body = { readonly description?: string; readonly content?: Readonly<Record<string, Content>> };
type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, Body>>;
};
export type OpenApi = {
  readonly info: { readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** A request that is shown, and the key that it is tried with. */
export type OperationProps = {
  readonly document: OpenApi;
  readonly route: Route;
  readonly apiKey: string;
};
export type Route = {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
};

/** By tag, in the order of the document; tags that it does not describe come last. */
export function routesByTag({
  paths,
  tags,
}: OpenApi): { name: string; description?: string; routes: Route[] }[] {
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
  const named = new Set([
    ...tags.map(({ name }) => name),
    ...routes.flatMap(({ operation }) => operation.tags),
  ]);
  return [...named].map((name) => ({
    name,
    ...tags.find((tag) => tag.name === name),
    routes: routes.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

/** Otherwise in the order of the document. */
export const requiredFirst = (parameters: readonly Parameter[] = []): Parameter[] =>
  [...parameters].sort((a, b) => Number(b.required ?? false) - Number(a.required ?? false));

export const jsonOf = (body: Body | undefined): Content | undefined =>
  body?.content?.['application/json'];

export function exampleOf(content: Content | undefined): unknown {
  return content?.example ?? Object.values(content?.examples ?? {})[0]?.value;
}

export type FieldRow = {
  readonly name: string;
  readonly type: string;
  readonly description: string;
};

/** Deeper fields are in the example. */
const MAX_DEPTH = 3;

/**
 * The fields of an object with those of objects in it, as `detection.is_vpn`; `[]` for entries of a
 * list.
 */
export function fieldsOf(
  document: OpenApi,
  schema: Schema | undefined,
  prefix = '',
  depth = 0,
): FieldRow[] {
  const { properties = {} } = resolve(document, schema);
  return Object.entries(properties).flatMap(([name, given]) => {
    const field = resolve(document, given);
    const isList = field.items !== undefined;
    const path = `${prefix}${name}${isList ? '[]' : ''}`;
    const row = {
      name: path,
      type: typeOf(document, given),
      description: given.description ?? field.description ?? '',
    };
    return depth + 1 >= MAX_DEPTH
      ? [row]
      : [row, ...fieldsOf(document, isList ? field.items : field, `${path}.`, depth + 1)];
  });
}

function resolve({ components }: OpenApi, schema: Schema = {}): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (components.schemas[name] ?? {});
}

export function typeOf(document: OpenApi, schema: Schema): string {
  const { type, enum: values, const: value, items, anyOf, oneOf } = resolve(document, schema);
  if (value !== undefined) return JSON.stringify(value);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (items !== undefined) return `list of ${typeOf(document, items)}`;
  const choices = anyOf ?? oneOf;
  if (choices !== undefined)
    return [...new Set(choices.map((choice) => typeOf(document, choice)))].join(' | ');
  return typeof type === 'string' ? type : (type ?? ['any']).join(' | ');
}
