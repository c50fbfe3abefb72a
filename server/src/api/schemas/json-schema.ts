/**
 * What the schemas are written with. Each endpoint has one object: Fastify validates requests with it, and the OpenAPI
 * document is made of it. Answers are described, not filtered.
 */

export const string = (description: string, example?: string) => ({
  type: 'string',
  description,
  ...(example === undefined ? {} : { examples: [example] }),
});
export const list = (items: object) => ({ type: 'array', items });
export const strings = (description: string) => ({ type: 'array', items: { type: 'string' }, description });
export const integer = (description: string) => ({ type: 'integer', description });
export const boolean = (description: string) => ({ type: 'boolean', description });

/** A schema that the OpenAPI document has under `components`: see `api/openapi-document.ts`. */
export const named = <Schema extends object>(title: string, schema: Schema) => ({ title, ...schema });

/** An object in which all properties but the optional ones are required. */
export function object(properties: Record<string, object>, optional: readonly string[] = []) {
  return { type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) };
}
