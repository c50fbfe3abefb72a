/** Names and values: a list of facts, and a row of figures. */
import type { ReactNode } from 'react';
import classes from './Facts.module.css';

/** A definition list, one line per fact. What is undefined does not apply, and is left out. */
export function Facts({ facts }: { facts: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className={classes['facts']}>
      {Object.entries(facts).map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name} className={classes['row']}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

export type NumberItem = {
  readonly name: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
};

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
