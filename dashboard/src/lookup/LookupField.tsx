import { useDebouncedValue, useHotkeys } from '@mantine/hooks';
import {
  IconAt,
  IconBinaryTree2,
  IconLetterCase,
  IconMapPin,
  IconSearch,
  IconTopologyStar3,
  type TablerIcon,
} from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { answerQuery } from '../api/query-client.ts';
import { announce } from '../components/LiveRegion.tsx';
import { countryName } from '../format/names.ts';
import { describe, interpret, type LookupTarget, pathOf } from './interpret.ts';
import classes from './LookupField.module.css';

const ICONS: Record<LookupTarget['kind'], TablerIcon> = {
  address: IconMapPin,
  prefix: IconBinaryTree2,
  asn: IconTopologyStar3,
  domain: IconAt,
  name: IconLetterCase,
};

/** Preloads the pages that Enter may open, so that only the response has to be waited for. */
function loadPages(): void {
  const pages = [import('../ip/IpPage.tsx'), import('../domain/DomainPage.tsx'), import('../asn/AsnPage.tsx')];
  // Opening the page reports a failure.
  Promise.all(pages).catch(() => undefined);
}

/** The lookup field of the header: says how it interprets the text, and offers alternatives (ARIA combobox). */
export function LookupField() {
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
    <search className={`${classes['lookup']} no-print`}>
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
        <div className={classes['list']} id={listId} role="listbox" aria-label="Suggestions">
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

type Suggestion = {
  readonly key: string;
  readonly kind: LookupTarget['kind'];
  readonly words: string;
  readonly hint?: string;
  readonly path: string;
};

const NETWORKS_SHOWN = 5;
const DEBOUNCE_MS = 120;

/** The targets of the text and, for a name, the networks that match it. */
function useSuggestions(text: string): { suggestions: readonly Suggestion[]; problem: string | undefined } {
  const { targets, problem } = interpret(text);
  const name = targets.find((target) => target.kind === 'name')?.value ?? '';
  const [searched] = useDebouncedValue(name, DEBOUNCE_MS);
  const search = useQuery({
    ...answerQuery('searchAsn', { query: { q: searched, limit: NETWORKS_SHOWN } }),
    enabled: searched.length >= 2 && name !== '',
    placeholderData: keepPreviousData,
  });
  const networks = name === '' || search.data === undefined ? [] : search.data.data.results;
  return {
    problem,
    suggestions: [
      ...targets.map((target) => ({
        key: pathOf(target),
        kind: target.kind,
        words: describe(target),
        path: pathOf(target),
      })),
      ...networks.map(({ asn, asn_name, country }) => ({
        key: `AS${asn}`,
        kind: 'asn' as const,
        words: `AS${asn} ${asn_name}`,
        hint: countryName(country),
        path: `/asn/${asn}`,
      })),
    ],
  };
}
