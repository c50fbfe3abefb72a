import { Tooltip } from '@mantine/core';
import { exactUtc, relativeTime } from './time.ts';
import { useNow } from './use-now.ts';

/** Relative, with the exact UTC on hover and focus. */
export function Time({ at, isFocusable = true }: { at: string; isFocusable?: boolean }) {
  const now = useNow();
  const exact = exactUtc(at);
  const words = relativeTime(Date.parse(at), now);
  // In rows of a virtual table: a tooltip for each would slow down scrolling.
  if (!isFocusable) {
    return (
      <time dateTime={at} className="nowrap" title={exact}>
        {words}
      </time>
    );
  }
  return (
    <Tooltip label={exact} events={{ hover: true, focus: true, touch: true }} withArrow={false} openDelay={150}>
      <time dateTime={at} className="nowrap" tabIndex={0}>
        {words}
      </time>
    </Tooltip>
  );
}
