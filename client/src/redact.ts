/**
 * Keeps the API key out of errors. Ours never put it there; what they quote might: a server that repeats the key in its
 * refusal, a fetch that hangs the request on what it throws, undici's parser error with the bytes it could not read.
 */

const PLACEHOLDER = '[API key]';
/** Deeper than any chain met (fetch failed → AggregateError → …), and an end for a chain that loops. */
const MAX_CAUSES = 5;

export function redactText(text: string, key: string): string {
  return text.replaceAll(key, PLACEHOLDER);
}

/** A copy of something parsed from JSON. */
export function redactJson(value: unknown, key: string): unknown {
  if (typeof value === 'string') return redactText(value, key);
  if (Array.isArray(value)) return value.map((item) => redactJson(item, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [redactText(name, key), redactJson(item, key)]),
  );
}

/** A copy that has the name, message, code, stack and causes of an error, and nothing that somebody hung on it. */
export function redactCause(cause: unknown, key: string, depth = 1): Error | undefined {
  // Not instanceof: under test runners with realms of their own, fetch throws an Error of another one.
  if (typeof cause !== 'object' || cause === null || !('message' in cause)) return undefined;
  const { name, message, code, stack, cause: inner } = cause as Record<string, unknown>;
  const innerCopy = depth < MAX_CAUSES ? redactCause(inner, key, depth + 1) : undefined;
  const copy = new Error(redactText(String(message), key), innerCopy && { cause: innerCopy });
  copy.name = redactText(String(name), key);
  if (typeof stack === 'string') copy.stack = redactText(stack, key);
  // ECONNREFUSED and its like: Node's `code` is what tells a wrong port from a wrong name.
  if (typeof code === 'string') Object.assign(copy, { code: redactText(code, key) });
  return copy;
}
