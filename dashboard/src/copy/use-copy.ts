import { useEffect, useRef, useState } from 'react';
import { announce } from './announce.ts';

const SHOWN_MS = 1500;

/** `state` says for a moment what became of the last copy. */
export function useCopy(): { state: 'idle' | 'copied' | 'failed'; copy: (text: string) => void } {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const show = (next: 'copied' | 'failed') => {
    setState(next);
    announce(next === 'copied' ? 'Copied' : 'Not copied: select the text and copy it');
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
  // Without TLS, on another host than localhost, browsers have no clipboard API.
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  document.body.append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  if (!isDone) throw new Error('the browser refused');
}
