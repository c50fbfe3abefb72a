import { FileButton } from '@mantine/core';
import { type DragEvent, useState } from 'react';
import { Bar } from '../components/Bars.tsx';
import { QuietButton, TextButton } from '../components/Buttons.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { count, formatBytes, formatNumber } from '../format/number.ts';
import type { ScanInput } from '../scan.ts';
import classes from './BatchInput.module.css';
import type { RunState } from './chunked-run.ts';

/** What a run of this kind is called, and what it takes. */
export type RunWords = {
  readonly one: string;
  readonly many: string;
  /** The text of the button that starts it, and the past tense for the progress line. */
  readonly act: string;
  readonly done: string;
  readonly placeholder: string;
  readonly invalid: string;
  readonly limit: number;
  /** Where lists are kept, and for how long. */
  readonly kept: string;
};

type BatchInputProps = {
  words: Pick<RunWords, 'many' | 'act' | 'placeholder'>;
  onStart: (input: ScanInput) => void;
  /** What the text is, if that is known before it is read. */
  hint?: (text: string) => string | undefined;
  /** The text to show instead of one that must not be shown. */
  replace?: (text: string) => string | undefined;
};

/** Accepts text or a file, pasted, dropped or chosen. Enter starts what is on a single line. */
export function BatchInput({ words, onStart, hint, replace }: BatchInputProps) {
  const [text, setText] = useState('');
  const change = (next: string) => setText(replace?.(next) ?? next);
  const [isOver, setIsOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    const file = event.dataTransfer.files.item(0);
    if (file !== null) onStart({ file });
    else change(event.dataTransfer.getData('text/plain'));
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
        aria-label={`Text or file with ${words.many}`}
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
          aria-label={`Text with ${words.many}`}
          placeholder={words.placeholder}
          spellCheck={false}
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            if (text.trim() === '' || text.includes('\n')) return;
            event.preventDefault();
            onStart({ text });
          }}
        />
      </div>
      <div className={classes['actions']}>
        <TextButton type="submit" text={words.act} disabled={text.trim() === ''} />
        <FileButton onChange={(file) => file !== null && onStart({ file })}>
          {(props) => <QuietButton size="sm" icon="file-upload" text="Choose a file" {...props} />}
        </FileButton>
        {hint !== undefined && (
          <span className="quiet" role="status">
            {hint(text)}
          </span>
        )}
      </div>
    </form>
  );
}

type BatchProgressProps = {
  state: RunState<unknown>;
  words: RunWords;
  onStop: () => void;
  onGoOn: () => void;
  onReset: () => void;
};

/** What was found, and the progress of the lookups. */
export function BatchProgress({ state, words, onStop, onGoOn, onReset }: BatchProgressProps) {
  const { phase, source, bytes, counts, rows, found, error } = state;
  const total = found.length;
  const isRunning = phase === 'scanning' || phase === 'looking up';
  const isScanning = phase === 'scanning';
  return (
    <div className={classes['progress']}>
      <div className={classes['line']}>
        <span role="status">
          {isScanning
            ? `Reading ${source}: ${formatBytes(bytes.read)} of ${formatBytes(bytes.total)}`
            : `${source === 'text' || source === '' ? '' : `${source}: `}${formatNumber(rows.length)} of ${count(total, words.one, words.many)} ${words.done}${phase === 'stopped' ? ', stopped' : ''}`}
        </span>
        {isRunning ? (
          <QuietButton text="Stop" onClick={onStop} />
        ) : (
          <div className={classes['actions']}>
            {phase === 'stopped' && (rows.length < total || total === 0) && (
              <TextButton size="xs" text="Continue" onClick={onGoOn} />
            )}
            <QuietButton text="New list" onClick={onReset} />
          </div>
        )}
      </div>
      {isRunning && (
        <Bar value={isScanning ? bytes.read : rows.length} max={isScanning ? bytes.total : total} />
      )}
      {error !== undefined && <FailureNotice error={error} />}
      {counts !== undefined && <LeftOut counts={counts} words={words} />}
    </div>
  );
}

type LeftOutProps = { counts: NonNullable<RunState<unknown>['counts']>; words: RunWords };

/** `16 found: 1 repeated, 2 private or reserved`. */
function LeftOut({ counts, words }: LeftOutProps) {
  const { found, duplicates, special, invalid, beyondLimit } = counts;
  const apart = [
    [duplicates, 'repeated'],
    [special, 'private or reserved'],
    [invalid, `invalid, ${words.invalid}`],
    [beyondLimit, `more than the ${formatNumber(words.limit)} that a list may have`],
  ] as const;
  const parts = apart
    .filter(([amount]) => amount > 0)
    .map(([amount, name]) => `${formatNumber(amount)} ${name}`);
  if (parts.length === 0) return null;
  return (
    <p className="quiet">
      {formatNumber(found)} found: {parts.join(', ')}.
    </p>
  );
}
