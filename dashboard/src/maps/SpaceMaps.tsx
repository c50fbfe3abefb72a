/** The maps of a prefix and of a network. What they draw and the code that draws it are loaded after the page. */
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { answerQuery } from '../api/query-client.ts';
import { Shares } from '../components/Bars.tsx';
import { Loaded, Skeleton } from '../components/Loaded.tsx';
import { Columns, Section } from '../components/Page.tsx';
import { countryName } from '../format/names.ts';
import { CountryMap } from './CountryMap.tsx';

const AddressMap = lazy(async () => ({ default: (await import('./AddressMap.tsx')).AddressMap }));
const STALE_AFTER_MS = 600_000;

function useOpen(): (prefix: string) => void {
  const router = useRouter();
  return (prefix) => {
    const isOne = prefix.endsWith('/32') && !prefix.includes(':');
    router.history.push(isOne ? `/ip/${prefix.slice(0, -3)}` : `/prefix/${prefix}`);
  };
}

export function PrefixSpaceMap({ prefix }: { prefix: string }) {
  const [address = '', length = ''] = prefix.split('/');
  const open = useOpen();
  const map = useQuery({
    ...answerQuery('mapPrefix', { params: { address, length } }),
    staleTime: STALE_AFTER_MS,
    refetchOnWindowFocus: false,
  });
  return (
    <Section title="Map of connection types">
      <Loaded query={map} lines={10}>
        {({ data }) => (
          <Suspense fallback={<Skeleton lines={10} />}>
            <AddressMap key={prefix} map={data} onOpen={open} />
          </Suspense>
        )}
      </Loaded>
    </Section>
  );
}

const COUNTRIES_SHOWN = 6;
/** A map with fewer /16s is an empty square with a speck; the list of prefixes says where they are. */
const MIN_CELLS = 8;

/** Where the addresses of a network are: in the world, and in IPv4 space. */
export function NetworkSpaceMaps({ asn }: { asn: string }) {
  const open = useOpen();
  const map = useQuery({
    ...answerQuery('mapAsn', { params: { asn } }),
    staleTime: STALE_AFTER_MS,
    refetchOnWindowFocus: false,
  });
  return (
    <Loaded query={map} lines={10}>
      {({ data }) => (
        <>
          {data.countries.length > 1 && (
            <Section title="IPv4 addresses by country">
              <Columns>
                <CountryMap
                  amounts={data.countries.map(({ value, addresses }) => ({ code: value, amount: addresses }))}
                  unit="addresses"
                />
                <Shares
                  total={data.countries.reduce((sum, { addresses }) => sum + addresses, 0)}
                  limit={COUNTRIES_SHOWN}
                  items={data.countries.map(({ value, addresses }) => ({
                    key: value,
                    name: countryName(value),
                    amount: addresses,
                  }))}
                />
              </Columns>
            </Section>
          )}
          {(data.cells.match(/[a-z]/g)?.length ?? 0) >= MIN_CELLS && (
            <Section title="Its part of IPv4 space">
              <Suspense fallback={<Skeleton lines={10} />}>
                <AddressMap key={asn} map={data} onOpen={open} />
              </Suspense>
            </Section>
          )}
        </>
      )}
    </Loaded>
  );
}
