// Tag lists, `name=value; name=value`: DKIM keys (RFC 6376 §3.2) and DMARC records (RFC 9989 §4.7).
// Read to the end in spite of errors, whose meaning differs between the two; values may have any
// characters.
import { type Finding, FindingList, MAX_FINDINGS } from '../findings/finding.ts';
import { excerpt } from '../visible-text.ts';

export type Tag = {
  readonly name: string;
  readonly value: string;
  /** The tag as written, without the white space around it. */
  readonly raw: string;
};

export type TagList = {
  readonly tags: readonly Tag[];
  /** Names that occur more than once, each listed once. */
  readonly duplicates: readonly string[];
  /** Texts between two semicolons that are not tags; `''` for an empty one. */
  readonly malformed: readonly string[];
};

/**
 * RFC 6376 §3.2: tag names are case-sensitive. The grammar of RFC 9989 §4.8 is not: `lowered` is
 * for DMARC.
 */
export function parseTagList(text: string, nameCase: 'kept' | 'lowered' = 'kept'): TagList {
  const tags: Tag[] = [];
  const duplicates = new Set<string>();
  const malformed: string[] = [];
  const names = new Set<string>();
  const parts = text.split(';').map(trimBlanks);
  // The last semicolon is optional, so an empty text after it is not an error.
  if (parts.at(-1) === '') parts.pop();
  for (const raw of parts) {
    const equals = raw.indexOf('=');
    const written = trimBlanks(raw.slice(0, Math.max(equals, 0)));
    if (!TAG_NAME.test(written)) {
      malformed.push(raw);
      continue;
    }
    const name = nameCase === 'lowered' ? written.toLowerCase() : written;
    if (names.has(name)) duplicates.add(name);
    names.add(name);
    tags.push({ name, value: trimBlanks(raw.slice(equals + 1)), raw });
  }
  return { tags, duplicates: [...duplicates], malformed };
}

/**
 * The value of a tag, the first if it is repeated. An empty value is not the same as an absent tag
 * (RFC 6376 §3.2).
 */
export function tagValue({ tags }: TagList, name: string): string | undefined {
  return tags.find((tag) => tag.name === name)?.value;
}

export function colonList(value: string): string[] {
  return value.split(':').map(trimBlanks);
}

/** The errors that DKIM keys and DMARC records have in common. */
export function tagListErrors({ duplicates, malformed }: TagList): Finding[] {
  const errors = new FindingList();
  for (const raw of malformed.slice(0, MAX_FINDINGS))
    errors.add({ code: 'malformed_tag', detail: { text: excerpt(raw) } });
  for (const name of duplicates.slice(0, MAX_FINDINGS))
    errors.add({ code: 'duplicate_tag', detail: { tag: excerpt(name) } });
  for (const { length } of [malformed, duplicates])
    errors.addLeftOut(Math.max(0, length - MAX_FINDINGS));
  return errors.toArray();
}

const TAG_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;

/**
 * `trim` would also remove U+00A0, which may be a byte of UTF-8, and `/\s+$/` is quadratic on long
 * runs of blanks.
 */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Space, tab, CR, LF: folding white space (RFC 6376 §2.8). */
function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
}

/**
 * `p=` of a DKIM key without white space, `''` if there is none: a selector can be renamed, and
 * tags around a key change.
 */
export function keyDataOf({ raw }: { readonly raw: string }): string {
  return tagValue(parseTagList(raw), 'p')?.replace(/\s/g, '') ?? '';
}
