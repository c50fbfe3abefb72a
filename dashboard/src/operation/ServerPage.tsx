import type { SettingInForce } from '@whence/server/dashboard-wire/operation';
import { useAnswer } from '../api/query-client.ts';
import { Copyable } from '../components/Copy.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Page, Section } from '../components/Page.tsx';
import { PageTabs, useTab } from '../components/PageTabs.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { count } from '../format/number.ts';
import { DailyUpdates } from './DailyUpdates.tsx';
import { Health } from './Health.tsx';
import classes from './ServerPage.module.css';

const columns: Column<SettingInForce>[] = [
  {
    name: 'Variable',
    cell: ({ variable }) => (
      <div className={classes['variable']}>
        <Copyable text={variable} isMono />
      </div>
    ),
  },
  { name: 'Value', cell: (setting) => <Value setting={setting} /> },
  { name: 'Meaning', isText: true, cell: ({ help }) => <span className="quiet">{help}</span> },
];

const TABS = { health: 'Health', settings: 'Settings' };

export function ServerPage() {
  const tab = useTab(TABS);
  return (
    <Page name="Server" title="Server">
      <PageTabs tabs={TABS} />
      {tab === 'health' ? (
        <Health />
      ) : (
        <>
          <DailyUpdates />
          <Settings />
        </>
      )}
    </Page>
  );
}

function Settings() {
  const settings = useAnswer('getSettings', {});
  return (
    <Section
      title="Settings that are set"
      note="They are read from the environment at startup; to change one, set it and restart the server."
    >
      <Loaded query={settings} shape={[['table']]}>
        {({ data: { settings } }) => {
          const set = settings.filter(({ is_set }) => is_set);
          const others = settings.filter(({ is_set }) => !is_set);
          return (
            <>
              {set.length === 0 ? (
                <p>None: the defaults are in effect.</p>
              ) : (
                <Table isStacked label="Settings" columns={columns} rows={set} />
              )}
              <details>
                <summary>{count(others.length, 'setting')} with their defaults</summary>
                <Table isStacked label="Defaults" columns={columns} rows={others} />
              </details>
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

function Value({ setting: { is_secret, is_set, value } }: { setting: SettingInForce }) {
  if (is_secret && is_set) return <span className="quiet">set, not shown</span>;
  return value ? <span className="mono">{value}</span> : <span className="quiet">not set</span>;
}
