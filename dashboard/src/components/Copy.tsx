/**
 * Text that can be copied: a copy button, values that are copied by a click, and blocks of code.
 */
import { ActionIcon, Tooltip } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { QuietButton, TextButton } from './Buttons.tsx';
import classes from './Copy.module.css';
import { Icon } from './icons.tsx';
import { announce } from './LiveRegion.tsx';

const COPY_ICONS = { idle: 'copy', copied: 'check', failed: 'alert-triangle' } as const;
const WORDS = { copied: 'Copied', failed: 'Copy failed' } as const;

/** A button that copies: an icon, or a labelled button if `word` is given. */
export function CopyButton({ text, label, word, isPrimary, onCopied }: CopyButtonProps) {
  const { state, copy } = useCopy();
  const icon = COPY_ICONS[state];
  const act = () => {
    copy(typeof text === 'string' ? text : text());
    onCopied?.();
  };
  if (word !== undefined) {
    const Labelled = isPrimary ? TextButton : QuietButton;
    return <Labelled icon={icon} text={state === 'idle' ? word : WORDS[state]} onClick={act} />;
  }
  return (
    <Tooltip label={state === 'idle' ? label : WORDS[state]}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={26}
        aria-label={label}
        onClick={act}
        className="no-print"
      >
        <Icon name={icon} size={15} />
      </ActionIcon>
    </Tooltip>
  );
}

/** `text` is a function where building the text takes time. */
type CopyButtonProps = {
  text: string | (() => string);
  label: string;
  word?: string;
  /** The main action of its place. */
  isPrimary?: boolean;
  onCopied?: () => void;
};

/** A value that is copied by a click, by Enter, or by `c` while it has the focus. */
export function Copyable({
  text,
  children,
  isMono = false,
}: {
  text: string;
  children?: ReactNode;
  isMono?: boolean;
}) {
  const { state, copy } = useCopy();
  const icon = state === 'copied' ? 'check' : 'copy';
  return (
    <button
      type="button"
      className={isMono ? `${classes['value']} mono` : classes['value']}
      data-state={state}
      title="Copy"
      onClick={() => copy(text)}
      onKeyDown={(event) => {
        if (event.key === 'c' && !event.ctrlKey && !event.metaKey) copy(text);
      }}
    >
      {children ?? text}
      <Icon name={icon} size={13} className={classes['icon']} />
    </button>
  );
}

const SHOWN_MS = 1500;

/** `state` is the result of the last copy, for a short time. */
function useCopy(): { state: 'idle' | 'copied' | 'failed'; copy: (text: string) => void } {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const show = (next: 'copied' | 'failed') => {
    setState(next);
    announce(next === 'copied' ? 'Copied' : 'Copy failed: select the text and copy it manually');
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setState('idle'), SHOWN_MS);
  };
  const copy = (text: string) => {
    write(text).then(
      () => show('copied'),
      () => show('failed'),
    );
  };
  return { state, copy };
}

async function write(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  // Browsers have no clipboard API without TLS, except on localhost.
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  document.body.append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  if (!isDone) throw new Error('the browser refused to copy');
}

/** A record, a command or a response, with a button that copies it. */
export function CodeBlock({
  text,
  label,
  onCopied,
}: {
  text: string;
  label: string;
  onCopied?: () => void;
}) {
  return (
    <div className={classes['block']}>
      <pre role="group" className={classes['code']} tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <div className={classes['copy']}>
        <CopyButton text={text} label={`Copy ${label}`} onCopied={onCopied} />
      </div>
    </div>
  );
}
