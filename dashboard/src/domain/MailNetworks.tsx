import { Link } from '@tanstack/react-router';
import type { MailCarrier, MxNetwork, NetworksReport, SenderNetwork } from '@whence/client/wire';
import { formatNumber } from '../format/number.ts';
import { Section } from '../parts/Section.tsx';
import { type Column, Table } from '../parts/Table.tsx';
import { Notice } from '../states/Notice.tsx';
import { Findings } from './Findings.tsx';

/** Who carries the domain's mail, and which addresses may send as it. */
export function MailNetworks({ report }: { report: NetworksReport }) {
  const { carriers, mx, senders, range_count, ipv4_addresses, open_to_all, unlisted_terms, errors } = report;
  return (
    <>
      {open_to_all && (
        <Notice tone="bad" title="SPF lets every address send as this domain">
          <p>The record ends in +all.</p>
        </Notice>
      )}
      {carriers.length > 0 && (
        <Section title="Networks that carry the mail">
          <Table label="Networks" columns={carrierColumns} rows={carriers} rowKey={({ asn }) => String(asn)} />
        </Section>
      )}
      {mx.length > 0 && (
        <Section title="Where mail is received">
          <Table label="MX hosts" columns={mxColumns} rows={mx} rowKey={({ host, address }) => `${host} ${address}`} />
        </Section>
      )}
      {senders.length > 0 && (
        <Section
          title="What may send"
          note={`${formatNumber(ipv4_addresses)} IPv4 addresses in ${formatNumber(range_count)} ranges, the largest first.`}
        >
          <Table label="Senders" columns={senderColumns} rows={senders} rowKey={({ range }, index) => range + index} />
        </Section>
      )}
      {unlisted_terms.length > 0 && (
        <p className="quiet">Only a receiver can know the addresses of {unlisted_terms.join(', ')}.</p>
      )}
      <Findings errors={errors} />
    </>
  );
}

function Network({ asn, asn_name }: { asn: number; asn_name: string }) {
  if (asn === 0) return <span className="quiet">not announced</span>;
  return (
    <>
      <Link to="/asn/$asn" params={{ asn: String(asn) }}>
        AS{asn}
      </Link>{' '}
      {asn_name}
    </>
  );
}

const carrierColumns: Column<MailCarrier>[] = [
  { name: 'Network', cell: (carrier) => <Network {...carrier} /> },
  { name: 'MX hosts', align: 'end', cell: ({ mx_hosts }) => formatNumber(mx_hosts) },
  { name: 'IPv4 addresses that may send', align: 'end', cell: (carrier) => formatNumber(carrier.ipv4_addresses) },
];
const mxColumns: Column<MxNetwork>[] = [
  { name: 'Host', cell: ({ host }) => <span className="mono">{host}</span> },
  {
    name: 'Address',
    cell: ({ address }) => (
      <Link to="/ip/$ip" params={{ ip: address }} className="mono">
        {address}
      </Link>
    ),
  },
  { name: 'Network', cell: (row) => <Network {...row} /> },
  { name: 'Country', cell: ({ country }) => country },
];
const senderColumns: Column<SenderNetwork>[] = [
  { name: 'Range', cell: ({ range }) => <span className="mono">{range}</span> },
  { name: 'Named by', cell: ({ record_domain }) => record_domain },
  { name: 'Network', cell: (row) => <Network {...row} /> },
  { name: 'Country', cell: ({ country }) => country },
];
