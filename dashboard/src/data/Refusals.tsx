import type { Refusal } from '@whence/client/wire';
import { count } from '../format/number.ts';
import { Notice } from '../states/Notice.tsx';

/** Feeds whose newest copy was not used, and why. */
export function Refusals({ refused }: { refused: readonly Refusal[] }) {
  if (refused.length === 0) return null;
  return (
    <Notice tone="warn" title={`The last update refused ${count(refused.length, 'feed')}`}>
      <ul>
        {refused.map(({ id, reason, used }) => (
          <li key={id}>
            <strong>{id}</strong>: {reason}.{' '}
            {used === undefined ? 'Nothing of it is used.' : `The copy of ${used} is used.`}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
