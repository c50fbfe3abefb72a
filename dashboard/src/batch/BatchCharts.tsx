import type { ThreatLevel } from '@whence/client/wire';
import { type ReactNode, useMemo } from 'react';
import { Shares } from '../components/Bars.tsx';
import { Columns, Section } from '../components/Page.tsx';
import { Level } from '../components/Tag.tsx';
import { countryName, FLAG_WORDS } from '../format/names.ts';
import { count } from '../format/number.ts';
import { CountryMap } from '../maps/CountryMap.tsx';
import type { BatchRow } from './batch-run.ts';
import { type BatchFilter, type Facet, type FacetValue, facetOf } from './filter-rows.ts';

type NameOf = (value: FacetValue, isThreatKnown: boolean) => ReactNode;

const FACETS: readonly [Facet, string, NameOf | undefined][] = [
  ['level', 'Threat', ({ key }, isKnown) => <Level level={key as ThreatLevel} isKnown={isKnown} />],
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
  /** What a threat level leaves out. */
  caveat: string | undefined;
  isThreatKnown: boolean;
};

/** How the addresses are distributed. A click filters by a value, a second click removes the filter. */
export function BatchCharts(props: BatchChartsProps) {
  const { rows, filter, onFilter } = props;
  const withoutRecord = rows.filter(({ record }) => record === undefined).length;
  const { values: countries } = useMemo(() => facetOf(rows, 'country', filter), [rows, filter]);
  return (
    <>
      {withoutRecord > 0 && (
        <p className="quiet">
          {count(withoutRecord, 'address has', 'addresses have')} no data: no network announces{' '}
          {withoutRecord === 1 ? 'it' : 'them'}. The charts leave {withoutRecord === 1 ? 'it' : 'them'} out.
        </p>
      )}
      <Columns isNarrow>
        {FACETS.map(([facet, title, name]) => (
          <FacetChart key={facet} {...props} facet={facet} title={title} name={name} />
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

type FacetChartProps = BatchChartsProps & { facet: Facet; title: string; name: NameOf | undefined };

function FacetChart({ rows, filter, onFilter, caveat, isThreatKnown, facet, title, name }: FacetChartProps) {
  const { values, total } = useMemo(() => facetOf(rows, facet, filter), [rows, facet, filter]);
  if (values.length === 0) return null;
  return (
    <Section title={title} note={facet === 'level' ? caveat : undefined}>
      <Shares
        total={total}
        limit={SHOWN}
        items={values.map((value) => ({
          key: value.key,
          amount: value.amount,
          name: name?.(value, isThreatKnown) ?? value.name,
        }))}
        selected={filter[facet]}
        onSelect={(key) => onFilter(facet, filter[facet] === key ? undefined : key)}
      />
    </Section>
  );
}
