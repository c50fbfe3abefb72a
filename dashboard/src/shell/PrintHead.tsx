/** On paper only: what the page is from, its address and when it was printed. */
import { useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import classes from './PrintHead.module.css';

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

export function PrintHead() {
  const path = useRouterState({ select: ({ location }) => location.href });
  const [printedAt, setPrintedAt] = useState(() => new Date());
  useEffect(() => {
    // Before the browser lays out the sheet: a page may have been open for hours.
    const onPrint = () => flushSync(() => setPrintedAt(new Date()));
    window.addEventListener('beforeprint', onPrint);
    return () => window.removeEventListener('beforeprint', onPrint);
  }, []);
  return (
    <div className={classes['head']} aria-hidden>
      <span>Whence</span>
      <span className={classes['address']}>{`${window.location.origin}${path}`}</span>
      <span>{format.format(printedAt)} UTC</span>
    </div>
  );
}
