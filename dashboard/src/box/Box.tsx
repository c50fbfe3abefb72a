import { useHotkeys } from '@mantine/hooks';
import {
  IconAt,
  IconBinaryTree2,
  IconLetterCase,
  IconMapPin,
  IconSearch,
  IconTopologyStar3,
  type TablerIcon,
} from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { announce } from '../copy/announce.ts';
import classes from './Box.module.css';
import { useSuggestions } from './suggestions.ts';
import type { Meaning } from './understand.ts';

const ICONS: Record<Meaning['kind'], TablerIcon> = {
  address: IconMapPin,
  prefix: IconBinaryTree2,
  asn: IconTopologyStar3,
  domain: IconAt,
  name: IconLetterCase,
};

/** The pages that Enter may open: with their scripts there, the answer is all that one waits for. */
function loadPages(): void {
  const pages = [import('../ip/IpPage.tsx'), import('../domain/DomainPage.tsx'), import('../asn/AsnPage.tsx')];
  // Offline, the page itself will say so.
  Promise.all(pages).catch(() => undefined);
}

/** The one box: says what it understood before Enter, and offers the alternatives (ARIA combobox with a list). */
export function Box() {
  const router = useRouter();
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  const [text, setText] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const [active, setActive] = useState(0);
  const { suggestions, problem } = useSuggestions(text);
  const isShown = isOpen && text.trim() !== '';
  const focus = () => input.current?.select();
  useHotkeys([
    ['/', focus],
    ['mod+K', focus],
  ]);

  const go = (path: string) => {
    setIsOpen(false);
    setText('');
    input.current?.blur();
    router.history.push(path);
  };
  const move = (by: number) =>
    setActive((current) => (suggestions.length === 0 ? 0 : (current + by + suggestions.length) % suggestions.length));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      move(event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Enter') {
      const chosen = suggestions[active] ?? suggestions[0];
      if (chosen !== undefined) go(chosen.path);
      else if (problem !== undefined) announce(problem);
    } else if (event.key === 'Escape') {
      if (isShown) setIsOpen(false);
      else input.current?.blur();
    }
  };

  return (
    <search className={`${classes['box']} no-print`}>
      <div className={classes['field']}>
        <IconSearch size={16} aria-hidden />
        <input
          ref={input}
          className={classes['input']}
          type="text"
          inputMode="url"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          placeholder="Address, network or domain"
          aria-label="Look up an address, prefix, network, domain, email address or URL"
          role="combobox"
          aria-expanded={isShown}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={isShown && suggestions[active] !== undefined ? `${listId}-${active}` : undefined}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setActive(0);
            setIsOpen(true);
          }}
          onFocus={() => {
            setIsOpen(true);
            loadPages();
          }}
          onBlur={() => setIsOpen(false)}
          onKeyDown={onKeyDown}
        />
        <kbd className={classes['key']} aria-hidden>
          /
        </kbd>
      </div>
      {isShown && (
        <div className={classes['list']} id={listId} role="listbox" aria-label="What this means">
          {problem !== undefined && suggestions.length === 0 && <div className={classes['problem']}>{problem}</div>}
          {suggestions.map(({ key, kind, words, hint, path }, index) => {
            const Icon = ICONS[kind];
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard acts through the input, as ARIA describes.
              <div
                key={key}
                id={`${listId}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === active}
                className={classes['option']}
                onMouseDown={(event) => event.preventDefault()}
                onMouseMove={() => setActive(index)}
                onClick={() => go(path)}
              >
                <Icon size={17} stroke={1.7} aria-hidden />
                <span className={classes['words']}>{words}</span>
                <span className={classes['hint']}>{hint ?? (index === 0 ? 'Enter' : '')}</span>
              </div>
            );
          })}
        </div>
      )}
    </search>
  );
}
