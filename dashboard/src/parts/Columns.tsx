import type { ReactNode } from 'react';
import classes from './Columns.module.css';

/** Side by side where there is room: two on a usual screen, three if they are narrow. */
export function Columns({ children, isNarrow = false }: { children: ReactNode; isNarrow?: boolean }) {
  return (
    <div className={classes['columns']} data-narrow={isNarrow || undefined}>
      {children}
    </div>
  );
}
