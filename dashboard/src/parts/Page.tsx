import { type ReactNode, useEffect, useRef } from 'react';
import classes from './Page.module.css';

type PageProps = {
  /** For the tab of the browser. */
  name: string;
  title: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
};

/** A page: its heading takes the focus when the page is opened, so that a screen reader reads on from there. */
export function Page({ name, title, lead, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${name} · Whence`;
  }, [name]);
  useEffect(() => {
    if (document.activeElement === document.body || document.activeElement === null) {
      heading.current?.focus({ preventScroll: true });
    }
  }, []);
  return (
    <div className={classes['page']}>
      <header className={classes['head']}>
        <div className={classes['words']}>
          <h1 ref={heading} tabIndex={-1} className={classes['title']}>
            {title}
          </h1>
          {lead !== undefined && <div className={classes['lead']}>{lead}</div>}
        </div>
        {actions !== undefined && <div className={`${classes['actions']} no-print`}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
