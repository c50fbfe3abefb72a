import type { ReactNode } from 'react';
import classes from './Empty.module.css';

/** Nothing there: why, and the next step. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={classes['empty']}>
      <div className={classes['title']}>{title}</div>
      {children}
    </div>
  );
}
