import classes from './Credits.module.css';

/** The attributions that the licences of the sources ask for, on every page that shows their data. */
export function Credits({ credits }: { credits: readonly string[] }) {
  if (credits.length === 0) return null;
  // A source made of others names them too: what another credit already says is not repeated.
  const distinct = [...new Set(credits.map((credit) => credit.replace(/\.$/, '')))];
  const shown = distinct.filter((credit) => !distinct.some((other) => other !== credit && other.includes(credit)));
  return <p className={classes['credits']}>Data: {shown.join(' · ')}</p>;
}
