// Removes the API key from errors: text from elsewhere can contain it, such as undici's parser
// error.

const PLACEHOLDER = '[API key]';
/** More than any real chain has (fetch failed → AggregateError → …); ends chains that loop. */
const MAX_CAUSES = 5;

export function redactText(text: string, key: string): string {
  return text.replaceAll(key, PLACEHOLDER);
}

/** A redacted copy of a parsed JSON value. */
export function redactJson(value: unknown, key: string): unknown {
  if (typeof value === 'string') return redactText(value, key);
  if (Array.isArray(value)) return value.map((item) => redactJson(item, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [redactText(name, key), redactJson(item, key)]),
  );
}

/**
 * A redacted copy of an error: name, message, code, stack and causes, without any other property.
 */
export function redactCause(cause: unknown, key: string, depth = 1): Error | undefined {
  // Not instanceof: in test runners that use several realms, fetch throws the Error of another
  // realm.
  if (typeof cause !== 'object' || cause === null || !('message' in cause)) return undefined;
  const { name, message, code, stack, cause: inner } = cause as Record<string, unknown>;
  const innerCopy = depth < MAX_CAUSES ? redactCause(inner, key, depth + 1) : undefined;
  const copy = new Error(redactText(String(message), key), innerCopy && { cause: innerCopy });
  copy.name = redactText(String(name), key);
  if (typeof stack === 'string') copy.stack = redactText(stack, key);
  // Node's `code`, such as ECONNREFUSED, distinguishes a wrong port from a wrong host name.
  if (typeof code === 'string') Object.assign(copy, { code: redactText(code, key) });
  return copy;
}
