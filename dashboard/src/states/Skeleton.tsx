import classes from './Skeleton.module.css';

/** Of about the height of what is coming. */
export function Skeleton({ lines = 6, label = 'Loading' }: { lines?: number; label?: string }) {
  return (
    <div className={classes['lines']} role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike and never change.
        <div key={line} className={classes['line']} aria-hidden />
      ))}
    </div>
  );
}
