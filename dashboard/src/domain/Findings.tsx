import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import classes from './Findings.module.css';
import { splitError } from './spf-terms.ts';

/** Errors of a part, each with its stable code. */
export function Findings({ errors }: { errors: readonly string[] }) {
  if (errors.length === 0) return null;
  return (
    <ul className={classes['list']}>
      {errors.map((error) => {
        const { code, text } = splitError(error);
        return (
          <li key={error} className={classes['item']}>
            <IconAlertTriangle size={16} aria-label="Error" />
            <span>
              {text} <span className={classes['code']}>{code}</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

export function NoFindings({ children }: { children: string }) {
  return (
    <p className={classes['good']}>
      <IconCircleCheck size={16} aria-hidden />
      {children}
    </p>
  );
}
