/** The networks that announce the prefix of an address, and whether ROAs authorise them. */
import type { Origin, Roa } from '@whence/client/wire';
import type { IpLookup } from '@whence/server/dashboard-wire/lookups';
import { NetworkLink, PrefixLink } from '../components/Links.tsx';
import { Section } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { RpkiTag } from '../components/Tag.tsx';
import { Time } from '../format/Time.tsx';

/** One network whose RPKI state is not known is among the facts already. */
export function RoutingSection({ lookup }: { lookup: IpLookup }) {
  const { record, routing, rpki_as_of, evidence } = lookup;
  const { origins, roas = [] } = routing;
  if (origins.length < 2 && rpki_as_of === undefined) return null;
  const stated = (asn: number) => evidence.find(({ field, value }) => field === 'asn' && value === asn);
  const columns: Column<Origin>[] = [
    { name: 'Network', cell: ({ asn, asn_name }) => <NetworkLink asn={asn} name={asn_name ?? ''} /> },
    ...(rpki_as_of === undefined
      ? []
      : [{ name: 'RPKI', cell: ({ rpki }: Origin) => rpki && <RpkiTag state={rpki} /> }]),
    {
      name: 'Source',
      cell: ({ asn }) => {
        const row = stated(asn);
        return row === undefined ? '' : `${row.source}, ${row.as_of}`;
      },
    },
  ];
  return (
    <Section
      title="Routing"
      note={
        <>
          {origins.length === 1 ? 'The network that announces' : `${origins.length} networks announce`}{' '}
          <PrefixLink prefix={record.prefix} />
          {rpki_as_of !== undefined && (
            <>
              ; ROA data written <Time at={rpki_as_of} />
            </>
          )}
        </>
      }
    >
      <Table isStacked label="Origins" columns={columns} rows={origins} rowKey={({ asn }) => String(asn)} />
      {roas.length > 0 && <p className="quiet">{roas.map(roaWords).join('; ')}.</p>}
    </Section>
  );
}

const roaWords = ({ asn, prefix, max_length }: Roa) =>
  prefix.endsWith(`/${max_length}`)
    ? `A ROA allows AS${asn} to announce ${prefix}`
    : `A ROA allows AS${asn} to announce ${prefix} and its parts up to /${max_length}`;
