import { useQuery } from '@tanstack/react-query';
import { answerQuery } from '../api/query-client.ts';
import { BarChart } from '../charts/BarChart.tsx';
import { shortDay } from '../format/time.ts';
import { Section } from '../parts/Section.tsx';
import { Loaded } from '../states/Loaded.tsx';

const HOURS = 48;

export function TrafficChart() {
  const traffic = useQuery(answerQuery('getTraffic', { query: { hours: HOURS } }));
  return (
    <Section title="Requests by hour">
      <Loaded query={traffic} lines={6}>
        {({ data: { hours } }) =>
          hours.every(({ requests }) => requests === 0) ? (
            <p className="quiet">No request to the API in the last {hours.length} hours.</p>
          ) : (
            <BarChart
              label={`The last ${hours.length} hours, times in UTC`}
              names={hours.map(({ hour }) => `${shortDay(hour.slice(0, 10))}, ${hour.slice(11, 16)}`)}
              series={[
                { id: 'answered', label: 'answered', values: hours.map(({ requests, refused }) => requests - refused) },
                { id: 'refused', label: 'refused', values: hours.map(({ refused }) => refused), tone: 'refused' },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}
