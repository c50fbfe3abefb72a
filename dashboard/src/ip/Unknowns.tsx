import { Link } from '@tanstack/react-router';
import type { DatasetLimits } from '@whence/server/dashboard-wire';
import { SUBJECT_WORDS } from '../parts/flag-words.ts';

/** What a missing tag does not mean: kinds of addresses of which this dataset knows nothing, or not of today. */
export function Unknowns({ limits: { unknown, dated } }: { limits: DatasetLimits }) {
  if (unknown.length === 0 && dated.length === 0) return null;
  const days = [...new Set(dated.map(({ as_of }) => as_of))];
  return (
    <p className="quiet">
      {unknown.length > 0 && <>Not known to this dataset: {unknown.map((one) => SUBJECT_WORDS[one]).join(', ')}. </>}
      {days.map((day) => (
        <span key={day ?? ''}>
          Known as of {day ?? 'a past date'}:{' '}
          {dated
            .filter(({ as_of }) => as_of === day)
            .map(({ subject }) => SUBJECT_WORDS[subject])
            .join(', ')}
          .{' '}
        </span>
      ))}
      <Link to="/data">What this dataset knows</Link>
    </p>
  );
}
