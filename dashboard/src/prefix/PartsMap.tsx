import { Tooltip } from '@mantine/core';
import type { PrefixPart } from '@whence/server/dashboard-wire';
import classes from './PartsMap.module.css';
import { positionIn } from './position.ts';

/** The prefix as a strip, first address at the left; colour is the threat level, hatching is not announced. */
export function PartsMap({ parts, prefix }: { parts: readonly PrefixPart[]; prefix: string }) {
  return (
    <div aria-hidden>
      <div className={classes['map']}>
        {parts.map((part) => {
          const position = positionIn(prefix, part.first, part.last);
          if (position === undefined) return null;
          return (
            <Tooltip
              key={part.first}
              label={`${part.prefix} · AS${part.asn} ${part.asn_name} · ${part.connection_type} · ${part.level}`}
            >
              <div
                className={classes['part']}
                data-level={part.level}
                style={{ left: `${position.start * 100}%`, width: `${position.length * 100}%` }}
              />
            </Tooltip>
          );
        })}
      </div>
      <div className={classes['ends']}>
        <span>{parts[0]?.first}</span>
        <span>{parts.at(-1)?.last}</span>
      </div>
    </div>
  );
}
