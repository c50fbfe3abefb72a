/**
 * Which flags an answer or a file cannot know, as a note for people: `false` then does not mean
 * "no".
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FlagKnowledge, flagKnowledge } from '@whence/dataset/data-age';
import {
  FLAG_SUBJECTS,
  FLAGS,
  type FlagSubject,
  type Meta,
  type Threat,
  type ThreatGap,
} from '@whence/dataset/record';
import { flagName } from '../vocabulary.ts';
import type { CommandStreams } from './output.ts';
import { PROGRAM } from './program-name.ts';

/** Which list an earlier version lacked is not in its answers, and no update adds it. */
export type ShownGap = ThreatGap | 'past_version';

const GAP_WORDS: Readonly<Record<ThreatGap, string>> = {
  blocklists: 'no current attack lists',
  is_tor_exit: 'no current list of Tor exits',
  expired_list: 'a list with the address has expired',
};

/** What is missing, and what fetches it. */
export const gapText = (gap: ShownGap): string =>
  gap === 'past_version'
    ? 'its lists were incomplete'
    : `${GAP_WORDS[gap]} (${PROGRAM} dataset update)`;

/** What people read instead of a score that is not complete. */
export function threatText({ score, level }: Threat, gap: ShownGap | undefined): string {
  if (gap === undefined) return `${score} of 100, ${level}`;
  if (score === 0) return `not known: ${gapText(gap)}`;
  return `at least ${score} of 100${level === 'low' ? '' : `, ${level}`}: ${gapText(gap)}`;
}

type KnownFlags = Pick<FlagKnowledge, 'unknown' | 'dated'>;

/** What is missing, in one sentence; empty if every flag is from lists that count. */
function missingText({ unknown, dated }: KnownFlags): string {
  return [
    unknown.length === 0 ? '' : `unknown (reported as false): ${unknown.map(flagName).join(', ')}`,
    dated.length === 0 ? '' : `from dated lists: ${dated.map(flagName).join(', ')}`,
  ]
    .filter((part) => part !== '')
    .join('; ');
}

/** One line; empty if there is nothing to say. */
export function flagNote(knownFlags: KnownFlags): string {
  const missing = missingText(knownFlags);
  return missing === ''
    ? ''
    : `flags ${missing}; ${PROGRAM} dataset update fetches current lists\n`;
}

/** What a file says of itself, in one sentence; empty if there is nothing to say. */
export function flagSentence(meta: Meta, day: string): string {
  const missing = missingText(flagKnowledge(meta, day));
  return missing === '' ? '' : `Flags ${missing}.`;
}

type Noted = {
  readonly dataset: { readonly meta: Meta; readonly day: string };
  /** Names of fields that are shown; without it, the whole record. */
  readonly fields?: readonly string[] | undefined;
};

/** Written once a day, and only to a terminal, beside the data that a command prints. */
export function noteFlags(
  { stderr, environment }: Pick<CommandStreams, 'stderr' | 'environment'>,
  { dataset, fields }: Noted,
): void {
  if (stderr.isTTY !== true) return;
  const requested = fields === undefined ? FLAG_SUBJECTS : fields.flatMap(subjectsOf);
  const { unknown, dated } = flagKnowledge(dataset.meta, dataset.day);
  const isRequested = (subject: FlagSubject) => requested.includes(subject);
  const note = flagNote({ unknown: unknown.filter(isRequested), dated: dated.filter(isRequested) });
  if (note !== '' && isFirstOn(dataset.day, environment)) stderr.write(`note: ${note}`);
}

/**
 * Remembers the day in the user's cache folder. Where that cannot be written, every note is the
 * first one.
 */
function isFirstOn(day: string, { XDG_CACHE_HOME, HOME }: CommandStreams['environment']): boolean {
  if (!XDG_CACHE_HOME && !HOME) return true;
  const folder = join(XDG_CACHE_HOME || join(HOME ?? '', '.cache'), 'whence');
  const file = join(folder, 'flag-note-day');
  try {
    if (readFileSync(file, 'utf8') === day) return false;
  } catch {
    // It was never written.
  }
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, day);
  } catch {
    // The note is written again next time.
  }
  return true;
}

function subjectsOf(field: string): readonly FlagSubject[] {
  if (field === 'flags') return FLAGS;
  if (field === 'ai_company') return ['is_ai_crawler'];
  if (field.startsWith('privacy_')) return ['is_tor_exit', 'is_vpn', 'is_proxy'];
  if (field.startsWith('threat')) return ['blocklists', 'criminal_netblocks'];
  return FLAG_SUBJECTS.filter((subject) => subject === field || flagName(subject) === field);
}
