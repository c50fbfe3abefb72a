/** Parameters of the query, which arrive as text. */
import { invalid } from './refusal.ts';

export function parseCount(path: string, text: string | undefined, fallback: number, max: number): number {
  if (text === undefined) return fallback;
  if (!/^[0-9]{1,9}$/.test(text)) throw invalid(path, 'a number from 0 on');
  return Math.min(Number(text), max);
}

export function parseChoice<Choice extends string>(
  path: string,
  text: string | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  if (text === undefined || text === '') return undefined;
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined) throw invalid(path, `one of ${choices.join(', ')}`);
  return choice;
}
