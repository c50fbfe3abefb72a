import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerQuery } from '../api/query-client.ts';
import { BarChart } from '../charts/BarChart.tsx';
import { count } from '../format/number.ts';
import { shortDay } from '../format/time.ts';
import { Section } from '../parts/Section.tsx';
import { Empty } from '../states/Empty.tsx';
import { Loaded } from '../states/Loaded.tsx';
import { daysBetween, seriesBy } from './usage-by.ts';

export function KeyUsageSection({ id }: { id: string }) {
  const [by, setBy] = useState<'endpoint' | 'status'>('endpoint');
  const usage = useQuery(answerQuery('getKeyUsage', { params: { id }, query: {} }));
  return (
    <Section
      title="Usage"
      aside={
        <SegmentedControl
          size="xs"
          value={by}
          onChange={(value) => setBy(value as typeof by)}
          data={[
            { value: 'endpoint', label: 'By endpoint' },
            { value: 'status', label: 'By status' },
          ]}
        />
      }
    >
      <Loaded query={usage} lines={6}>
        {({ data }) => {
          const days = daysBetween(data.from, data.to);
          const total = data.rows.reduce((sum, { requests }) => sum + requests, 0);
          if (total === 0)
            return <Empty title={`No request between ${shortDay(data.from)} and ${shortDay(data.to)}`} />;
          return (
            <BarChart
              label={`${count(total, 'request')} in ${days.length} days`}
              names={days.map((day) => shortDay(day))}
              series={seriesBy(data.rows, days, by)}
            />
          );
        }}
      </Loaded>
    </Section>
  );
}
