/** Messages in the place of content or above it. */

import type { ReactNode } from 'react';
import { Icon } from './icons.tsx';
import classes from './Notice.module.css';

type Tone = 'plain' | 'good' | 'warn' | 'bad';
const ICONS = {
  plain: 'info-circle',
  good: 'circle-check',
  warn: 'alert-triangle',
  bad: 'alert-triangle',
} as const;

/** A highlighted message: a problem, a next step or a result. */
export function Notice({
  title,
  tone = 'plain',
  children,
}: {
  title: ReactNode;
  tone?: Tone;
  children?: ReactNode;
}) {
  const icon = ICONS[tone];
  return (
    <div className={classes['notice']} data-tone={tone} role={tone === 'bad' ? 'alert' : undefined}>
      <Icon name={icon} size={18} className={classes['icon']} />
      <div className={classes['title']}>{title}</div>
      {children !== undefined && <div className={classes['body']}>{children}</div>}
    </div>
  );
}

/** Shown instead of an empty list: why it is empty, and the next step. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={classes['empty']}>
      <div className={classes['emptyTitle']}>{title}</div>
      {children}
    </div>
  );
}
