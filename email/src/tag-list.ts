/**
 * Tag lists, `name=value; name=value`, the form of DKIM keys (RFC 6376 §3.2) and of DMARC records (RFC 9989 §4.7).
 *
 * The list is read to its end whatever is wrong with it: what a duplicate or a malformed tag means differs between the two, so
 * it is for them to say. Values are not held to printable ASCII: the tags that matter are checked one by one, and a note in
 * another alphabet harms nobody.
 */
export type Tag = {
  readonly name: string;
  readonly value: string;
  /** The tag as written, without the white space around it. */
  readonly raw: string;
};

export type TagList = {
  /** In order, duplicates included. */
  readonly tags: readonly Tag[];
  /** Names that come more than once, each named once. */
  readonly duplicates: readonly string[];
  /** What stands between two semicolons and is no tag; `''` where nothing does. */
  readonly malformed: readonly string[];
};

/** RFC 6376 §3.2 tells tag names apart by case, the grammar of RFC 9989 §4.8 does not: `lowered` is for DMARC. */
export function parseTagList(text: string, nameCase: 'kept' | 'lowered' = 'kept'): TagList {
  const tags: Tag[] = [];
  const duplicates = new Set<string>();
  const malformed: string[] = [];
  const names = new Set<string>();
  const parts = text.split(';').map(trimBlanks);
  // The last semicolon is optional, so nothing after it is nothing at all.
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

/** The value of a tag, of the first one if there are several. An empty value is not an absent one (RFC 6376 §3.2). */
export function tagValue({ tags }: TagList, name: string): string | undefined {
  return tags.find((tag) => tag.name === name)?.value;
}

/** The items of a colon-separated value. */
export function colonList(value: string): string[] {
  return value.split(':').map(trimBlanks);
}

/** The errors that both kinds of record report in the same words. */
export function tagListErrors({ duplicates, malformed }: TagList): string[] {
  return [
    ...malformed.map((raw) =>
      raw === '' ? 'malformed_tag: nothing between two semicolons' : `malformed_tag: ${quote(raw)} is not name=value`,
    ),
    ...duplicates.map((name) => `duplicate_tag: ${name}= is there more than once`),
  ];
}

/** Text from DNS inside one of our sentences. It may be 64 kB long; the sentence may not. */
export function quote(text: string): string {
  return text.length > 60 ? `"${text.slice(0, 57)}..."` : `"${text}"`;
}

const TAG_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;

/** By hand: `trim` would also take U+00A0, a byte of somebody's UTF-8, and `/\s+$/` is quadratic on a long run of blanks. */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Space, tab, CR, LF: what folding white space is made of (RFC 6376 §2.8). */
function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
}
