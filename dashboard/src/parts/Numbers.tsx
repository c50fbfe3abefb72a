import type { ReactNode } from 'react';
import classes from './Numbers.module.css';

export type NumberItem = { readonly name: string; readonly value: ReactNode; readonly note?: ReactNode };

/** A few figures in a row: name, number, what it is compared with. */
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
