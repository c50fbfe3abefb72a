/** What reports answer to a question, and the reasons that decide it. */
import type { ReactNode } from 'react';
import { Notice } from '../components/Notice.tsx';
import classes from './Senders.module.css';

type Reason = { readonly text: string };

type AnswerNoticeProps = {
  question: string;
  answer: keyof typeof TONES;
  text: string;
  reasons: readonly Reason[];
  children: ReactNode;
};

const TONES = { yes: 'good', no: 'bad', not_enough: 'plain' } as const;
/** The sentence itself begins with what is not known. */
const WORDS = { yes: ' Yes.', no: ' No.', not_enough: '' } as const;

export function AnswerNotice({ question, answer, text, reasons, children }: AnswerNoticeProps) {
  return (
    <Notice tone={TONES[answer]} title={`${question}${WORDS[answer]}`}>
      {text !== '' && <p>{text}.</p>}
      {/* Where not enough is known, the sentence has the first reason already. */}
      <Reasons reasons={reasons.filter((reason) => !text.endsWith(reason.text))} />
      {children}
    </Notice>
  );
}

export function Reasons({ reasons }: { reasons: readonly Reason[] }) {
  if (reasons.length === 0) return null;
  return (
    <ul className={classes['reasons']}>
      {reasons.map(({ text }) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}
