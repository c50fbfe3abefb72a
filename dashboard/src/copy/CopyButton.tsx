import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCopy } from '@tabler/icons-react';
import { useCopy } from './use-copy.ts';

const WORDS = { copied: 'Copied', failed: 'Not copied' } as const;

/** An icon beside a value, or a button with a word. */
export function CopyButton({ text, label, word, onCopied }: CopyButtonProps) {
  const { state, copy } = useCopy();
  const Icon = state === 'copied' ? IconCheck : state === 'failed' ? IconAlertTriangle : IconCopy;
  const act = () => {
    copy(typeof text === 'string' ? text : text());
    onCopied?.();
  };
  if (word !== undefined) {
    return (
      <Button variant="default" size="xs" leftSection={<Icon size={15} aria-hidden />} onClick={act}>
        {state === 'idle' ? word : WORDS[state]}
      </Button>
    );
  }
  return (
    <Tooltip label={state === 'idle' ? label : WORDS[state]}>
      <ActionIcon variant="subtle" color="gray" size={26} aria-label={label} onClick={act} className="no-print">
        <Icon size={15} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

/** `text` as a function where making it takes a while. */
type CopyButtonProps = { text: string | (() => string); label: string; word?: string; onCopied?: () => void };
