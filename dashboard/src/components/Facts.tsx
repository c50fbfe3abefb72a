/** Names and values: a list of facts, and a row of figures. */
import type { ReactNode } from 'react';
import classes from './Facts.module.css';

type Fact = { readonly name: string; readonly value: ReactNode };

/** A definition list, one line per fact. Callers leave out facts that do not apply. */
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

export type NumberItem = { readonly name: string; readonly value: ReactNode; readonly note?: ReactNode };

/** A row of figures, each with a name and a note such as a comparison. */
export function Numbers({ items }: { items: readonly NumberItem[] }) {
  return (
    <dl className={classes['numbers']}>
      {items.map(({ name, value, note }) => (
        <div key={name}>
          <dt className={classes['name']}>{name}</dt>
          <dd className={classes['value']}>{value}</dd>
          {note !== undefined && <dd className={classes['note']}>{note}</dd>}
        </div>
      ))}
    </dl>
  );
}
