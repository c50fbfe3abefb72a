/** Amounts as horizontal bars. */
import { type ReactNode, useState } from 'react';
import { formatNumber, formatShare } from '../format/number.ts';
import classes from './Bars.module.css';

type BarProps = { value: number; max: number; tone?: 'accent' | 'plain' | 'warn' | 'bad' };

/** A thin bar. It is hidden from screen readers, because the numbers are next to it as text. */
export function Bar({ value, max, tone = 'accent' }: BarProps) {
  const share = max === 0 ? 0 : Math.min(1, value / max);
  return (
    <div className={classes['track']} aria-hidden>
      <div className={classes['fill']} data-tone={tone} style={{ width: `${share * 100}%` }} />
    </div>
  );
}

type ShareItem = { readonly key: string; readonly name: ReactNode; readonly amount: number };

/** Values with the number of their addresses, as an answer lists them. */
export function sharesOf<Value extends string>(
  rows: readonly { readonly value: Value; readonly addresses: number }[],
  nameOf: (value: Value) => ReactNode = (value) => value,
): ShareItem[] {
  return rows.map(({ value, addresses }) => ({
    key: value,
    name: nameOf(value),
    amount: addresses,
  }));
}

type SharesProps = {
  items: readonly ShareItem[];
  total: number;
  /** How many are shown before "show all". */
  limit?: number;
  selected?: string | undefined;
  onSelect?: (key: string) => void;
};

/** Shares of a total as labelled bars with number and percentage. */
export function Shares({ items, total, limit = 8, selected, onSelect }: SharesProps) {
  const [isExpanded, setIsExpanded] = useState(false);
  const shown = isExpanded ? items : items.slice(0, limit);
  return (
    <div>
      <ul className={classes['list']}>
        {shown.map(({ key, name, amount }) => {
          const content = (
            <>
              <span
                className={classes['shareFill']}
                style={{ width: `${total === 0 ? 0 : (amount / total) * 100}%` }}
              />
              <span className={classes['name']}>{name}</span>
              <span className={classes['value']}>
                {formatNumber(amount)} · {formatShare(amount, total)}
              </span>
            </>
          );
          return (
            <li key={key}>
              {onSelect === undefined ? (
                <div className={classes['item']}>{content}</div>
              ) : (
                <button
                  type="button"
                  className={`${classes['item']} ${classes['button']}`}
                  aria-pressed={selected === key}
                  onClick={() => onSelect(key)}
                >
                  {content}
                </button>
              )}
            </li>
          );
        })}
      </ul>
      {items.length > limit && (
        <button
          type="button"
          className={`${classes['button']} ${classes['rest']} no-print`}
          onClick={() => setIsExpanded(!isExpanded)}
        >
          {isExpanded ? 'Show fewer' : `Show all ${formatNumber(items.length)}`}
        </button>
      )}
    </div>
  );
}
