import type { SettingInForce } from '@whence/server/dashboard-wire/operation';
import { useAnswer } from '../api/query-client.ts';
import { Copyable } from '../components/Copy.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Page, Section } from '../components/Page.tsx';
import { PageTabs, useTab } from '../components/PageTabs.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { Tag } from '../components/Tag.tsx';
import { Health } from './Health.tsx';

const columns: Column<SettingInForce>[] = [
  {
    name: 'Variable',
    cell: ({ variable }) => (
      <span className="nowrap">
        <Copyable text={variable} isMono />
      </span>
    ),
  },
  { name: 'Value', cell: (setting) => <Value setting={setting} /> },
  { name: 'From', cell: ({ is_set }) => (is_set ? <Tag tone="accent" text="environment" /> : <Tag text="default" />) },
  { name: 'Meaning', isText: true, cell: ({ help }) => <span className="quiet">{help}</span> },
];

const TABS = { health: 'Health', settings: 'Settings' };

export function ServerPage() {
  const tab = useTab(TABS);
  return (
    <Page name="Server" title="Server">
      <PageTabs tabs={TABS} />
      {tab === 'health' ? <Health /> : <Settings />}
    </Page>
  );
}

function Settings() {
  const settings = useAnswer('getSettings', {});
  return (
    <Section
      title="Settings in effect"
      note="They are read from the environment at startup; to change one, set it and restart the server."
    >
      <Loaded query={settings} shape={[['table']]}>
        {({ data }) => <Table isStacked label="Settings" columns={columns} rows={data.settings} />}
      </Loaded>
    </Section>
  );
}

function Value({ setting: { is_secret, is_set, value } }: { setting: SettingInForce }) {
  if (is_secret && is_set) return <span className="quiet">set, not shown</span>;
  return value ? <span className="mono">{value}</span> : <span className="quiet">not set</span>;
}
