import type { TablerIcon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './Tag.module.css';

export type TagTone = 'plain' | 'good' | 'warn' | 'bad' | 'accent';

/** An icon and a word; the colour only repeats what they say. */
export function Tag({
  icon: Icon,
  tone = 'plain',
  children,
}: {
  icon?: TablerIcon;
  tone?: TagTone;
  children: ReactNode;
}) {
  return (
    <span className={classes['tag']} data-tone={tone}>
      {Icon !== undefined && <Icon size={14} stroke={1.8} aria-hidden />}
      {children}
    </span>
  );
}

export function Tags({ children }: { children: ReactNode }) {
  return <div className={classes['tags']}>{children}</div>;
}
