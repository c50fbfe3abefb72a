import { useQuery } from '@tanstack/react-query';
import type { SettingInForce } from '@whence/server/dashboard-wire';
import { answerQuery } from '../api/query-client.ts';
import { Copyable } from '../copy/Copyable.tsx';
import { Page } from '../parts/Page.tsx';
import { type Column, Table } from '../parts/Table.tsx';
import { Tag } from '../parts/Tag.tsx';
import { Loaded } from '../states/Loaded.tsx';

const columns: Column<SettingInForce>[] = [
  { name: 'Variable', cell: ({ variable }) => <Copyable text={variable} isMono /> },
  { name: 'Value', cell: (setting) => <Value setting={setting} /> },
  { name: 'From', cell: ({ is_set }) => (is_set ? <Tag tone="accent">environment</Tag> : <Tag>default</Tag>) },
  { name: 'Meaning', isText: true, cell: ({ help }) => <span className="quiet">{help}</span> },
];

export function ServerPage() {
  const settings = useQuery(answerQuery('getSettings', {}));
  return (
    <Page
      name="Server"
      title="Server settings"
      lead="As they are in force. They are read from the environment at the start; to change one, set it and restart."
    >
      <Loaded query={settings} lines={14}>
        {({ data }) => (
          <Table
            isStacked
            label="Settings"
            columns={columns}
            rows={data.settings}
            rowKey={({ variable }) => variable}
          />
        )}
      </Loaded>
    </Page>
  );
}

function Value({ setting: { is_secret, is_set, value } }: { setting: SettingInForce }) {
  if (is_secret) return <span className="quiet">{is_set ? 'set, not shown' : 'not set'}</span>;
  if (value === undefined || value === '') return <span className="quiet">empty</span>;
  return <span className="mono">{value}</span>;
}
