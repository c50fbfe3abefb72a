import { useQuery } from '@tanstack/react-query';
import { isFailure } from '../api/failure.ts';
import { answerQuery } from '../api/query-client.ts';
import { formatMs, formatNumber, formatShare } from '../format/number.ts';
import { Columns } from '../parts/Columns.tsx';
import { Facts } from '../parts/Facts.tsx';
import { Section } from '../parts/Section.tsx';
import { Loaded } from '../states/Loaded.tsx';

const HOURS = 24;

/** The API as a whole, the last 24 hours: what was refused, how long answers took. */
export function TrafficSections() {
  const traffic = useQuery(answerQuery('getTraffic', { query: { hours: HOURS } }));
  // The section above says it already.
  if (isFailure(traffic.error, 'OFFLINE')) return null;
  return (
    <Loaded query={traffic} lines={6}>
      {({ data: { refused, latency, cache } }) => (
        <Columns>
          <Section title="Refused, last 24 hours">
            <Facts
              facts={[
                { name: 'Without a valid key (401)', value: formatNumber(refused.unauthorized) },
                { name: 'Without permission (403)', value: formatNumber(refused.forbidden) },
                { name: 'Limit used up (429)', value: formatNumber(refused.rate_limited) },
                { name: 'Overloaded (503)', value: formatNumber(refused.overloaded) },
              ]}
            />
          </Section>
          <Section title="Time to answer, last 24 hours" note="Estimates from a histogram.">
            <Facts
              facts={[
                { name: 'Half below', value: formatMs(latency.p50_ms) },
                { name: '90% below', value: formatMs(latency.p90_ms) },
                { name: '99% below', value: formatMs(latency.p99_ms) },
                {
                  name: 'From cache',
                  value: `${formatShare(cache.hits, cache.hits + cache.misses)} of ${formatNumber(cache.hits + cache.misses)}`,
                },
              ]}
            />
          </Section>
        </Columns>
      )}
    </Loaded>
  );
}
