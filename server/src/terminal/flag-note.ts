/** Which flags an answer or a file cannot know, as a note for people: `false` then does not mean "no". */
import { type FlagKnowledge, flagKnowledge } from '@whence/dataset/internal/flag-sources';
import { FLAG_SUBJECTS, FLAGS, type FlagSubject, type Meta } from '@whence/dataset/record';
import { PROGRAM } from './program-name.ts';

type KnownFlags = Pick<FlagKnowledge, 'unknown' | 'dated'>;

/** Empty if every flag is from lists that count. */
export function flagNote({ unknown, dated }: KnownFlags): string {
  if (unknown.length === 0 && dated.length === 0) return '';
  const lines = [
    ...(unknown.length === 0 ? [] : [`  not known, and so false or absent everywhere: ${unknown.join(', ')}`]),
    ...(dated.length === 0
      ? []
      : [`  from tables of a past date, or with a list that is too old: ${dated.join(', ')}`]),
  ];
  return `Some flags need lists that \`${PROGRAM} dataset update\` (or WHENCE_UPDATE) fetches; proxies are opt-in:\n${lines.join('\n')}\n`;
}

/** What a file says of itself, in one sentence; empty if there is nothing to say. */
export function flagSentence(meta: Meta, day: string): string {
  const { unknown, dated } = flagKnowledge(meta, day);
  return [
    ...(unknown.length === 0 ? [] : [`Not known here, and so false: ${unknown.join(', ')}.`]),
    ...(dated.length === 0 ? [] : [`From tables of a past date, or with a list that is too old: ${dated.join(', ')}.`]),
  ].join(' ');
}

type Noted = {
  readonly dataset: { readonly meta: Meta; readonly day: string };
  /** Names of fields that are shown; without it, the whole record. */
  readonly fields?: readonly string[] | undefined;
  readonly quiet?: boolean | undefined;
};

/** Written once, to standard error, beside the data that a command prints. */
export function noteFlags(stderr: { write(text: string): unknown }, { dataset, fields, quiet }: Noted): void {
  if (quiet === true) return;
  const requested = fields === undefined ? FLAG_SUBJECTS : fields.flatMap(subjectsOf);
  const { unknown, dated } = flagKnowledge(dataset.meta, dataset.day);
  const isRequested = (subject: FlagSubject) => requested.includes(subject);
  const note = flagNote({ unknown: unknown.filter(isRequested), dated: dated.filter(isRequested) });
  if (note !== '') stderr.write(`note: ${note}`);
}

function subjectsOf(field: string): readonly FlagSubject[] {
  if (field === 'flags') return FLAGS;
  if (field === 'ai_company') return ['is_ai_crawler'];
  if (field.startsWith('privacy_')) return ['is_tor_exit', 'is_vpn', 'is_proxy'];
  if (field.startsWith('threat')) return FLAG_SUBJECTS.filter((subject) => subject === 'blocklists');
  return FLAG_SUBJECTS.filter((subject) => subject === field);
}
