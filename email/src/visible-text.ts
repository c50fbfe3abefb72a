// Text from DNS that a person will read: it may be 64 kB of escape sequences, forged lines and
// reversed writing.

/** Characters of what a finding or an advice quotes. */
const MAX_QUOTED = 60;

/**
 * An excerpt for a finding: short, and printable ASCII, with other characters written as `\x09`.
 */
export function excerpt(text: string, maxCharacters: number = MAX_QUOTED): string {
  if (text.length <= maxCharacters && !HAS_OTHERS.test(text)) return text;
  // Cut before escaping, so that the work does not grow with the record, and afterwards, since an
  // escape is longer.
  const escaped = text.slice(0, maxCharacters + 1).replace(NOT_PRINTABLE_ASCII, escapeCharacter);
  return escaped.length > maxCharacters ? `${escaped.slice(0, maxCharacters)}…` : escaped;
}

/**
 * The text with control characters, and others that cannot be seen, written as `\x1b` or
 * `\u{202e}`.
 */
export function visible(text: string): string {
  return text.replace(INVISIBLE, escapeCharacter);
}

/** Characters of an error or a recommendation. */
export const MAX_TEXT_CHARACTERS = 500;

export function cutText(text: string, maxCharacters: number = MAX_TEXT_CHARACTERS): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text;
}

const NOT_PRINTABLE_ASCII = /[^\x20-\x7e]/g;
const HAS_OTHERS = /[^\x20-\x7e]/;
// Control, format, surrogate, private-use and unassigned characters; separators of lines and
// paragraphs.
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

function escapeCharacter(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).padStart(2, '0');
  return code.length > 2 ? `\\u{${code}}` : `\\x${code}`;
}
