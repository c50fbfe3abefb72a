import { useMutation } from '@tanstack/react-query';
import type { DatasetReport, PublishedVersion } from '@whence/client/wire';
import type { DatasetPage, UpdateState } from '@whence/server/dashboard-wire/dataset';
import { useState } from 'react';
import { call, queryClient, useAnswer } from '../api/query-client.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { CodeBlock } from '../components/Copy.tsx';
import { FormDialog } from '../components/Form.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Notice } from '../components/Notice.tsx';
import { Credits, Page, Section, Verdict } from '../components/Page.tsx';
import { PageTabs, useTab } from '../components/PageTabs.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { count, formatBytes } from '../format/number.ts';
import { DataDay, Time } from '../format/Time.tsx';
import { useRole } from '../session/use-session.ts';
import { Databases } from './Databases.tsx';
import { Coverage, FlagCounts, SourceTable } from './DatasetTables.tsx';
import { UpdateButton, UpdateFacts, UpdateNotice } from './Updates.tsx';

const IDLE_MS = 30_000;
const RUNNING_MS = 1500;

export function DataPage() {
  const page = useAnswer(
    'getDataset',
    {},
    {
      refetchInterval: ({ state }) =>
        state.data?.data.update.outcome === 'running' ? RUNNING_MS : IDLE_MS,
    },
  );
  const report = page.data?.data.report;
  return (
    <Page
      name="Data"
      title={report === undefined ? 'Data' : `Dataset ${report.version}`}
      lead={
        report && (
          <Verdict
            text={
              <>
                <Age report={report} /> All lookups use it.
              </>
            }
          />
        )
      }
    >
      <Loaded query={page} shape={[['facts', 'bars'], ['table']]}>
        {({ data }) => <DataSections data={data} />}
      </Loaded>
    </Page>
  );
}

/** May be far above that of the build; in the words of the header. */
function Age({ report: { data_sources, data_as_of, built_at } }: { report: DatasetReport }) {
  const day = data_sources.prefix?.as_of ?? data_as_of;
  if (day === undefined)
    return (
      <>
        The date of its routes is unknown; it was built <Time at={built_at} />.
      </>
    );
  return (
    <>
      Routes of <DataDay day={day} />.
    </>
  );
}

const TABS = { updates: 'Updates', contents: 'What it knows' };
/** Which keys have downloaded what is for administrators. */
const ADMIN_TABS = { ...TABS, databases: 'Databases and lists' };

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
          <Section title="Versions" note={versionsNote(report.versions)}>
            <VersionTable versions={report.versions} />
          </Section>
        </>
      )}
      {tab === 'contents' && (
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

function versionsNote(versions: readonly PublishedVersion[]): string {
  const bytes = Math.max(...versions.map((version) => version.bytes));
  return `Rollback and the history of an address reach back to the oldest version. A version takes ${formatBytes(bytes)} of disk; WHENCE_KEEP_VERSIONS says how many are kept.`;
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
  const action: Column<PublishedVersion> = {
    name: 'Action',
    align: 'end',
    cell: ({ version, current }) =>
      !current && (
        <QuietButton size="compact-xs" text="Use this version" onClick={() => setChosen(version)} />
      ),
  };
  const columns: Column<PublishedVersion>[] = [
    {
      name: 'Version',
      cell: ({ version, current }) => (
        <>
          {version} {current && <span className="quiet">in use</span>}
        </>
      ),
    },
    { name: 'Built', cell: ({ built_at }) => <Time at={built_at} /> },
    { name: 'Size', align: 'end', cell: ({ bytes }) => formatBytes(bytes) },
    ...(isAtLeast('admin') ? [action] : []),
  ];
  return (
    <>
      <Table isStacked label="Versions" columns={columns} rows={sorted} />
      {chosen !== undefined && (
        <UseVersionDialog version={chosen} onClose={() => setChosen(undefined)} />
      )}
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
    <FormDialog
      title={`Use dataset ${version}`}
      mutation={use}
      action={`Use version ${version}`}
      onClose={onClose}
    >
      <p>
        Every process switches to version {version} within seconds. The other versions are kept; the
        next update publishes a new one.
      </p>
    </FormDialog>
  );
}
