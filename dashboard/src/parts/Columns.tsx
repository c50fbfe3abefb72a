import type { ReactNode } from 'react';
import classes from './Columns.module.css';

/** Side by side where there is room. */
export function Columns({ children }: { children: ReactNode }) {
  return <div className={classes['columns']}>{children}</div>;
}
