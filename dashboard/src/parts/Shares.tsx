import { type ReactNode, useState } from 'react';
import { formatNumber, formatShare } from '../format/number.ts';
import classes from './Shares.module.css';

export type ShareItem = { readonly key: string; readonly name: ReactNode; readonly amount: number };

type SharesProps = {
  items: readonly ShareItem[];
  total: number;
  /** How many are shown before "show all". */
  limit?: number;
  selected?: string | undefined;
  onSelect?: (key: string) => void;
};

/** Parts of a whole as labelled bars with number and percentage: a chart that is its own table. */
export function Shares({ items, total, limit = 8, selected, onSelect }: SharesProps) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? items : items.slice(0, limit);
  const largest = items.reduce((max, { amount }) => Math.max(max, amount), 0);
  return (
    <div>
      <ul className={classes['list']}>
        {shown.map(({ key, name, amount }) => {
          const content = (
            <>
              <span className={classes['fill']} style={{ width: `${largest === 0 ? 0 : (amount / largest) * 100}%` }} />
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
          onClick={() => setIsWhole(!isWhole)}
        >
          {isWhole ? 'Show fewer' : `Show all ${formatNumber(items.length)}`}
        </button>
      )}
    </div>
  );
}
