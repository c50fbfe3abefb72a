/** The maps of a prefix and of a network. What they draw and the code that draws it are loaded after the page. */
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { answerQuery } from '../api/query-client.ts';
import { Loaded, Skeleton } from '../components/Loaded.tsx';
import { Section } from '../components/Page.tsx';

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

/** A map with fewer /16s is an empty square with a speck; the list of prefixes says where they are. */
const MIN_CELLS = 8;

/** The IPv4 space of a network. */
export function NetworkSpaceMap({ asn }: { asn: string }) {
  const open = useOpen();
  const map = useQuery({
    ...answerQuery('mapAsn', { params: { asn } }),
    staleTime: STALE_AFTER_MS,
    refetchOnWindowFocus: false,
  });
  return (
    <Loaded query={map} lines={10}>
      {({ data }) =>
        (data.cells.match(/[a-z]/g)?.length ?? 0) >= MIN_CELLS && (
          <Section title="Its part of IPv4 space">
            <Suspense fallback={<Skeleton lines={10} />}>
              <AddressMap key={asn} map={data} onOpen={open} />
            </Suspense>
          </Section>
        )
      }
    </Loaded>
  );
}
