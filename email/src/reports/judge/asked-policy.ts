/** What a verdict is about, and its answers. */

export const VERDICT_ANSWERS = ['yes', 'no', 'not_enough'] as const;
export type VerdictAnswer = (typeof VERDICT_ANSWERS)[number];

/** What is asked: the tag that becomes stricter, and its value. Without a tag it is `p`. */
export const ASKED_POLICIES = [
  'reject',
  'quarantine',
  'sp=reject',
  'sp=quarantine',
  'np=reject',
  'np=quarantine',
] as const;
export type AskedPolicy = (typeof ASKED_POLICIES)[number];
