import { useHotkeys } from '@mantine/hooks';
import { findSecret } from '@whence/server/secret-form';
import { type ClipboardEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useLeakedKey } from '../api/use-leaked-key.ts';
import { Icon } from '../components/icons.tsx';
import { announce } from '../components/LiveRegion.tsx';
import { type AddressList, pastedLines } from '../interpret.ts';
import classes from './LookupField.module.css';
import { useFollow } from './use-follow.ts';
import { leakedSuggestions, type Suggestion, useSuggestions } from './use-suggestions.ts';

/** Preloads the pages that Enter may open, so that only the response has to be waited for. */
function loadPages(): void {
  const pages = [
    import('../ip/IpPage.tsx'),
    import('../domain/DomainPage.tsx'),
    import('../asn/AsnPage.tsx'),
  ];
  // Opening the page reports a failure.
  Promise.all(pages).catch(() => undefined);
}

/** How much of pasted lines the field shows; the batch gets all of them. */
const SHOWN_CHARACTERS = 200;

/**
 * The lookup field of the header, which is also a command palette: says how it interprets the text,
 * and offers alternatives, pages, keys and recent subjects (ARIA combobox).
 */
export function LookupField() {
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  const [text, setText] = useState('');
  const [pasted, setPasted] = useState<AddressList>();
  const [isOpen, setIsOpen] = useState(false);
  /**
   * Undefined: the first one if there is a text, otherwise none, so that Enter does nothing
   * unexpected.
   */
  const [chosen, setChosen] = useState<number>();
  const { leaked, look } = useLeakedKey();
  const understood = useSuggestions(
    leaked === undefined ? text : '',
    pasted,
    isOpen && leaked === undefined,
  );
  const { groups, problem } = leaked === undefined ? understood : leakedSuggestions(leaked);
  const suggestions = groups.flatMap((group) => group.suggestions);
  const active = chosen ?? (text.trim() === '' ? -1 : 0);
  const isShown = isOpen && (suggestions.length > 0 || problem !== undefined);
  const follow = useFollow();
  const focus = () => input.current?.select();
  useHotkeys([['/', focus]]);
  // Also while another field has the focus: it types nothing.
  useHotkeys([['mod+K', focus]], []);

  const change = (next: string, lines?: AddressList) => {
    const secret = look(lines?.text ?? next);
    setText(secret?.masked ?? next);
    setPasted(secret === undefined ? lines : undefined);
    setChosen(undefined);
    setIsOpen(true);
  };
  const go = (suggestion: Suggestion) => {
    change('');
    setIsOpen(false);
    input.current?.blur();
    follow(suggestion);
  };
  const onPaste = (event: ClipboardEvent) => {
    const content = event.clipboardData.getData('text/plain');
    if (findSecret(content) !== undefined) {
      event.preventDefault();
      change(content);
      return;
    }
    const lines = pastedLines(content);
    if (lines === undefined) return;
    event.preventDefault();
    change(lines.text.slice(0, SHOWN_CHARACTERS).replaceAll(/\s+/g, ' '), lines);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setIsOpen(true);
      setChosen(nextOption(active, event.key === 'ArrowDown' ? 1 : -1, suggestions.length));
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      const suggestion = suggestions[active];
      if (suggestion !== undefined) go(suggestion);
      else if (problem !== undefined) announce(problem);
    } else if (event.key === 'Escape') {
      if (isShown) setIsOpen(false);
      else input.current?.blur();
    }
  };

  return (
    <search className={`${classes['lookup']} no-print`}>
      <div className={classes['field']}>
        <Icon name="search" size={16} />
        <input
          ref={input}
          className={classes['input']}
          type="text"
          inputMode="url"
          enterKeyHint="go"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          placeholder="Address, network, domain or page"
          aria-label="Look up an address, prefix, network, domain, email address or URL, or go to a page"
          role="combobox"
          aria-expanded={isShown}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={
            isShown && suggestions[active] !== undefined ? `${listId}-${active}` : undefined
          }
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
          onPaste={onPaste}
          onFocus={() => {
            setIsOpen(true);
            loadPages();
          }}
          onClick={() => setIsOpen(true)}
          onBlur={() => {
            setIsOpen(false);
            setChosen(undefined);
          }}
          onKeyDown={onKeyDown}
        />
        <kbd className={classes['key']} aria-hidden>
          /
        </kbd>
      </div>
      {isShown && (
        <div className={classes['list']}>
          {suggestions.length === 0 && (
            <p className={classes['problem']} role="status">
              {problem}
            </p>
          )}
          <div id={listId} role="listbox" aria-label="Suggestions">
            {groups.map(({ name, suggestions: own }) => (
              <div key={name} role="group" aria-labelledby={`${listId}-${name}`}>
                <div id={`${listId}-${name}`} className={classes['group']} role="presentation">
                  {name}
                </div>
                {own.map((suggestion) => {
                  const index = suggestions.indexOf(suggestion);
                  return (
                    <Option
                      key={suggestion.key}
                      id={`${listId}-${index}`}
                      suggestion={suggestion}
                      isActive={index === active}
                      onActive={() => setChosen(index)}
                      onChoose={() => go(suggestion)}
                    />
                  );
                })}
              </div>
            ))}
          </div>
        </div>
      )}
    </search>
  );
}

type OptionProps = {
  id: string;
  suggestion: Suggestion;
  isActive: boolean;
  onActive: () => void;
  onChoose: () => void;
};

function Option({
  id,
  suggestion: { icon, words, hint },
  isActive,
  onActive,
  onChoose,
}: OptionProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard acts through the input, as ARIA describes.
    <div
      ref={element}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      className={classes['option']}
      onMouseDown={(event) => event.preventDefault()}
      onMouseMove={onActive}
      onClick={onChoose}
    >
      <Icon name={icon} size={17} stroke={1.7} />
      <span className={classes['words']}>{words}</span>
      <span className={classes['hint']}>{hint ?? (isActive ? 'Enter' : '')}</span>
    </div>
  );
}

/** From none, down leads to the first and up to the last. */
function nextOption(active: number, by: 1 | -1, count: number): number | undefined {
  if (count === 0) return undefined;
  if (active < 0) return by > 0 ? 0 : count - 1;
  return (active + by + count) % count;
}
