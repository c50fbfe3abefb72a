/** Looking into JSON that somebody else wrote: nothing is there until it has been seen. */
import type { Content } from './content.ts';

/** The one value that the content is. `what` completes the sentence "not …". */
export function jsonDocument(content: Content, what: string): unknown {
  const text = content.text();
  try {
    return JSON.parse(text);
  } catch (error) {
    // The engine quotes what it met first: that tells an HTML page from a file that was cut off.
    throw new Error(`not ${what}: not JSON (${(error as Error).message.slice(0, 120)})`);
  }
}

/** One line of NDJSON, or undefined where it is not JSON. */
export function jsonLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** A member of an object, and of nothing else; what an object inherits is no member. */
export function member(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key))
    return undefined;
  return (value as Record<string, unknown>)[key];
}

export function textMember(value: unknown, key: string): string {
  const text = member(value, key);
  return typeof text === 'string' ? text : '';
}

/** A member that is a list, or undefined. */
export function listMember(value: unknown, key: string): readonly unknown[] | undefined {
  const list = member(value, key);
  return Array.isArray(list) ? list : undefined;
}

/** A list without which the document is not what we think. */
export function requiredList(value: unknown, key: string, what: string): readonly unknown[] {
  const list = listMember(value, key);
  if (list === undefined) throw new Error(`not ${what}: no "${key}" list`);
  return list;
}
