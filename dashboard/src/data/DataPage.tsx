import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { PublishedVersion } from '@whence/client/wire';
import type { DatasetPage, UpdateState } from '@whence/server/dashboard-wire/dataset';
import { useState } from 'react';
import { call, queryClient, useAnswer } from '../api/query-client.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { CodeBlock } from '../components/Copy.tsx';
import { FormDialog } from '../components/Form.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Notice } from '../components/Notice.tsx';
import { Credits, Page, Section } from '../components/Page.tsx';
import { PageTabs, useTab } from '../components/PageTabs.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { Tag } from '../components/Tag.tsx';
import { count, formatBytes } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { useRole } from '../session/use-session.ts';
import { Databases } from './Databases.tsx';
import { Coverage, FlagCounts, SourceTable } from './DatasetTables.tsx';
import { DataAgeLead, QualityTable } from './Quality.tsx';
import { UpdateButton, UpdateFacts, UpdateNotice } from './Updates.tsx';

const IDLE_MS = 30_000;
const RUNNING_MS = 1500;

export function DataPage() {
  const page = useAnswer(
    'getDataset',
    {},
    { refetchInterval: ({ state }) => (state.data?.data.update.outcome === 'running' ? RUNNING_MS : IDLE_MS) },
  );
  const report = page.data?.data.report;
  return (
    <Page
      name="Data"
      title={report === undefined ? 'Data' : `Dataset ${report.version}`}
      lead={
        report && (
          <>
            <DataAgeLead report={report} /> All lookups use it.
          </>
        )
      }
    >
      <Loaded query={page} shape={[['facts', 'bars'], ['table']]}>
        {({ data }) => <DataSections data={data} />}
      </Loaded>
    </Page>
  );
}

const TABS = { updates: 'Updates', coverage: 'Coverage', quality: 'Quality', sources: 'Sources' };
/** Which keys have downloaded what is for administrators. */
const ADMIN_TABS = { ...TABS, databases: 'Databases' };

function DataSections({ data: { report, feeds, update } }: { data: DatasetPage }) {
  const { isAtLeast } = useRole();
  const tabs = isAtLeast('admin') ? ADMIN_TABS : TABS;
  const tab = useTab(tabs);
  const updates = (
    <Section title="Updates" aside={isAtLeast('admin') && <UpdateButton update={update} />}>
      <UpdateNotice update={update} builtAt={report?.built_at} refused={report?.refused ?? []} />
      <UpdateFacts update={update} />
    </Section>
  );
  if (report === undefined)
    return (
      <>
        <NoDataset update={update} />
        {updates}
      </>
    );
  return (
    <>
      <PageTabs tabs={tabs} />
      {tab === 'updates' && (
        <>
          {updates}
          <Section title="Versions" note="Older versions are kept for comparison and rollback.">
            <VersionTable versions={report.versions} />
          </Section>
        </>
      )}
      {tab === 'coverage' && (
        <>
          <Section title="Coverage" note="Shares of the announced address space.">
            <Coverage figures={report.figures} />
          </Section>
          <Section
            title="Flags"
            note="A flag without a source is false for every address: read it as “unknown”, not as “no”."
          >
            <FlagCounts report={report} />
          </Section>
        </>
      )}
      {tab === 'quality' && (
        <Section
          title="Quality"
          note="Measured on labels that did not decide the answers. Proxies, AI crawlers and blocklists have no independent labels, so their recall is unknown."
        >
          <QualityTable rows={report.quality} />
        </Section>
      )}
      {tab === 'sources' && (
        <>
          <Section title={count(report.sources.length, 'source')}>
            <SourceTable sources={report.sources} feeds={feeds} />
          </Section>
          <Credits credits={report.sources.map(({ credit }) => credit)} />
        </>
      )}
      {tab === 'databases' && <Databases />}
    </>
  );
}

function NoDataset({ update }: { update: UpdateState }) {
  return (
    <Notice tone="warn" title="No dataset is loaded yet">
      <p>
        {update.schedule.kind === 'pull'
          ? 'The first one is being pulled from the configured host.'
          : 'The first one is built at the first start and takes about a minute. To build it manually:'}
      </p>
      {update.schedule.kind === 'build' && <CodeBlock text="wh dataset build" label="command" />}
    </Notice>
  );
}

function VersionTable({ versions }: { versions: readonly PublishedVersion[] }) {
  const { isAtLeast } = useRole();
  const [chosen, setChosen] = useState<number>();
  const sorted = [...versions].sort((a, b) => b.version - a.version);
  const previous = (version: number) => sorted.find((other) => other.version < version)?.version;
  const action: Column<PublishedVersion> = {
    name: 'Action',
    align: 'end',
    cell: ({ version, current }) =>
      !current && <QuietButton size="compact-xs" text="Use this version" onClick={() => setChosen(version)} />,
  };
  const columns: Column<PublishedVersion>[] = [
    {
      name: 'Version',
      cell: ({ version, current }) => (
        <>
          {version} {current && <Tag tone="good" text="in use" />}
        </>
      ),
    },
    { name: 'Built', cell: ({ built_at }) => <Time at={built_at} /> },
    { name: 'Size', align: 'end', cell: ({ bytes }) => formatBytes(bytes) },
    {
      name: 'Changes',
      cell: ({ version }) => {
        const older = previous(version);
        if (older === undefined) return <span className="quiet">oldest kept</span>;
        return (
          <Link to="/data/diff/$versions" params={{ versions: `${older}...${version}` }}>
            since {older}
          </Link>
        );
      },
    },
    ...(isAtLeast('admin') ? [action] : []),
  ];
  return (
    <>
      <Table isStacked label="Versions" columns={columns} rows={sorted} />
      {chosen !== undefined && <UseVersionDialog version={chosen} onClose={() => setChosen(undefined)} />}
    </>
  );
}

function UseVersionDialog({ version, onClose }: { version: number; onClose: () => void }) {
  const use = useMutation({
    mutationFn: () => call('useVersion', { body: { version } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries();
      onClose();
    },
  });
  return (
    <FormDialog title={`Use dataset ${version}`} mutation={use} action={`Use version ${version}`} onClose={onClose}>
      <p>
        Every process switches to version {version} within seconds. The other versions are kept; the next update
        publishes a new one.
      </p>
    </FormDialog>
  );
}
