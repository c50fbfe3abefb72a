/**
 * What the schemas are written with. Each endpoint has one object: Fastify validates bodies with it, and the OpenAPI
 * document is made of it. Parameters and answers are described only: a handler parses the text of a parameter and refuses
 * it with an error of its own, and answers are not filtered.
 */

export const string = (description: string, example?: string) => ({
  type: 'string',
  description,
  ...(example === undefined ? {} : { examples: [example] }),
});
export const list = (items: object) => ({ type: 'array', items });
export const strings = (description: string) => ({ type: 'array', items: { type: 'string' }, description });
export const integer = (description: string) => ({ type: 'integer', description });
export const number = (description: string, example: number) => ({ type: 'number', description, examples: [example] });
export const boolean = (description: string) => ({ type: 'boolean', description });
export const oneOfTexts = (values: readonly string[]) => ({ type: 'string', enum: values });
/** From 0 to 1. */
export const share = (description: string) => ({ type: 'number', minimum: 0, maximum: 1, description });
/** A date and time of RFC 3339. */
export const dateTime = (description: string, example = '2026-11-15T05:26:11.551Z') => ({
  ...string(description, example),
  format: 'date-time',
});

/** A parameter of a query that is on or off. */
export const switchParameter = (description: string) => ({ ...boolean(description), examples: [true] });
/** Names separated by commas. */
export const listParameter = (items: object, description: string, example: readonly string[]) => ({
  ...list(items),
  description,
  examples: [example],
});

/** A schema that the OpenAPI document has under `components`: see `api/openapi-document.ts`. */
export const named = <Schema extends object>(title: string, schema: Schema) => ({ title, ...schema });

/** An object in which all properties but the optional ones are required. */
export function object(properties: Record<string, object>, optional: readonly string[] = []) {
  return { type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) };
}
