import { type ReactNode, useId } from 'react';
import classes from './Section.module.css';

type SectionProps = { title: ReactNode; note?: ReactNode; aside?: ReactNode; children: ReactNode; className?: string };

export function Section({ title, note, aside, children, className = '' }: SectionProps) {
  const id = useId();
  return (
    <section className={`${classes['section']} ${className}`} aria-labelledby={id}>
      <div className={classes['head']}>
        <div>
          <h2 id={id}>{title}</h2>
          {note !== undefined && <p className={classes['note']}>{note}</p>}
        </div>
        {aside}
      </div>
      {children}
    </section>
  );
}
