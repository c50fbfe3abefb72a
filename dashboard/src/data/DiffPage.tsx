import { getRouteApi, Link } from '@tanstack/react-router';
import type { DatasetDiff } from '@whence/client/wire';
import { useAnswer } from '../api/query-client.ts';
import { Loaded } from '../components/Loaded.tsx';
import { Notice } from '../components/Notice.tsx';
import { Page } from '../components/Page.tsx';
import { Time } from '../format/Time.tsx';
import { DiffSections } from './DiffSections.tsx';

const route = getRouteApi('/session/data/diff/$versions');
const LIMIT = 15;

export function DiffPage() {
  const { versions } = route.useParams();
  const match = /^(\d+)\.\.\.(\d+)$/.exec(versions);
  if (match === null) {
    return (
      <Page name="Difference" title="Compare two versions">
        <Notice tone="warn" title="The address must name two versions, such as /data/diff/41...42">
          <p>
            <Link to="/data">All versions</Link>
          </p>
        </Notice>
      </Page>
    );
  }
  return <Difference from={Number(match[1])} to={Number(match[2])} />;
}

function Difference({ from, to }: { from: number; to: number }) {
  const diff = useAnswer(
    'getDatasetDiff',
    { query: { from, to, limit: LIMIT } },
    { staleTime: Number.POSITIVE_INFINITY },
  );
  return (
    <Page
      name={`Difference ${from} to ${to}`}
      title={`Changes from dataset ${from} to ${to}`}
      lead={<Link to="/data">All versions</Link>}
    >
      <Loaded query={diff} shape={[['table'], ['bars']]}>
        {({ data }) => (
          <>
            <Dates diff={data} />
            {data.is_same ? (
              <Notice tone="good" title="Both versions give the same answers" />
            ) : (
              <DiffSections diff={data} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Dates({ diff: { from, to } }: { diff: DatasetDiff }) {
  return (
    <p className="quiet">
      Version {from.version} was built <Time at={from.built_at} />, and version {to.version} was built{' '}
      <Time at={to.built_at} />.
    </p>
  );
}
