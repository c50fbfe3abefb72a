/** A section of a domain check, and the errors in it. */

import type { DomainPartState } from '@whence/server/dashboard-wire/domains';
import type { ReactNode } from 'react';
import { Icon } from '../components/icons.tsx';
import { Tag } from '../components/Tag.tsx';
import { capitalise } from '../format/names.ts';
import classes from './CheckSection.module.css';
import { splitError } from './spf-terms.ts';

/**
 * Four looks: red for what the owner should act on, green for what was verified, a grey dash for
 * what is optional and not there, a grey question mark for what is unknown. `ineffective` is valid
 * and does not protect.
 */
export type CheckState =
  | 'valid'
  | 'ineffective'
  | 'invalid'
  | 'not set up'
  | 'not found'
  | Exclude<DomainPartState['state'], 'verified'>;
export const PARTS = [
  ['mx', 'MX'],
  ['spf', 'SPF'],
  ['dkim', 'DKIM'],
  ['dmarc', 'DMARC'],
] as const;

type CheckSectionProps = { id: string; title: string; state: CheckState; children: ReactNode };

export function checkState({ state, is_valid }: DomainPartState): CheckState {
  if (state !== 'verified') return state;
  return is_valid ? 'valid' : 'invalid';
}

const STATES = {
  valid: <Tag icon="circle-check" tone="good" text="verified" />,
  ineffective: <Tag icon="alert-triangle" tone="warn" text="does not protect" />,
  invalid: <Tag icon="alert-triangle" tone="bad" text="has errors" />,
  missing: <Tag icon="circle-dashed" tone="bad" text="missing" />,
  'not found': <Tag icon="circle-minus" text="no key found" />,
  'not set up': <Tag icon="circle-minus" text="not set up, optional" />,
  unverified: <Tag icon="help-circle" text="could not be verified" />,
  'not applicable': <Tag text="not needed" />,
} satisfies Record<CheckState, ReactNode>;

/** One section of a domain check, with its state. */
export function CheckSection({ id, title, state, children }: CheckSectionProps) {
  return (
    <section className={classes['part']} id={id} aria-label={title}>
      <div className={classes['head']}>
        <h2>{title}</h2>
        {STATES[state]}
      </div>
      {children}
    </section>
  );
}

/** Errors, each with its stable code. */
export function Findings({ errors }: { errors: readonly string[] }) {
  if (errors.length === 0) return null;
  return (
    <ul className={classes['list']}>
      {errors.map((error) => {
        const { code, text } = splitError(error);
        return (
          <li key={error} className={classes['item']}>
            <Icon name="alert-triangle" size={16} aria-label="Error" />
            <span>
              {text} <span className={classes['code']}>{code}</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** What is missing without being an error, in plain text. */
export function Remarks({ errors }: { errors: readonly string[] }) {
  return errors.map((error) => (
    <p key={error} className="quiet">
      {capitalise(splitError(error).text)}.
    </p>
  ));
}

export function NoFindings({ children }: { children: string }) {
  return (
    <p className={classes['good']}>
      <Icon name="circle-check" size={16} />
      {children}
    </p>
  );
}
