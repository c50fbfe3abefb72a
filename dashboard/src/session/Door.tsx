import type { ReactNode } from 'react';
import { Mark } from '../shell/Mark.tsx';
import classes from './Door.module.css';

/** The frame of the pages before there is a session. */
export function Door({ title, lead, children }: { title: string; lead?: ReactNode; children?: ReactNode }) {
  return (
    <main className={classes['door']}>
      <div className={classes['card']}>
        <div className={classes['brand']}>
          <Mark size={26} />
          Whence
        </div>
        <div>
          <h1>{title}</h1>
          {lead !== undefined && <p className="quiet">{lead}</p>}
        </div>
        {children}
      </div>
      <p className={classes['about']}>Network intelligence and email-domain checks on your own machine</p>
    </main>
  );
}
