/**
 * RFC 4180 §2, with white space before a quote. An unclosed quote takes the rest: such a row has
 * too few fields.
 */
export function csvRow(line: string): string[] {
  if (!line.includes('"')) return line.split(',');
  const fields: string[] = [];
  for (let at = 0; ; ) {
    const open = openingQuote(line, at);
    const close = open < 0 ? at - 1 : closingQuote(line, open + 1);
    const comma = line.indexOf(',', close + 1);
    const end = comma < 0 ? line.length : comma;
    fields.push(
      open < 0
        ? line.slice(at, end)
        : line.slice(open + 1, close).replaceAll('""', '"') + line.slice(close + 1, end).trimEnd(),
    );
    if (comma < 0) return fields;
    at = comma + 1;
  }
}

function openingQuote(line: string, from: number): number {
  let at = from;
  while (line[at] === ' ' || line[at] === '\t') at++;
  return line[at] === '"' ? at : -1;
}

function closingQuote(line: string, from: number): number {
  for (let at = line.indexOf('"', from); at >= 0; at = line.indexOf('"', at + 2))
    if (line[at + 1] !== '"') return at;
  return line.length;
}
