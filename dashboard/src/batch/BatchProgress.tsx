import { Button } from '@mantine/core';
import { count, formatBytes, formatNumber } from '../format/number.ts';
import { Bar } from '../parts/Bar.tsx';
import { Numbers } from '../parts/Numbers.tsx';
import { FailureNotice } from '../states/FailureNotice.tsx';
import { MAX_ADDRESSES } from './address-scanner.ts';
import classes from './BatchProgress.module.css';
import type { BatchState } from './batch-run.ts';

type BatchProgressProps = { state: BatchState; onStop: () => void; onReset: () => void };

/** What was found and how far the look-ups are. */
export function BatchProgress({ state, onStop, onReset }: BatchProgressProps) {
  const { phase, source, bytes, counts, rows, total, error } = state;
  const isRunning = phase === 'scanning' || phase === 'looking up';
  const isScanning = phase === 'scanning';
  return (
    <div className={classes['progress']}>
      <div className={classes['line']}>
        <span role="status">
          {isScanning
            ? `Reading ${source}: ${formatBytes(bytes.read)} of ${formatBytes(bytes.total)}`
            : `${formatNumber(rows.length)} of ${count(total, 'address', 'addresses')} looked up${phase === 'stopped' ? ', then stopped' : ''}`}
        </span>
        {isRunning ? (
          <Button size="xs" variant="default" onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button size="xs" variant="default" onClick={onReset}>
            New batch
          </Button>
        )}
      </div>
      {isRunning && <Bar value={isScanning ? bytes.read : rows.length} max={isScanning ? bytes.total : total} />}
      {error !== undefined && <FailureNotice error={error} />}
      {counts !== undefined && (
        <Numbers
          items={[
            { name: 'Found', value: formatNumber(counts.found) },
            { name: 'Different', value: formatNumber(counts.unique), note: beyond(counts.beyondLimit) },
            { name: 'Repeated', value: formatNumber(counts.duplicates) },
            { name: 'Private or reserved', value: formatNumber(counts.special), note: 'not looked up' },
            { name: 'Invalid', value: formatNumber(counts.invalid) },
          ]}
        />
      )}
    </div>
  );
}

function beyond(addresses: number): string | undefined {
  if (addresses === 0) return undefined;
  return `${formatNumber(addresses)} more are beyond the ${formatNumber(MAX_ADDRESSES)} that one batch holds`;
}
