import type { ThreatLevel } from '@whence/client/wire';
import { useMemo } from 'react';
import { Shares } from '../components/Bars.tsx';
import { Columns, Section } from '../components/Page.tsx';
import { Level } from '../components/Tag.tsx';
import { countryName, FLAG_WORDS } from '../format/names.ts';
import { CountryMap } from '../maps/CountryMap.tsx';
import type { BatchRow } from './batch-run.ts';
import { type BatchFilter, type Facet, type FacetValue, facetOf } from './filter-rows.ts';

const FACETS: readonly [Facet, string, ((value: FacetValue) => React.ReactNode) | undefined][] = [
  ['level', 'Threat', ({ key }) => <Level level={key as ThreatLevel} />],
  ['type', 'Connection types', undefined],
  ['country', 'Countries', ({ key }) => countryName(key)],
  ['network', 'Networks', undefined],
  ['flag', 'Flags', ({ key }) => FLAG_WORDS[key as keyof typeof FLAG_WORDS]],
];
const SHOWN = 6;

type BatchChartsProps = {
  rows: readonly BatchRow[];
  filter: BatchFilter;
  onFilter: (facet: Facet, value: string | undefined) => void;
  /** Without blocklists a low score means little. */
  hasBlocklists: boolean;
};

/** How the addresses are distributed. A click filters by a value, a second click removes the filter. */
export function BatchCharts({ rows, filter, onFilter, hasBlocklists }: BatchChartsProps) {
  const countries = useMemo(() => facetOf(rows, 'country', filter), [rows, filter]);
  return (
    <>
      <Columns isNarrow>
        {FACETS.map(([facet, title, name]) => (
          <FacetChart key={facet} {...{ rows, filter, onFilter, hasBlocklists, facet, title, name }} />
        ))}
      </Columns>
      <CountryMap
        amounts={countries.map(({ key, amount }) => ({ code: key, amount }))}
        unit="addresses"
        selected={filter.country}
        onSelect={(code) => onFilter('country', filter.country === code ? undefined : code)}
      />
    </>
  );
}

type FacetChartProps = BatchChartsProps & {
  facet: Facet;
  title: string;
  name: ((value: FacetValue) => React.ReactNode) | undefined;
};

function FacetChart({ rows, filter, onFilter, hasBlocklists, facet, title, name }: FacetChartProps) {
  const values = useMemo(() => facetOf(rows, facet, filter), [rows, facet, filter]);
  if (values.length === 0) return null;
  return (
    <Section
      title={title}
      note={
        facet === 'level' && !hasBlocklists ? 'This dataset has no blocklists: low does not mean harmless.' : undefined
      }
    >
      <Shares
        total={rows.length}
        limit={SHOWN}
        items={values.map((value) => ({ key: value.key, amount: value.amount, name: name?.(value) ?? value.name }))}
        selected={filter[facet]}
        onSelect={(key) => onFilter(facet, filter[facet] === key ? undefined : key)}
      />
    </Section>
  );
}
