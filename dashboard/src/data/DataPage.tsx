import { useQuery } from '@tanstack/react-query';
import type { DatasetPage, UpdateState } from '@whence/server/dashboard-wire';
import { answerQuery } from '../api/query-client.ts';
import { CodeBox } from '../copy/CodeBox.tsx';
import { Time } from '../format/Time.tsx';
import { Columns } from '../parts/Columns.tsx';
import { Credits } from '../parts/Credits.tsx';
import { Page } from '../parts/Page.tsx';
import { Section } from '../parts/Section.tsx';
import { useRole } from '../session/use-account.ts';
import { Loaded } from '../states/Loaded.tsx';
import { Notice } from '../states/Notice.tsx';
import { Coverage } from './Coverage.tsx';
import { FlagCounts } from './FlagCounts.tsx';
import { Refusals } from './Refusals.tsx';
import { SourceTable } from './SourceTable.tsx';
import { UpdateButton } from './UpdateButton.tsx';
import { UpdateFacts } from './UpdateFacts.tsx';
import { VersionTable } from './VersionTable.tsx';

const IDLE_MS = 30_000;
const RUNNING_MS = 1500;

export function DataPage() {
  const { isAtLeast } = useRole();
  const page = useQuery({
    ...answerQuery('getDataset', {}),
    refetchInterval: ({ state }) => (state.data?.data.update.outcome === 'running' ? RUNNING_MS : IDLE_MS),
  });
  const report = page.data?.data.report;
  const update = page.data?.data.update;
  return (
    <Page
      name="Data"
      title={report === undefined ? 'Data' : `Dataset ${report.version}`}
      {...(report === undefined
        ? {}
        : {
            lead: (
              <>
                Built <Time at={report.built_at} />. Every answer comes from it.
              </>
            ),
          })}
      actions={isAtLeast('admin') && update !== undefined ? <UpdateButton update={update} /> : undefined}
    >
      <Loaded query={page} lines={14}>
        {({ data }) => <DataSections data={data} />}
      </Loaded>
    </Page>
  );
}

function DataSections({ data: { report, feeds, update } }: { data: DatasetPage }) {
  if (report === undefined) return <NoDataset update={update} />;
  return (
    <>
      <Running update={update} />
      <Refusals refused={report.refused} />
      <Columns>
        <Section title="What it can answer" note="Shares of the announced address space.">
          <Coverage figures={report.figures} />
        </Section>
        <Section title="Updates">
          <UpdateFacts update={update} />
        </Section>
      </Columns>
      <Section
        title="What it knows of flags"
        note="Where no source knows a flag, it is false everywhere: read it as “unknown”, not as “no”."
      >
        <FlagCounts report={report} />
      </Section>
      <Section title="Versions" note="Older versions are kept to compare with and to go back to.">
        <VersionTable versions={report.versions} />
      </Section>
      <Section title="Sources">
        <SourceTable sources={report.sources} feeds={feeds} />
      </Section>
      <Credits credits={[...new Set(report.sources.map(({ credit }) => credit).filter((credit) => credit !== ''))]} />
    </>
  );
}

function Running({ update }: { update: UpdateState }) {
  if (update.outcome === 'running') {
    return (
      <Notice title="An update is running">
        <p role="status">{update.step ?? 'Starting'}. Look-ups go on with the version in use.</p>
      </Notice>
    );
  }
  if (update.outcome === 'failed') {
    return (
      <Notice tone="bad" title="The last update failed: the version before stays in use">
        {update.error !== undefined && <p>{update.error}</p>}
      </Notice>
    );
  }
  return null;
}

function NoDataset({ update }: { update: UpdateState }) {
  return (
    <Notice tone="warn" title="No dataset is loaded yet">
      <p>
        {update.schedule.kind === 'pull'
          ? 'The first one is being pulled from the configured host.'
          : 'The first one is built at the first start and takes about a minute. By hand:'}
      </p>
      {update.schedule.kind === 'build' && <CodeBox text="whence dataset build" label="command" />}
    </Notice>
  );
}
