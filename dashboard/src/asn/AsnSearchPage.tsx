import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { answerQuery } from '../api/query-client.ts';
import { count, formatNumber } from '../format/number.ts';
import { Page } from '../parts/Page.tsx';
import { Section } from '../parts/Section.tsx';
import { Empty } from '../states/Empty.tsx';
import { Loaded } from '../states/Loaded.tsx';
import { AsnResults } from './AsnResults.tsx';

const route = getRouteApi('/gate/asn');
const LIMIT = 100;
const DEBOUNCE_MS = 120;

export function AsnSearchPage() {
  const { q = '' } = route.useSearch();
  const navigate = useNavigate({ from: '/asn' });
  const [searched] = useDebouncedValue(q.trim(), DEBOUNCE_MS);
  const search = useQuery({
    ...answerQuery('searchAsn', { query: { q: searched, limit: LIMIT } }),
    enabled: searched !== '',
    placeholderData: keepPreviousData,
  });
  return (
    <Page name={q === '' ? 'Networks' : `Networks: ${q}`} title="Networks by name">
      <TextInput
        type="search"
        aria-label="Part of a network’s name"
        placeholder="Part of a name, such as telefonica"
        leftSection={<IconSearch size={16} aria-hidden />}
        maw={480}
        autoFocus={q === ''}
        value={q}
        onChange={(event) =>
          void navigate({ search: { q: event.currentTarget.value || undefined }, replace: true, resetScroll: false })
        }
      />
      {searched === '' ? (
        <Empty title="Search as you type">
          <p>The words may be in any order; accents and capitals do not matter.</p>
        </Empty>
      ) : (
        <Loaded query={search} lines={10}>
          {({ data: { results, total } }) =>
            results.length === 0 ? (
              <Empty title={`No network is named like “${searched}”`}>
                <p>Try a part of the name: organisations often register under a parent company or in short form.</p>
              </Empty>
            ) : (
              <Section
                title={count(total, 'network')}
                note={total > results.length ? `The best ${formatNumber(results.length)} are shown.` : undefined}
              >
                <AsnResults results={results} label="Networks found" />
              </Section>
            )
          }
        </Loaded>
      )}
    </Page>
  );
}
