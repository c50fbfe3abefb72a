// Makes foreign text safe for a terminal: control sequences could rewrite the screen, and a bidi
// override reorder it.

// Cc: C0, DEL and C1. Cs in a Unicode-aware expression matches lone surrogates only. U+2028 and
// U+2029 end a line. A soft hyphen, U+200B, U+2060 and U+FEFF are invisible and come with copied
// text; joiners are part of scripts and emoji.
const UNSAFE = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u00ad\u200b\u2028\u2029\u2060\ufeff]/gu;
const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * One line, with unsafe characters as escapes: `\x1b`, `\u202e`. Display only; a backslash is left
 * alone.
 */
export function printable(text: string): string {
  return text.replace(
    UNSAFE,
    (character) => SHORT_ESCAPES[character] ?? escapeCode(character.charCodeAt(0)),
  );
}

/** The same for text of several lines with columns: line breaks and tabs stay. */
export function printableText(text: string): string {
  return text.replace(UNSAFE, (character, at: number) => {
    const isLayout =
      character === '\n' || character === '\t' || (character === '\r' && text[at + 1] === '\n');
    return isLayout ? character : printable(character);
  });
}

/** The same for a message of several lines: line feeds stay. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/**
 * Printable ASCII only: the same in a terminal, a pipe and from a server, whatever characters the
 * texts have.
 */
export function jsonLine(value: unknown): string {
  const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `${JSON.stringify(value).replace(/[^\0-\x7e]/g, escapeUnit)}\n`;
}

function escapeCode(code: number): string {
  const hex = code.toString(16);
  return code < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u${hex.padStart(4, '0')}`;
}
