import type {
  Amount,
  AnnouncedPrefix,
  Changes,
  CountryChange,
  DatasetDiff,
  OriginChange,
  SourceChange,
} from '@whence/client/wire';
import type { ReactNode } from 'react';
import { NetworkLink } from '../components/Links.tsx';
import { Section } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { Level } from '../components/Tag.tsx';
import { useThreatCaveat } from '../components/use-threat-caveat.ts';
import { count, formatNumber } from '../format/number.ts';

/** What changed, the largest first; groups without a change are left out. */
export function DiffSections({ diff }: { diff: DatasetDiff }) {
  const { addresses, prefixes, origins, countries, levels, flags, networks, sources } = diff;
  const { caveat, isThreatKnown } = useThreatCaveat();
  const flagRows = Object.entries(flags)
    .map(([flag, { gained, lost }]) => ({ flag, gained, lost }))
    .filter(({ gained, lost }) => [gained, lost].some(({ ipv4, ipv6 }) => ipv4.count + ipv6.count > 0));
  return (
    <>
      <Section title="Addresses">
        <Table
          label="Addresses"
          rows={
            [
              ['gained', addresses.gained],
              ['lost', addresses.lost],
            ] as const
          }
          rowKey={([name]) => name}
          columns={[
            { name: 'Announced space', cell: ([name]) => name },
            ...amountColumns<readonly [string, Amount]>(([, amount]) => amount),
          ]}
        />
      </Section>
      <ChangeTable<AnnouncedPrefix>
        title="Prefixes gained"
        changes={prefixes.gained}
        cells={({ prefix, asn, asn_name }) => [prefix, <NetworkLink key="n" asn={asn} name={asn_name} />]}
        heads={['Prefix', 'Network']}
      />
      <ChangeTable<AnnouncedPrefix>
        title="Prefixes lost"
        changes={prefixes.lost}
        cells={({ prefix, asn, asn_name }) => [prefix, <NetworkLink key="n" asn={asn} name={asn_name} />]}
        heads={['Prefix', 'Network']}
      />
      <ChangeTable<OriginChange>
        title="Changed origin"
        changes={origins}
        cells={({ prefix, from, to }) => [
          prefix,
          <NetworkLink key="f" asn={from.asn} name={from.asn_name} />,
          <NetworkLink key="t" asn={to.asn} name={to.asn_name} />,
        ]}
        heads={['Prefix', 'From', 'To']}
      />
      <ChangeTable<CountryChange>
        title="Changed country"
        changes={countries}
        cells={({ network, from, to }) => [network, from, to]}
        heads={['Network', 'From', 'To']}
      />
      {levels.length > 0 && (
        <Section title="Changed threat level" note={caveat}>
          <Table
            label="Threat levels"
            rows={levels}
            rowKey={({ from, to }) => `${from} ${to}`}
            columns={[
              { name: 'From', cell: ({ from }) => <Level level={from} isKnown={isThreatKnown} /> },
              { name: 'To', cell: ({ to }) => <Level level={to} isKnown={isThreatKnown} /> },
              ...amountColumns<(typeof levels)[number]>((row) => row),
            ]}
          />
        </Section>
      )}
      {flagRows.length > 0 && (
        <Section title="Flags">
          <Table
            label="Flags"
            rows={flagRows}
            rowKey={({ flag }) => flag}
            columns={[
              { name: 'Flag', cell: ({ flag }) => <code>{flag}</code> },
              {
                name: 'Gained, IPv4 addresses',
                align: 'end',
                cell: ({ gained }) => formatNumber(gained.ipv4.addresses),
              },
              { name: 'Lost, IPv4 addresses', align: 'end', cell: ({ lost }) => formatNumber(lost.ipv4.addresses) },
              { name: 'Gained, IPv6 /48s', align: 'end', cell: ({ gained }) => formatNumber(gained.ipv6.slash48s) },
              { name: 'Lost, IPv6 /48s', align: 'end', cell: ({ lost }) => formatNumber(lost.ipv6.slash48s) },
            ]}
          />
        </Section>
      )}
      {networks.appeared.count + networks.vanished.count + networks.renamed.count > 0 && (
        <Section
          title="Networks"
          note={`${count(networks.appeared.count, 'network')} appeared, ${formatNumber(networks.vanished.count)} disappeared, ${formatNumber(networks.renamed.count)} renamed.`}
        >
          <Table
            label="Networks"
            rows={[
              ...networks.appeared.largest.map((row) => ({ ...row, change: 'appeared' })),
              ...networks.vanished.largest.map((row) => ({ ...row, change: 'disappeared' })),
              ...networks.renamed.largest.map(({ asn, from, to, ipv4_addresses }) => ({
                asn,
                asn_name: `${from} → ${to}`,
                ipv4_addresses,
                change: 'renamed',
              })),
            ]}
            rowKey={({ asn, change }) => `${change} ${asn}`}
            columns={[
              { name: 'Change', cell: ({ change }) => change },
              { name: 'Network', cell: ({ asn, asn_name }) => <NetworkLink asn={asn} name={asn_name} /> },
              { name: 'IPv4 addresses', align: 'end', cell: ({ ipv4_addresses }) => formatNumber(ipv4_addresses) },
            ]}
          />
        </Section>
      )}
      <Section title="Sources">
        <Table label="Sources" rows={sources} rowKey={({ id }) => id} columns={SOURCE_COLUMNS} />
      </Section>
    </>
  );
}

