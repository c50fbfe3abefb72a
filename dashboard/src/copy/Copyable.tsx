import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './Copyable.module.css';
import { useCopy } from './use-copy.ts';

/** A value that is copied by a click, by Enter, or by `c` while it has the focus. */
export function Copyable({ text, children, isMono = false }: { text: string; children?: ReactNode; isMono?: boolean }) {
  const { state, copy } = useCopy();
  const Sign = state === 'copied' ? IconCheck : IconCopy;
  return (
    <button
      type="button"
      className={isMono ? `${classes['value']} mono` : classes['value']}
      data-state={state}
      title="Copy"
      onClick={() => copy(text)}
      onKeyDown={(event) => {
        if (event.key === 'c' && !event.ctrlKey && !event.metaKey) copy(text);
      }}
    >
      {children ?? text}
      <Sign size={13} className={classes['sign']} aria-hidden />
    </button>
  );
}
