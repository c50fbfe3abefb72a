import { Button, FileButton } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { type DragEvent, useState } from 'react';
import classes from './BatchInput.module.css';
import type { ScanRequest } from './scan-worker.ts';

/** Paste or drop text, a log, CSV, gzip. */
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
          placeholder="Paste text with addresses in it, or drop a file: a log, CSV, JSON, also with gzip. It is read in this browser; only the addresses are sent to your server."
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