const SOURCE_COLUMNS: Column<SourceChange>[] = [
  { name: 'Source', cell: ({ id }) => <span className="mono">{id}</span> },
  { name: 'From', cell: ({ from }) => (from === undefined ? 'absent' : from.as_of) },
  { name: 'To', cell: ({ to }) => (to === undefined ? 'absent' : to.as_of) },
  { name: 'Records before', align: 'end', cell: ({ from }) => (from === undefined ? '' : formatNumber(from.records)) },
  { name: 'Records now', align: 'end', cell: ({ to }) => (to === undefined ? '' : formatNumber(to.records)) },
];

function amountColumns<Row>(amountOf: (row: Row) => Amount): Column<Row>[] {
  return [
    { name: 'IPv4 addresses', align: 'end', cell: (row) => formatNumber(amountOf(row).ipv4.addresses) },
    { name: 'IPv6 /48s', align: 'end', cell: (row) => formatNumber(amountOf(row).ipv6.slash48s) },
  ];
}

type ChangeTableProps<Entry> = {
  title: string;
  changes: Changes<Entry>;
  heads: readonly string[];
  cells: (entry: Entry) => readonly ReactNode[];
};

function ChangeTable<Entry>({ title, changes, heads, cells: cellsOf }: ChangeTableProps<Entry>) {
  const rows = [
    ...changes.ipv4.largest.map((entry) => ({
      cells: cellsOf(entry),
      size: `${formatNumber(entry.addresses)} addresses`,
    })),
    ...changes.ipv6.largest.map((entry) => ({ cells: cellsOf(entry), size: `${formatNumber(entry.slash48s)} /48s` })),
  ];
  if (rows.length === 0) return null;
  const total = changes.ipv4.count + changes.ipv6.count;
  return (
    <Section
      title={`${title}: ${formatNumber(total)}`}
      note={total > rows.length ? `Showing the largest ${rows.length}.` : undefined}
    >
      <Table
        label={title}
        rows={rows}
        rowKey={(_, index) => String(index)}
        columns={[
          ...heads.map((name, index) => ({
            name,
            cell: ({ cells }: (typeof rows)[number]) =>
              index === 0 ? <span className="mono">{cells[0]}</span> : cells[index],
          })),
          { name: 'Size', align: 'end' as const, cell: ({ size }: (typeof rows)[number]) => size },
        ]}
      />
    </Section>
  );
}
