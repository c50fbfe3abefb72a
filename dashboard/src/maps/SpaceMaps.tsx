/** The maps of a prefix and of a network. What they draw and the code that draws it are loaded after the page. */
import { SegmentedControl } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import type { AddressMap as Cells } from '@whence/server/dashboard-wire/lookups';
import { MAP_SUBJECTS, type MapSubject } from '@whence/server/vocabulary';
import { lazy, type ReactNode, Suspense } from 'react';
import { useAnswer } from '../api/query-client.ts';
import { Loaded, Skeleton } from '../components/Loaded.tsx';
import { Section } from '../components/Page.tsx';
import { blocklistCaveat, hasBlocklists } from '../format/blocklists.ts';
import { capitalise } from '../format/names.ts';
import { useNow } from '../format/Time.tsx';
import { IN_PLACE } from '../search-params.ts';

const AddressMap = lazy(async () => ({ default: (await import('./AddressMap.tsx')).AddressMap }));
const OPTIONS = { staleTime: 600_000, refetchOnWindowFocus: false };

/** `first` is what it shows unless the address bar has another choice. */
export function PrefixSpaceMap({ prefix, first }: { prefix: string; first: MapSubject }) {
  const [address = '', length = ''] = prefix.split('/');
  const [by, choice] = useChoice(MAP_SUBJECTS, first);
  const map = useAnswer('mapPrefix', { params: { address, length }, query: { by } }, OPTIONS);
  return <SpaceMap title="Map" map={map} by={by} choice={choice} />;
}

/** A map with fewer /16s is an empty square with a speck; the list of prefixes says where they are. */
const MIN_CELLS = 8;

/** The IPv4 space of a network, which has no other networks. */
export function NetworkSpaceMap({ asn }: { asn: string }) {
  const [by, choice] = useChoice(['threat', 'type'], 'type');
  const map = useAnswer('mapAsn', { params: { asn }, query: { by } }, OPTIONS);
  const cells = map.data?.data.cells.match(/[a-z]/g)?.length ?? MIN_CELLS;
  if (cells < MIN_CELLS) return null;
  return <SpaceMap title="Its part of IPv4 space" map={map} by={by} choice={choice} />;
}

type SpaceMapProps = {
  title: string;
  map: UseQueryResult<{ readonly data: Cells }>;
  by: MapSubject;
  choice: ReactNode;
};

function SpaceMap({ title, map, by, choice }: SpaceMapProps) {
  const router = useRouter();
  const now = useNow();
  const limits = map.data?.data.limits;
  const open = (prefix: string) => {
    const isOne = prefix.endsWith('/32') && !prefix.includes(':');
    router.history.push(isOne ? `/ip/${prefix.slice(0, -3)}` : `/prefix/${prefix}`);
  };
  return (
    <Section title={title} note={by === 'threat' && limits ? blocklistCaveat(limits, now) : undefined} aside={choice}>
      <Loaded query={map} lines={10}>
        {({ data }) => (
          <Suspense fallback={<Skeleton lines={10} />}>
            <AddressMap key={data.prefix} map={data} by={by} isThreatKnown={hasBlocklists(data.limits)} onOpen={open} />
          </Suspense>
        )}
      </Loaded>
    </Section>
  );
}

/** What a map shows, in the address bar. */
function useChoice<Subject extends MapSubject>(subjects: readonly Subject[], first: Subject) {
  const { map } = useSearch({ strict: false });
  const navigate = useNavigate();
  const by = subjects.find((subject) => subject === map) ?? first;
  const choice = (
    <SegmentedControl
      size="xs"
      className="no-print"
      aria-label="What the map shows"
      data={subjects.map((value) => ({ value, label: capitalise(value) }))}
      value={by}
      onChange={(value) =>
        void navigate({ to: '.', search: (before) => ({ ...before, map: value as Subject }), ...IN_PLACE })
      }
    />
  );
  return [by, choice] as const;
}
