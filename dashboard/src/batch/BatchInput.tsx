import { Button, FileButton } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { type DragEvent, useState } from 'react';
import { Bar } from '../components/Bars.tsx';
import { Numbers } from '../components/Facts.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { count, formatBytes, formatNumber } from '../format/number.ts';
import { MAX_ADDRESSES } from './address-scanner.ts';
import classes from './BatchInput.module.css';
import type { BatchState } from './batch-run.ts';
import type { ScanRequest } from './scan-worker.ts';

/** Accepts text or a file, pasted, dropped or chosen. */
export function BatchInput({ onStart }: { onStart: (request: ScanRequest) => void }) {
  const [text, setText] = useState('');
  const [isOver, setIsOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    const file = event.dataTransfer.files.item(0);
    if (file !== null) onStart({ file });
    else setText(event.dataTransfer.getData('text/plain'));
  };
  return (
    <form
      className={classes['form']}
      onSubmit={(event) => {
        event.preventDefault();
        onStart({ text });
      }}
    >
      <div
        className={classes['drop']}
        role="group"
        aria-label="Text or file with addresses"
        data-over={isOver}
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
      >
        <textarea
          className={classes['text']}
          aria-label="Text with addresses"
          placeholder="Paste text that contains addresses, or drop a file: a log, CSV or JSON, optionally gzipped. It is read in your browser; only the addresses are sent to the server."
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <div className={classes['actions']}>
        <Button type="submit" disabled={text.trim() === ''}>
          Look up
        </Button>
        <FileButton onChange={(file) => file !== null && onStart({ file })}>
          {(props) => (
            <Button variant="default" leftSection={<IconFileUpload size={16} aria-hidden />} {...props}>
              Choose a file
            </Button>
          )}
        </FileButton>
      </div>
    </form>
  );
}

type BatchProgressProps = { state: BatchState; onStop: () => void; onReset: () => void };

/** The addresses found, and the progress of the lookups. */
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
            : `${formatNumber(rows.length)} of ${count(total, 'address', 'addresses')} looked up${phase === 'stopped' ? ', stopped' : ''}`}
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
            { name: 'Unique', value: formatNumber(counts.unique), note: beyond(counts.beyondLimit) },
            { name: 'Duplicates', value: formatNumber(counts.duplicates) },
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
  return `${formatNumber(addresses)} more exceed the limit of ${formatNumber(MAX_ADDRESSES)} per batch`;
}
