import { getRouteApi, Link } from '@tanstack/react-router';
import type { AttributeChange, ChangedNetwork, DatasetDiff, SourceChange } from '@whence/client/wire';
import { useAnswer } from '../api/query-client.ts';
import { NotFoundPage } from '../components/Failures.tsx';
import { NetworkLink } from '../components/Links.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Notice } from '../components/Notice.tsx';
import { Page, Section } from '../components/Page.tsx';
import { PageTabs, useTab } from '../components/PageTabs.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { capitalise } from '../format/names.ts';
import { count, formatNumber } from '../format/number.ts';
import { Time } from '../format/Time.tsx';

const route = getRouteApi('/session/data/diff/$versions');
const LIMIT = 15;

export function DiffPage() {
  const { versions } = route.useParams();
  const match = /^(\d+)\.\.\.(\d+)$/.exec(versions);
  if (match === null) return <NotFoundPage />;
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
              <Changes diff={data} />
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

const FAMILIES = { ipv4: 'IPv4', ipv6: 'IPv6' } as const;

const wordsOf = (attribute: string) =>
  attribute === 'asn'
    ? 'network'
    : attribute.replace(/^is_/, '').replaceAll('_', ' ').replace(/^ai /, 'AI ').replace(/^tor /, 'Tor ');
const nameOf = ({ attribute, change, family }: AttributeChange) =>
  `${wordsOf(attribute)} ${change}, ${FAMILIES[family]}`;
const formatSize = (size: number, { family }: AttributeChange) =>
  family === 'ipv4' ? count(size, 'address', 'addresses') : count(size, '/48');

function Changes({ diff: { changes, sources } }: { diff: DatasetDiff }) {
  const attributes = changes.map(({ attribute }) => [attribute, capitalise(wordsOf(attribute))]);
  const tabs: Record<string, string> = { all: 'All changes', ...Object.fromEntries(attributes), sources: 'Sources' };
  const tab = useTab(tabs);
  return (
    <>
      <PageTabs tabs={tabs} />
      {tab === 'all' && (
        <Section title="Changes">
          <Table label="Changes" rows={changes} rowKey={nameOf} columns={CHANGE_COLUMNS} />
        </Section>
      )}
      {changes
        .filter(({ attribute }) => attribute === tab)
        .map((change) => (
          <Section
            key={nameOf(change)}
            title={nameOf(change)}
            note={change.count > change.largest.length ? `Showing the largest ${change.largest.length}.` : undefined}
          >
            <Table
              label={nameOf(change)}
              rows={change.largest}
              rowKey={({ network }) => network}
              columns={networkColumns(change)}
            />
          </Section>
        ))}
      {tab === 'sources' && (
        <Section title="Sources">
          <Table label="Sources" rows={sources} rowKey={({ id }) => id} columns={SOURCE_COLUMNS} />
        </Section>
      )}
    </>
  );
}

const CHANGE_COLUMNS: Column<AttributeChange>[] = [
  { name: 'Change', cell: nameOf },
  { name: 'Networks', align: 'end', cell: ({ count }) => formatNumber(count) },
  { name: 'Size', align: 'end', cell: (change) => formatSize(change.size, change) },
];

function networkColumns(change: AttributeChange): Column<ChangedNetwork>[] {
  const hasValues = change.largest.some(({ from, to }) => from !== undefined || to !== undefined);
  const values: Column<ChangedNetwork>[] = [
    { name: 'From', cell: ({ from }) => from ?? 'none' },
    { name: 'To', cell: ({ to }) => to ?? 'none' },
  ];
  return [
    { name: 'Addresses', cell: ({ network }) => <span className="mono">{network}</span> },
    ...(hasValues ? values : []),
    { name: 'Network', cell: ({ asn, asn_name }) => <NetworkLink asn={asn} name={asn_name} /> },
    { name: 'Size', align: 'end', cell: ({ size }) => formatSize(size, change) },
  ];
}

const SOURCE_COLUMNS: Column<SourceChange>[] = [
  { name: 'Source', cell: ({ id }) => <span className="mono">{id}</span> },
  { name: 'From', cell: ({ from }) => (from === undefined ? 'absent' : from.as_of) },
  { name: 'To', cell: ({ to }) => (to === undefined ? 'absent' : to.as_of) },
  { name: 'Records before', align: 'end', cell: ({ from }) => (from === undefined ? '' : formatNumber(from.records)) },
  { name: 'Records now', align: 'end', cell: ({ to }) => (to === undefined ? '' : formatNumber(to.records)) },
];
