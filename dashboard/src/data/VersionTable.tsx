import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { PublishedVersion } from '@whence/client/wire';
import { useState } from 'react';
import { call, queryClient } from '../api/query-client.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { FormDialog } from '../components/Form.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { Tag } from '../components/Tag.tsx';
import { formatBytes } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { useRole } from '../session/use-session.ts';

export function VersionTable({ versions }: { versions: readonly PublishedVersion[] }) {
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
      <Table isStacked label="Versions" columns={columns} rows={sorted} rowKey={({ version }) => String(version)} />
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
