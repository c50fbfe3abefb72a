import type { MailCarrier, MxNetwork, NetworksReport, SenderNetwork } from '@whence/client/wire';
import { AddressLink, NetworkLink } from '../components/Links.tsx';
import { Notice } from '../components/Notice.tsx';
import { Section } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { countryName } from '../format/names.ts';
import { count, formatNumber, formatShare } from '../format/number.ts';
import { Findings } from './CheckSection.tsx';

/** The networks that handle the domain's mail, and the addresses that may send for it. */
export function MailNetworks({ report }: { report: NetworksReport }) {
  const {
    carriers,
    mx,
    senders,
    range_count,
    ipv4_addresses,
    open_to_all,
    unlisted_terms,
    errors,
  } = report;
  return (
    <>
      {open_to_all && (
        <Notice tone="bad" title="SPF allows every address to send for this domain">
          <p>The record ends in +all.</p>
        </Notice>
      )}
      {carriers.length > 0 && (
        <Section title="Networks that handle the mail">
          <Table isStacked label="Networks" columns={carrierColumns} rows={carriers} />
        </Section>
      )}
      {mx.length > 0 && (
        <Section title="Mail servers">
          <Table isStacked label="MX hosts" columns={mxColumns} rows={mx} />
        </Section>
      )}
      {senders.length > 0 && (
        <Section
          title="Authorised senders"
          note={`${count(ipv4_addresses, 'IPv4 address', 'IPv4 addresses')} in ${count(range_count, 'range')}${range_count > 1 ? ', the largest first' : ''}.`}
        >
          <Table isStacked label="Senders" columns={senderColumns} rows={senders} />
        </Section>
      )}
      {unlisted_terms.length > 0 && (
        <p className="quiet">
          The addresses of {unlisted_terms.join(', ')} depend on the message and cannot be listed.
        </p>
      )}
      <Findings errors={errors} />
    </>
  );
}

function Network({ asn, asn_name }: { asn: number; asn_name: string }) {
  if (asn === 0) return <span className="quiet">not announced</span>;
  return <NetworkLink asn={asn} name={asn_name} />;
}

/** The networks that share a range, with their shares; a range of one network has none. */
function SenderNetworks({ row }: { row: SenderNetwork }) {
  const { shares, asn_count } = row;
  if (shares.length < 2) return <Network {...row} />;
  const rest = asn_count - shares.length;
  return (
    <>
      {shares.map(({ asn, asn_name, percent }, index) => (
        <span key={asn}>
          {index > 0 && ', '}
          <Network asn={asn} asn_name={asn_name} />{' '}
          <span className="quiet">{formatShare(percent, 100)}</span>
        </span>
      ))}
      {rest > 0 && ` and ${count(rest, 'other')}`}
    </>
  );
}

const carrierColumns: Column<MailCarrier>[] = [
  { name: 'Network', cell: (carrier) => <Network {...carrier} /> },
  { name: 'MX hosts', align: 'end', cell: ({ mx_hosts }) => formatNumber(mx_hosts) },
  {
    name: 'May send (IPv4)',
    align: 'end',
    cell: (carrier) => formatNumber(carrier.ipv4_addresses),
  },
];
const mxColumns: Column<MxNetwork>[] = [
  { name: 'Host', cell: ({ host }) => <span className="mono">{host}</span> },
  { name: 'Address', cell: ({ address }) => <AddressLink ip={address} /> },
  { name: 'Network', cell: (row) => <Network {...row} /> },
  { name: 'Country', cell: ({ country }) => countryName(country) },
];
const senderColumns: Column<SenderNetwork>[] = [
  { name: 'Range', cell: ({ range }) => <span className="mono">{range}</span> },
  { name: 'Listed by', cell: ({ record_domain }) => record_domain },
  { name: 'Networks', isText: true, cell: (row) => <SenderNetworks row={row} /> },
  { name: 'Country', cell: ({ country }) => (country === '' ? '' : countryName(country)) },
];
