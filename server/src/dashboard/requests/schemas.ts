/** Short forms for the JSON Schemas of request bodies. */

/** All of `required`, some of `optional`, nothing else. */
export function object(required: Record<string, object>, optional: Record<string, object> = {}) {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}

export const text = (maxLength: number) => ({ type: 'string', maxLength });
export const oneOf = (values: readonly string[]) => ({ type: 'string', enum: values });
export const listOf = (items: object, maxItems: number) => ({ type: 'array', items, maxItems });
export const boolean = { type: 'boolean' };
/** Also null. */
export const orNull = (schema: object) => ({ ...schema, nullable: true });
export const positiveInteger = { type: 'integer', minimum: 1 };
