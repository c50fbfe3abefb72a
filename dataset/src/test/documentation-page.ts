/** A page of docs/ whose code blocks and tables a test compares with the program. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export class DocumentationPage {
  readonly text: string;

  constructor(name: string) {
    this.text = readFileSync(join(import.meta.dirname, '../../../docs', name), 'utf8');
  }

  /** The content of every code block that begins with ```` ```info ````. */
  blocks(info: string): string[] {
    return [...this.text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].flatMap(
      ([, found, content = '']) => (found === info ? [content] : []),
    );
  }

  /** The rows of the table with this heading, as lists of cells. */
  table(...heading: string[]): string[][] {
    const rows = this.text.split('\n').map(cells);
    const start = rows.findIndex((row) => row.join('|') === heading.join('|'));
    if (start < 0) throw new Error(`the page has no table with the heading ${heading.join(', ')}`);
    const end = rows.findIndex((row, i) => i > start && row.length === 0);
    return rows.slice(start + 2, end < 0 ? undefined : end);
  }
}

function cells(line: string): string[] {
  if (!line.startsWith('|')) return [];
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** The names between backquotes in a cell. */
export function namesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}
