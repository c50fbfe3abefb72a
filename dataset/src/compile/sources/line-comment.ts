/**
 * Comments of plain lists. `#` and `;` begin one wherever they stand, since no address has them; `//` only at the start of a line
 * or after a blank, so that `192.0.2.0//24` is a mistake and not an address with a remark.
 */
export function withoutComment(line: string): string {
  const mark = line.search(/[#;]|(?:^|\s)\/\//);
  return (mark < 0 ? line : line.slice(0, mark)).trim();
}
