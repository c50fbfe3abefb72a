// Words and lists that the sentences of several parts share.
import { explain, type Finding } from './finding.ts';

export type Domain = { domain: string };

export type Name = { name: string };

export function explanationsOf(findings: readonly Finding[]): string {
  return firstThree(findings.slice(0, 4).map(explain), findings.length);
}

export function firstThree(texts: readonly string[], count: number = texts.length): string {
  const shown = texts.slice(0, 3).join('; ');
  return count > 3 ? `${shown}; and ${count - 3} more` : shown;
}
