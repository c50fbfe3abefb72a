import type { Content } from '../../io/content.ts';

/**
 * Parses the content as one JSON value. `what` names the expected document in the error: "not
 * `what`: …".
 */
export function jsonDocument(content: Content, what: string): unknown {
  const text = content.text();
  try {
    return JSON.parse(text);
  } catch (error) {
    // The engine's message quotes the text, which tells an HTML page from a truncated file.
    throw new Error(`not ${what}: not JSON (${(error as Error).message.slice(0, 120)})`);
  }
}

/** One line of NDJSON, or undefined where it is not an object. */
export function jsonLine(line: string): unknown {
  const text = line.trim();
  // A text that is not JSON takes twenty times as long as one that is, for its exception.
  if (!text.startsWith('{') || !text.endsWith('}')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An own member of an object; undefined for other values and for inherited members. */
export function member(value: unknown, key: string): unknown {
  if (
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value) ||
    !Object.hasOwn(value, key)
  )
    return undefined;
  return (value as Record<string, unknown>)[key];
}

export function textMember(value: unknown, key: string): string {
  const text = member(value, key);
  return typeof text === 'string' ? text : '';
}

export function listMember(value: unknown, key: string): readonly unknown[] | undefined {
  const list = member(value, key);
  return Array.isArray(list) ? list : undefined;
}

export function requiredList(value: unknown, key: string, what: string): readonly unknown[] {
  const list = listMember(value, key);
  if (list === undefined) throw new Error(`not ${what}: no "${key}" list`);
  return list;
}
