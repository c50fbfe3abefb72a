import classes from './Credits.module.css';

/** The attributions that the licences of the sources ask for, on every page that shows their data. */
export function Credits({ credits }: { credits: readonly string[] }) {
  if (credits.length === 0) return null;
  return <p className={classes['credits']}>Data: {credits.map((credit) => credit.replace(/\.$/, '')).join(' · ')}</p>;
}
