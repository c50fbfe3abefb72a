import type { DatasetPage, UpdateState } from '@whence/server/dashboard-wire/dataset';
import { useEffect, useState } from 'react';
import { useAnswer } from '../api/query-client.ts';
import { CodeBlock } from '../components/Copy.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Notice } from '../components/Notice.tsx';
import { Credits, Page, Section } from '../components/Page.tsx';
import { useRole } from '../session/use-session.ts';
import { Coverage, FlagCounts, SourceTable } from './DatasetTables.tsx';
import { DataAge, DataAgeLead, QualityTable } from './Quality.tsx';
import { UpdateButton, UpdateFacts, UpdateNotice, UpdateResult } from './Updates.tsx';
import { VersionTable } from './VersionTable.tsx';

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

function DataSections({ data: { report, feeds, update } }: { data: DatasetPage }) {
  const { isAtLeast } = useRole();
  const wasRunning = useWasRunning(update);
  const updates = (
    <Section title="Updates" aside={isAtLeast('admin') && <UpdateButton update={update} />}>
      <UpdateNotice update={update} builtAt={report?.built_at} refused={report?.refused ?? []} />
      {wasRunning && <UpdateResult update={update} />}
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
      {updates}
      <Section title="Age" note="Of the oldest source that decides a field. A new build can have old data.">
        <DataAge report={report} />
      </Section>
      <Section title="Coverage" note="Shares of the announced address space.">
        <Coverage figures={report.figures} />
      </Section>
      <Section
        title="Quality"
        note="Measured on labels that did not decide the answers. Proxies, AI crawlers and blocklists have no independent labels, so their recall is unknown."
      >
        <QualityTable rows={report.quality} />
      </Section>
      <Section
        title="Flags"
        note="A flag without a source is false for every address: read it as “unknown”, not as “no”."
      >
        <FlagCounts report={report} />
      </Section>
      <Section title="Versions" note="Older versions are kept for comparison and rollback.">
        <VersionTable versions={report.versions} />
      </Section>
      <Section title="Sources">
        <SourceTable sources={report.sources} feeds={feeds} />
      </Section>
      <Credits credits={[...new Set(report.sources.map(({ credit }) => credit).filter((credit) => credit !== ''))]} />
    </>
  );
}

/** Whether an update was seen running since the page was opened. */
function useWasRunning({ outcome }: UpdateState): boolean {
  const [wasRunning, setWasRunning] = useState(false);
  useEffect(() => {
    if (outcome === 'running') setWasRunning(true);
  }, [outcome]);
  return wasRunning;
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
