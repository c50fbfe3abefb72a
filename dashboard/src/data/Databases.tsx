import type { DatabasesPage } from '@whence/server/dashboard-wire/dataset';
import { blocks as guide } from '../../../docs/databases.md?blocks';
import { useAnswer } from '../api/query-client.ts';
import { CodeBlock } from '../components/Copy.tsx';
import { CreateKeyLink, KeyLink } from '../components/Links.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Empty } from '../components/Notice.tsx';
import { Section } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { Tag } from '../components/Tag.tsx';
import { formatBytes, formatNumber } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { exactUtc } from '../format/time.ts';

type File = DatabasesPage['files'][number];
type Download = DatabasesPage['downloads'][number];

/** As in the guide, for this server. */
const GEOIP_CONF = (guide['With geoipupdate']?.[0]?.text ?? '').replace(
  /(?<=Host ).*/,
  window.location.origin,
);

/** Files of the dataset for other programs, and which keys have downloaded which version. */
export function Databases() {
  const databases = useAnswer('getDatabases', {});
  return (
    <Loaded query={databases} shape={[['table'], ['table']]}>
      {({ data: { files, downloads } }) => (
        <>
          <Section title="Downloads" note="In the last 30 days.">
            {downloads.length === 0 ? (
              <Empty title="No key has downloaded a file">
                <p>Programs need a key with the permission database:read, as below.</p>
              </Empty>
            ) : (
              <Table isStacked label="Downloads" columns={downloadColumns} rows={downloads} />
            )}
          </Section>
          <Section title="Files" note="Files of the version in use and of the version before it.">
            {files.length === 0 ? (
              <Empty title="No files have been written yet">
                <p>
                  They are written after each update, and once a key has the permission
                  database:read. It takes half a minute, or a few minutes if the server is busy.
                </p>
              </Empty>
            ) : (
              <Table isStacked label="Files" columns={fileColumns} rows={files} />
            )}
          </Section>
          <Section
            title="geoipupdate"
            note="In /etc/GeoIP.conf, with a key in place of whence_…; the account number is not used."
            aside={<CreateKeyLink permission="database:read" />}
          >
            <CodeBlock text={GEOIP_CONF} label="GeoIP.conf" />
          </Section>
        </>
      )}
    </Loaded>
  );
}

const versionCell = ({ version, is_current }: { version: number; is_current: boolean }) => (
  <>
    {version} {!is_current && <Tag text="older" />}
  </>
);

const downloadColumns: Column<Download>[] = [
  { name: 'Key', cell: ({ key_id, key }) => <KeyLink id={key_id} name={key} /> },
  { name: 'File', cell: ({ file }) => file },
  { name: 'Version', cell: versionCell },
  { name: 'Downloads', align: 'end', cell: ({ count }) => formatNumber(count) },
  { name: 'Last, by hour', cell: ({ last_hour }) => exactUtc(last_hour).replace(':00:00', ':00') },
];

const fileColumns: Column<File>[] = [
  { name: 'File', cell: ({ name }) => name },
  { name: 'Edition', cell: ({ edition }) => edition },
  { name: 'Version', cell: versionCell },
  { name: 'Size', align: 'end', cell: ({ bytes }) => formatBytes(bytes) },
  { name: 'Built', cell: ({ built_at }) => <Time at={built_at} /> },
];
