import classes from './Bar.module.css';

type BarProps = { value: number; max: number; tone?: 'accent' | 'good' | 'warn' | 'bad' };

/** A thin bar. The numbers stand beside it in words, so it is hidden from screen readers. */
export function Bar({ value, max, tone = 'accent' }: BarProps) {
  const share = max === 0 ? 0 : Math.min(1, value / max);
  return (
    <div className={classes['track']} aria-hidden>
      <div className={classes['fill']} data-tone={tone} style={{ width: `${share * 100}%` }} />
    </div>
  );
}
