import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { answerQuery } from '../api/query-client.ts';
import { relativeTime } from '../format/time.ts';
import { useNow } from '../format/use-now.ts';
import classes from './DatasetChip.module.css';

const REFRESH_MS = 60_000;

export function DatasetChip() {
  const now = useNow();
  const { data } = useQuery({ ...answerQuery('getDataset', {}), refetchInterval: REFRESH_MS });
  if (data === undefined) return null;
  const { report } = data.data;
  return (
    <Link to="/data" className={classes['chip']}>
      {report === undefined
        ? 'No dataset yet'
        : `Dataset ${report.version} · ${relativeTime(Date.parse(report.built_at), now)}`}
    </Link>
  );
}
