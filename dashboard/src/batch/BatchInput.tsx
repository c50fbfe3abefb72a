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

type BatchProgressProps = {
  state: BatchState;
  onStop: () => void;
  onGoOn: () => void;
  onReset: () => void;
};

/** The addresses found, and the progress of the lookups. */
export function BatchProgress({ state, onStop, onGoOn, onReset }: BatchProgressProps) {
  const { phase, source, bytes, counts, rows, addresses, error } = state;
  const total = addresses.length;
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
          <div className={classes['actions']}>
            {phase === 'stopped' && rows.length < total && (
              <Button size="xs" onClick={onGoOn}>
                Continue
              </Button>
            )}
            <Button size="xs" variant="default" onClick={onReset}>
              New batch
            </Button>
          </div>
        )}
      </div>
      {isRunning && <Bar value={isScanning ? bytes.read : rows.length} max={isScanning ? bytes.total : total} />}
      {error !== undefined && <FailureNotice error={error} />}
      {counts !== undefined && (
        <Numbers
          items={[
            { name: 'Found', value: formatNumber(counts.found), note: 'the sum of the others' },
            { name: 'To look up', value: formatNumber(counts.unique), note: 'distinct addresses' },
            { name: 'Repeated', value: formatNumber(counts.duplicates), note: 'more occurrences of these' },
            { name: 'Private or reserved', value: formatNumber(counts.special), note: 'not looked up' },
            { name: 'Invalid', value: formatNumber(counts.invalid), note: 'such as 300.1.1.1' },
            ...(counts.beyondLimit === 0
              ? []
              : [
                  {
                    name: 'Too many',
                    value: formatNumber(counts.beyondLimit),
                    note: `a batch has at most ${formatNumber(MAX_ADDRESSES)} addresses`,
                  },
                ]),
          ]}
        />
      )}
    </div>
  );
}
