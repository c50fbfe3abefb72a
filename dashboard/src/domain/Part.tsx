import { IconAlertTriangle, IconCircleCheck, IconCircleDashed } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Tag } from '../parts/Tag.tsx';
import classes from './Part.module.css';

type PartProps = { id: string; title: string; state: 'valid' | 'invalid' | 'missing'; children: ReactNode };

const STATES = {
  valid: (
    <Tag icon={IconCircleCheck} tone="good">
      valid
    </Tag>
  ),
  invalid: (
    <Tag icon={IconAlertTriangle} tone="bad">
      has errors
    </Tag>
  ),
  missing: (
    <Tag icon={IconCircleDashed} tone="warn">
      not found
    </Tag>
  ),
};

/** A part of the check. */
export function Part({ id, title, state, children }: PartProps) {
  return (
    <section className={classes['part']} id={id} aria-label={title}>
      <div className={classes['head']}>
        <h2>{title}</h2>
        {STATES[state]}
      </div>
      {children}
    </section>
  );
}
