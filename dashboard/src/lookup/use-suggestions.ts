/** What the lookup field offers for a text: how it is interpreted, networks, pages and keys; without a text, recent subjects. */
import { useDebouncedValue } from '@mantine/hooks';
import {
  IconAt,
  IconBinaryTree2,
  IconBook2,
  IconHistory,
  IconKey,
  IconLetterCase,
  IconListSearch,
  IconMapPin,
  IconTopologyStar3,
  type TablerIcon,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { mayDo } from '@whence/server/vocabulary';
import { useEffect } from 'react';
import { answerQuery, sessionQuery } from '../api/query-client.ts';
import { countryName } from '../format/names.ts';
import { MAIN_ITEMS, SETTINGS_ITEMS } from '../shell/navigation-items.ts';
import { describe, interpret, type LookupTarget, pathOf } from './interpret.ts';
import { addRecent, readRecent, subjectOf } from './recent.ts';
import { type Several, typedAddresses } from './several.ts';

export type Suggestion = {
  readonly key: string;
  readonly icon: TablerIcon;
  readonly words: string;
  readonly hint?: string;
  /** A page to open, or text that starts a batch. */
  readonly target: { readonly path: string } | { readonly batchText: string };
};
export type SuggestionGroup = { readonly name: string; readonly suggestions: readonly Suggestion[] };

const ICONS: Record<LookupTarget['kind'], TablerIcon> = {
  address: IconMapPin,
  prefix: IconBinaryTree2,
  asn: IconTopologyStar3,
  domain: IconAt,
  name: IconLetterCase,
};
const MAX_FOUND = 5;
const MIN_SEARCHED = 2;
const DEBOUNCE_MS = 120;

/** `pasted` replaces the text. Nothing is requested while the field is closed. */
export function useSuggestions(
  text: string,
  pasted: Several | undefined,
  isOpen: boolean,
): { groups: readonly SuggestionGroup[]; problem: string | undefined } {
  const account = useAccount();
  const { targets, problem } = interpret(pasted === undefined ? text : '');
  const name = targets.find((target) => target.kind === 'name')?.value ?? '';
  const networks = useNetworks(isOpen ? name : '');
  const isWord = targets[0] !== undefined && targets[0].kind !== 'address' && targets[0].kind !== 'prefix';
  const keys = useKeys(isOpen && isWord && account !== undefined && mayDo(account.role, 'member') ? text.trim() : '');
  const recent = useRecent(account?.id);

  // A batch needs an account.
  const several = account === undefined ? undefined : (pasted ?? typedAddresses(text));
  const batch = several === undefined ? [] : [batchSuggestion(several)];
  const understood = several === undefined ? targets.map(targetSuggestion) : [];
  const pages = account === undefined ? [] : pageSuggestions(text, (role) => mayDo(account.role, role));
  const lookUp = { name: 'Look up', suggestions: [...batch, ...understood] };
  const open = { name: 'Pages', suggestions: pasted === undefined ? pages : [] };
  const isEmpty = text.trim() === '' && pasted === undefined;
  const groups = [
    ...(isEmpty ? [{ name: 'Recent', suggestions: recent }] : []),
    // A word that starts the name of a page is more likely the page than a network.
    ...(targets[0]?.kind === 'name' ? [open, lookUp] : [lookUp, open]),
    { name: 'API keys', suggestions: pasted === undefined ? keys : [] },
    { name: 'Networks', suggestions: networks },
  ];
  return { groups: groups.filter(({ suggestions }) => suggestions.length > 0), problem };
}

/** Undefined for visitors without an account. */
function useAccount() {
  const { data } = useQuery(sessionQuery);
  return data?.state === 'signed_in' ? data.account : undefined;
}

function targetSuggestion(target: LookupTarget): Suggestion {
  const path = pathOf(target);
  return { key: path, icon: ICONS[target.kind], words: describe(target), target: { path } };
}

function batchSuggestion({ text, words }: Several): Suggestion {
  return { key: 'batch', icon: IconListSearch, words, target: { batchText: text } };
}

/** The networks whose name matches, of this text only: what was found for an earlier text is not shown under it. */
function useNetworks(name: string): Suggestion[] {
  const [searched] = useDebouncedValue(name, DEBOUNCE_MS);
  const search = useQuery({
    ...answerQuery('searchAsn', { query: { q: searched, limit: MAX_FOUND } }),
    enabled: searched.length >= MIN_SEARCHED && searched === name,
  });
  if (searched !== name || name === '') return [];
  return (search.data?.data.results ?? []).map(({ asn, asn_name, country }) => ({
    key: `AS${asn}`,
    icon: IconTopologyStar3,
    words: `AS${asn} ${asn_name}`,
    hint: countryName(country),
    target: { path: `/asn/${asn}` },
  }));
}

function useKeys(text: string): Suggestion[] {
  const [searched] = useDebouncedValue(text, DEBOUNCE_MS);
  const isSearched = searched.length >= MIN_SEARCHED && searched === text;
  const search = useQuery({
    ...answerQuery('listKeys', { query: { q: searched, limit: MAX_FOUND, status: 'active' } }),
    enabled: isSearched,
  });
  if (!isSearched) return [];
  return (search.data?.data.keys ?? []).slice(0, MAX_FOUND).map(({ id, name, masked }) => ({
    key: id,
    icon: IconKey,
    words: name,
    hint: masked,
    target: { path: `/settings/keys/${id}` },
  }));
}

/** Pages that a word of the text leads to; without a text, all of them. */
function pageSuggestions(
  text: string,
  isAllowed: (role: (typeof MAIN_ITEMS)[number]['role']) => boolean,
): Suggestion[] {
  const words = text.trim().toLowerCase();
  const items = [
    ...MAIN_ITEMS,
    ...SETTINGS_ITEMS,
    { path: '/settings/keys?create=yes', name: 'Create API key', icon: IconKey, role: 'member' as const },
    { path: '/docs', name: 'API reference', icon: IconBook2, role: 'viewer' as const },
  ];
  return items
    .filter(({ role, name }) => isAllowed(role) && ` ${name.toLowerCase()}`.includes(` ${words}`))
    .map(({ path, name, icon }) => ({ key: `page ${path}`, icon, words: name, target: { path } }));
}

/** Also adds the page on screen to the list. */
function useRecent(accountId: string | undefined): Suggestion[] {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  useEffect(() => {
    if (accountId !== undefined && path !== undefined) addRecent(localStorage, accountId, path);
  }, [accountId, path]);
  if (accountId === undefined) return [];
  return readRecent(localStorage, accountId)
    .filter((known) => known !== path)
    .map((known) => ({ key: known, icon: IconHistory, words: subjectOf(known), target: { path: known } }));
}
