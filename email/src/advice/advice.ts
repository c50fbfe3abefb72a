// Advice as data: a code, its detail, what it gains, and the record to publish. advice-text.ts has
// the sentences.
import type { SentenceDetails } from '../findings/sentences.ts';
import { type ProposedRecord, zoneFileLine } from '../records/zone-file.ts';
import { cutText, MAX_TEXT_CHARACTERS, visible } from '../visible-text.ts';
import { SENTENCES } from './advice-text.ts';

/**
 * The detail of a code is what its sentence is made from; that of a sentence without any is empty.
 */
export type AdviceDetails = SentenceDetails<typeof SENTENCES>;
export type AdviceCode = keyof typeof SENTENCES;

/** As in a report: the sentence, and the record at its end unless it would be cut. */
export function formatAdvice(advice: Advice): string {
  const sentence = explainAdvice(advice);
  const { change } = advice;
  if (change === undefined) return sentence;
  const line = `: ${zoneFileLine(change.record)}`;
  // A part of a record must not be published, so it is the sentence that is cut.
  const room = MAX_TEXT_CHARACTERS - line.length;
  return room < MIN_SENTENCE_CHARACTERS
    ? sentence
    : cutText(sentence.replace(/\.$/, ''), room) + line;
}

/** The record to publish, as a line of a zone file; empty for advice without one. */
export const recordLine = ({ change }: Advice): string =>
  change === undefined ? '' : zoneFileLine(change.record);

const MIN_SENTENCE_CHARACTERS = 120;

/**
 * The sentence alone, which ends in a full stop. The record, where there is one, belongs below it.
 */
export function explainAdvice<Code extends AdviceCode>(advice: {
  readonly code: Code;
  readonly detail: AdviceDetails[Code];
}): string {
  const sentences: { readonly [C in AdviceCode]: (detail: AdviceDetails[C]) => string } = SENTENCES;
  return cutText(visible(sentences[advice.code](advice.detail)));
}

/**
 * Publishing `record` in place of the TXT records of the same name that are listed in `replaces`.
 */
export type Change = { readonly record: ProposedRecord; readonly replaces: readonly string[] };

export function txtChange(name: string, text: string, replaces: readonly string[] = []): Change {
  return { record: { name, type: 'TXT', text }, replaces };
}

/** `points`: how much the score rises; 0 for what does not count but should be known. */
export type Advice<Code extends AdviceCode = AdviceCode> = Code extends AdviceCode
  ? {
      readonly code: Code;
      readonly detail: AdviceDetails[Code];
      readonly points: number;
      readonly change?: Change;
    }
  : never;

/**
 * Before the zone with the change was scored. `points`: without a change. `rank` replaces the
 * points in the order.
 */
export type Draft<Code extends AdviceCode = AdviceCode> = Code extends AdviceCode
  ? {
      readonly code: Code;
      readonly detail: AdviceDetails[Code];
      readonly points?: number;
      readonly rank?: number | undefined;
      readonly change?: Change | undefined;
      /** Instead of `change` if that must not be made; the first of them that may be is shown. */
      readonly alternatives?: readonly Change[];
      /**
       * Without a record that may be published there is no reason for it; `points`: unless it gains
       * some.
       */
      readonly onlyWith?: 'record' | 'points';
      /** Changes that are not shown, any of which may be made; the least gain of them is shown. */
      readonly trials?: readonly Change[];
    }
  : never;

/**
 * Above what only gains points: as long as anyone can send as the domain, nothing else protects it.
 */
export const RANKS = {
  anyoneCanSend: 1000,
  takeover: 900,
  refused: 850,
  noMail: 800,
  noPolicy: 700,
  byWildcard: 650,
  reports: 600,
} as const;
