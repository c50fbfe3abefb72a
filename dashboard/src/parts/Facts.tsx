import type { ReactNode } from 'react';
import classes from './Facts.module.css';

export type Fact = { readonly name: string; readonly value: ReactNode };

/** A definition list, one line per fact. Facts that do not apply are left out by the caller. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={classes['facts']}>
      {facts.map(({ name, value }) => (
        <div key={name} className={classes['row']}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
