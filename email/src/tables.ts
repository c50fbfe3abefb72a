/**
 * The tables in the folder data: a row per line, cells without commas, lists in a cell separated by
 * blanks.
 */
import { readFileSync } from 'node:fs';

export function readTable(file: string): string[][] {
  const lines = readFileSync(new URL(`../data/${file}`, import.meta.url), 'utf8')
    .trim()
    .split(/\r?\n/);
  return lines.slice(1).map((line) => line.split(','));
}

export function words(cell = ''): string[] {
  return cell.split(' ').filter((word) => word !== '');
}

export function readNamedDomains(
  file: string,
): { readonly name: string; readonly domains: readonly string[] }[] {
  return readTable(file).map(([name = '', domains]) => ({ name, domains: words(domains) }));
}
