/**
 * Removes the comment of a line in a plain list. `#` and `;` begin a comment anywhere, because no address contains
 * them; `//` only at the start of a line or after white space, so that `192.0.2.0//24` is invalid and not an address
 * with a comment.
 */
export function withoutComment(line: string): string {
  const mark = line.search(/[#;]|(?:^|\s)\/\//);
  return (mark < 0 ? line : line.slice(0, mark)).trim();
}
