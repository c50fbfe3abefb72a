import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { PublishedVersion } from '@whence/client/wire';
import { useState } from 'react';
import { call, queryClient } from '../api/query-client.ts';
import { Dialog } from '../components/Dialog.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { Tag } from '../components/Tag.tsx';
import { formatBytes } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { useRole } from '../session/use-session.ts';
import classes from './VersionTable.module.css';

export function VersionTable({ versions }: { versions: readonly PublishedVersion[] }) {
  const { isAtLeast } = useRole();
  const [chosen, setChosen] = useState<number>();
  const sorted = [...versions].sort((a, b) => b.version - a.version);
  const previous = (version: number) => sorted.find((other) => other.version < version)?.version;
  const action: Column<PublishedVersion> = {
    name: 'Action',
    align: 'end',
    cell: ({ version, current }) =>
      !current && (
        <Button size="compact-xs" variant="default" onClick={() => setChosen(version)}>
          Use this version
        </Button>
      ),
  };
  const columns: Column<PublishedVersion>[] = [
    {
      name: 'Version',
      cell: ({ version, current }) => (
        <>
          {version} {current && <Tag tone="good">in use</Tag>}
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
    <Dialog onClose={onClose} title={`Use dataset ${version}`}>
      <div className={classes['dialog']}>
        {use.error !== null && <FailureNotice error={use.error} />}
        <p>
          Every process switches to version {version} within seconds. The other versions are kept; the next update
          publishes a new one.
        </p>
        <div className={classes['buttons']}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={use.isPending} onClick={() => use.mutate()}>
            Use version {version}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
