import { Link } from '@tanstack/react-router';
import type { FlagSubject } from '@whence/client/wire';
import type { DatasetLimits } from '@whence/server/dashboard-wire';
import { Facts } from '../parts/Facts.tsx';
import { SUBJECT_WORDS } from '../parts/flag-words.ts';
import classes from './Unknowns.module.css';

/** What a missing tag does not mean: kinds of addresses of which this dataset knows nothing, or not of today. */
export function Unknowns({ limits: { unknown, dated } }: { limits: DatasetLimits }) {
  if (unknown.length === 0 && dated.length === 0) return null;
  const words = (subjects: readonly FlagSubject[]) => subjects.map((subject) => SUBJECT_WORDS[subject]).join(', ');
  const days = [...new Set(dated.map(({ as_of }) => as_of))].sort();
  return (
    <div className={classes['unknowns']}>
      <h3>What this dataset cannot tell</h3>
      <Facts
        facts={[
          ...(unknown.length === 0 ? [] : [{ name: 'Unknown', value: words(unknown) }]),
          ...days.map((day) => ({
            name: `As of ${day ?? 'a past date'}`,
            value: words(dated.filter(({ as_of }) => as_of === day).map(({ subject }) => subject)),
          })),
        ]}
      />
      <p className="quiet">
        For these, “no” means “not known”. <Link to="/data">What each is decided from</Link>
      </p>
    </div>
  );
}
