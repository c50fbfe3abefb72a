/** The message at the start about flags that the dataset does not know, or knows only as of a past date. */
import { PROGRAM } from '../../terminal/program-name.ts';
import { askReadiness } from './readiness.ts';

type FlagKnowledge = { readonly unknown_flags: readonly string[]; readonly dated_flags: readonly string[] };

/** Empty if every flag is from a current list. */
export function unknownFlagsText({ unknown_flags: unknown, dated_flags: dated }: FlagKnowledge): string {
  if (unknown.length === 0 && dated.length === 0) return '';
  const lines = [
    ...(unknown.length === 0 ? [] : [`  not known, and so false or absent everywhere: ${unknown.join(', ')}`]),
    ...(dated.length === 0 ? [] : [`  known from tables of a past date only: ${dated.join(', ')}`]),
  ];
  return `\nSome flags need lists that \`${PROGRAM} dataset update\` (or WHENCE_UPDATE) fetches; proxies are opt-in:\n${lines.join('\n')}\n`;
}

/** An unknown flag is false in every answer, which readers of the first answers should know. */
export async function tellUnknownFlags(url: string): Promise<string> {
  try {
    // Our own answer; without a dataset (a first pull) it has no data.
    const { data } = (await askReadiness(url)).body as { data?: Partial<FlagKnowledge> };
    return unknownFlagsText({ unknown_flags: data?.unknown_flags ?? [], dated_flags: data?.dated_flags ?? [] });
  } catch {
    return '';
  }
}
