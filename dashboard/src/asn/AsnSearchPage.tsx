import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { AsnSearchResult } from '@whence/client/wire';
import { useAnswer } from '../api/query-client.ts';
import { Icon } from '../components/icons.tsx';
import { Loaded, PageSkeleton } from '../components/Loaded.tsx';
import { Empty } from '../components/Notice.tsx';
import { Page, Section } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { countryName } from '../format/names.ts';
import { count, formatNumber } from '../format/number.ts';
import { IN_PLACE } from '../search-params.ts';

const route = getRouteApi('/session/asn');
const LIMIT = 100;
const DEBOUNCE_MS = 120;
const SHAPE = [['table']] as const;

export function AsnSearchPage() {
  const { q = '' } = route.useSearch();
  const navigate = useNavigate({ from: '/asn' });
  const [searched] = useDebouncedValue(q.trim(), DEBOUNCE_MS);
  return (
    <Page name={q === '' ? 'Networks' : `Networks: ${q}`} title="Networks by name">
      <TextInput
        type="search"
        aria-label="Part of a network’s name"
        placeholder="Part of a name, such as telefonica"
        leftSection={<Icon name="search" size={16} />}
        maw={480}
        autoFocus={q === ''}
        value={q}
        onChange={(event) =>
          void navigate({ search: { q: event.currentTarget.value || undefined }, ...IN_PLACE })
        }
      />
      {/* The results on the screen are always those of the text in the field. */}
      {searched === q.trim() ? <Results searched={searched} /> : <PageSkeleton shape={SHAPE} />}
    </Page>
  );
}

function Results({ searched }: { searched: string }) {
  const search = useAnswer(
    'searchAsn',
    { query: { q: searched, limit: LIMIT } },
    { enabled: searched !== '' },
  );
  if (searched === '')
    return (
      <Empty title="Search as you type">
        <p>Case and accents are ignored.</p>
      </Empty>
    );
  return (
    <Loaded query={search} shape={SHAPE}>
      {({ data: { results, total } }) =>
        results.length === 0 ? (
          <Empty title={`No network name matches “${searched}”`}>
            <p>
              Try a part of the name: organisations often register under a parent company or in
              short form.
            </p>
          </Empty>
        ) : (
          <Section
            title={count(total, 'network')}
            note={
              total > results.length
                ? `Showing the best ${formatNumber(results.length)}.`
                : undefined
            }
          >
            <AsnResults results={results} label="Networks found" />
          </Section>
        )
      }
    </Loaded>
  );
}

const columns: Column<AsnSearchResult>[] = [
  {
    name: 'Number',
    cell: ({ asn }) => (
      <Link to="/asn/$asn" params={{ asn: String(asn) }} className="nowrap">
        AS{asn}
      </Link>
    ),
  },
  { name: 'Name', cell: ({ asn_name }) => asn_name },
  {
    name: 'Country',
    cell: ({ country }) => <span className="nowrap">{countryName(country)}</span>,
  },
  { name: 'Type', cell: ({ connection_type }) => connection_type },
  {
    name: 'IPv4 prefixes',
    isWide: true,
    align: 'end',
    cell: ({ prefix_count }) => formatNumber(prefix_count.ipv4),
  },
  {
    name: 'IPv6 prefixes',
    isWide: true,
    align: 'end',
    cell: ({ prefix_count }) => formatNumber(prefix_count.ipv6),
  },
];

export function AsnResults({
  results,
  label,
}: {
  results: readonly AsnSearchResult[];
  label: string;
}) {
  return <Table label={label} columns={columns} rows={results} isStacked="compact" />;
}
