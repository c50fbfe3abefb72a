/** The countries of the networks that were looked up, for the overview. */
import type { TopNetworks } from '@whence/server/dashboard-wire/usage';
import { Shares } from '../components/Bars.tsx';
import { Columns, Section } from '../components/Page.tsx';
import { countryName } from '../format/names.ts';
import { CountryMap } from './CountryMap.tsx';

const SHOWN = 6;

/** Nothing for a single country: the list of networks says as much. */
export function LookupCountries({ countries }: { countries: TopNetworks['countries'] }) {
  if (countries.filter(({ country }) => country !== 'ZZ').length < 2) return null;
  return (
    <Section
      title="Looked-up countries"
      note="Where the networks of looked-up addresses are registered, since yesterday 00:00 UTC."
    >
      <Columns>
        <CountryMap
          amounts={countries.map(({ country, lookups }) => ({ code: country, amount: lookups }))}
          unit="lookups"
        />
        <Shares
          total={countries.reduce((sum, { lookups }) => sum + lookups, 0)}
          limit={SHOWN}
          items={countries.map(({ country, lookups }) => ({
            key: country,
            name: countryName(country),
            amount: lookups,
          }))}
        />
      </Columns>
    </Section>
  );
}
