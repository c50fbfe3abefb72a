/**
 * What the lookup field offers for a text: how it is interpreted, networks, pages and keys; without
 * a text, recent subjects.
 */
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { mayDo, type Role } from '@whence/server/vocabulary';
import { useEffect } from 'react';
import { sessionQuery, useAnswer } from '../api/query-client.ts';
import type { useLeakedKey } from '../api/use-leaked-key.ts';
import { DomainScanner } from '../batch/domain-scanner.ts';
import { addRecent, readRecent, subjectOf } from '../browser-storage/recent-subjects.ts';
import type { IconName } from '../components/icons.tsx';
import {
  MAIN_ITEMS,
  REFERENCE_ITEM,
  SETTINGS_ITEMS,
  THEMES,
} from '../components/navigation-items.ts';
import { countryName } from '../format/names.ts';
import { formatNumber } from '../format/number.ts';
import {
  type AddressList,
  describe,
  interpret,
  type LookupTarget,
  pathOf,
  typedAddresses,
} from '../interpret.ts';

export type Suggestion = {
  readonly key: string;
  readonly icon: IconName;
  readonly words: string;
  readonly hint?: string;
  /** A page to open, text with addresses to look up or domains to watch, or something to do. */
  readonly target:
    | { readonly path: string }
    | { readonly text: string; readonly run: 'addresses' | 'domains' }
    | { readonly action: PaletteAction };
};
export type PaletteAction = 'light' | 'dark' | 'auto' | 'update' | 'sign out';
export type SuggestionGroup = {
  readonly name: string;
  readonly suggestions: readonly Suggestion[];
};

const ICONS: Record<LookupTarget['kind'], IconName> = {
  address: 'map-pin',
  prefix: 'binary-tree-2',
  asn: 'topology-star-3',
  domain: 'at',
  name: 'search',
};
const MAX_FOUND = 5;
const MIN_SEARCHED = 2;
const DEBOUNCE_MS = 120;
/** Characters of pasted lines that are searched for domains; the run reads all of them. */
export const MAX_SCANNED = 50_000;

/** `pasted` replaces the text. Nothing is requested while the field is closed. */
export function useSuggestions(
  text: string,
  pasted: AddressList | undefined,
  isOpen: boolean,
): { groups: readonly SuggestionGroup[]; problem: string | undefined } {
  const account = useAccount();
  const { targets, problem } = interpret(pasted === undefined ? text : '');
  const name = targets.find((target) => target.kind === 'name')?.value ?? '';
  const networks = useNetworks(isOpen ? name : '');
  const isWord =
    targets[0] !== undefined && targets[0].kind !== 'address' && targets[0].kind !== 'prefix';
  const keys = useKeys(
    isOpen && isWord && account !== undefined && mayDo(account.role, 'member') ? text.trim() : '',
  );
  const recent = useRecent(account?.id);

  // A batch needs an account.
  const list = account && (pasted ?? typedAddresses(text));
  const lookUp = {
    name: 'Look up',
    suggestions: list ? runSuggestions(list) : targets.map(targetSuggestion),
  };
  const isEmpty = text.trim() === '';
  const open = { name: 'Pages', suggestions: named(PAGES, text, account?.role) };
  const keyGroup = { name: 'API keys', suggestions: keys };
  const doIt = { name: 'Actions', suggestions: isEmpty ? [] : named(ACTIONS, text, account?.role) };
  const groups = [
    ...(isEmpty ? [{ name: 'Recent', suggestions: recent }] : []),
    // A word that starts the name of a key, a page or an action is more likely that than a network.
    ...(targets[0]?.kind === 'name'
      ? [keyGroup, open, doIt, lookUp]
      : [lookUp, open, keyGroup, doIt]),
    { name: 'Networks', suggestions: networks },
  ];
  const shown = pasted === undefined ? groups : [lookUp];
  return { groups: shown.filter(({ suggestions }) => suggestions.length > 0), problem };
}

/** For a key that was pasted: its page, where it can be revoked. */
export function leakedSuggestions({
  key,
  problem,
}: NonNullable<ReturnType<typeof useLeakedKey>['leaked']>): {
  groups: readonly SuggestionGroup[];
  problem: string | undefined;
} {
  if (key === undefined) return { groups: [], problem: problem ?? 'Looking for the key…' };
  const hint = key.state === 'revoked' ? 'revoked' : `${key.state}: open to revoke`;
  const target = { path: `/keys/${key.id}?pasted=yes` };
  return {
    groups: [
      {
        name: 'API key',
        suggestions: [{ key: key.id, icon: 'key', words: key.name, hint, target }],
      },
    ],
    problem: undefined,
  };
}

/** Undefined for visitors without an account. */
function useAccount() {
  const { data } = useQuery(sessionQuery);
  return data?.state === 'signed_in' ? data.account : undefined;
}

export function targetSuggestion(target: LookupTarget): Suggestion {
  const path = pathOf(target);
  return { key: path, icon: ICONS[target.kind], words: describe(target), target: { path } };
}

/** A batch of addresses, and, if it has domains, to watch those: first if most lines have one. */
export function runSuggestions({ text, words }: AddressList): Suggestion[] {
  const batch: Suggestion = {
    key: 'batch',
    icon: 'list-search',
    words,
    target: { text, run: 'addresses' },
  };
  const scanner = new DomainScanner();
  scanner.push(text.slice(0, MAX_SCANNED));
  scanner.finish();
  const { unique } = scanner.counts;
  if (unique < 2) return [batch];
  const domains: Suggestion = {
    key: 'domains',
    icon: 'at',
    words: `watch ${formatNumber(unique)} domains`,
    target: { text, run: 'domains' },
  };
  return 2 * unique >= text.split('\n').length ? [domains, batch] : [batch, domains];
}

/** Whether the text is to be searched for: it is long enough, and has not changed for a moment. */
function useIsSearched(text: string): boolean {
  const [searched] = useDebouncedValue(text, DEBOUNCE_MS);
  return searched === text && text.length >= MIN_SEARCHED;
}

/**
 * The networks whose name matches, of this text only: what was found for an earlier text is not
 * shown under it.
 */
function useNetworks(name: string): Suggestion[] {
  const enabled = useIsSearched(name);
  const { data } = useAnswer('searchAsn', { query: { q: name, limit: MAX_FOUND } }, { enabled });
  return ((enabled && data?.data.results) || []).map(({ asn, asn_name, country }) => ({
    key: `AS${asn}`,
    icon: 'topology-star-3',
    words: `AS${asn} ${asn_name}`,
    hint: countryName(country),
    target: { path: `/asn/${asn}` },
  }));
}

function useKeys(text: string): Suggestion[] {
  const enabled = useIsSearched(text);
  const { data } = useAnswer(
    'listKeys',
    { query: { q: text, limit: MAX_FOUND, status: 'active' } },
    { enabled },
  );
  return ((enabled && data?.data.keys) || []).slice(0, MAX_FOUND).map(({ id, name, masked }) => ({
    key: id,
    icon: 'key',
    words: name,
    hint: masked,
    target: { path: `/keys/${id}` },
  }));
}

type NamedSuggestion = Pick<Suggestion, 'icon' | 'target'> & {
  readonly name: string;
  readonly role: Role;
};

const PAGES: readonly NamedSuggestion[] = [
  ...MAIN_ITEMS,
  ...SETTINGS_ITEMS,
  { path: '/keys/usage', name: 'Usage', icon: 'chart-bar', role: 'viewer' } as const,
  { path: '/data?tab=databases', name: 'Databases', icon: 'database', role: 'admin' } as const,
  { path: '/settings/server', name: 'Health', icon: 'server-cog', role: 'admin' } as const,
  {
    path: '/keys?create=yes',
    name: 'Create API key',
    icon: 'key',
    role: 'member',
  } as const,
  REFERENCE_ITEM,
].map(({ path, ...item }) => ({ ...item, target: { path } }));

const ACTIONS: readonly NamedSuggestion[] = [
  ...THEMES.map(({ value, name, icon }) => ({
    name: `${name} theme`,
    icon,
    role: 'viewer' as const,
    target: { action: value },
  })),
  { name: 'Update dataset now', icon: 'refresh', role: 'admin', target: { action: 'update' } },
  { name: 'Sign out', icon: 'logout', role: 'viewer', target: { action: 'sign out' } },
];

/** Those that a word of the text leads to; without a text, all of them. */
function named(
  items: readonly NamedSuggestion[],
  text: string,
  role: Role | undefined,
): Suggestion[] {
  if (role === undefined) return [];
  return items
    .filter((item) => mayDo(role, item.role) && isNamed(item.name, text))
    .map(({ name, icon, target }) => ({ key: name, icon, words: name, target }));
}

/** Whether every word of the text begins a word of the name. */
function isNamed(name: string, text: string): boolean {
  const words = text.trim().toLowerCase().split(/\s+/);
  return words.every((word) => ` ${name.toLowerCase()}`.includes(` ${word}`));
}

/** Also adds the page on screen to the list. */
function useRecent(accountId: string | undefined): Suggestion[] {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  useEffect(() => {
    if (accountId !== undefined && path !== undefined) addRecent(localStorage, accountId, path);
  }, [accountId, path]);
  if (accountId === undefined) return [];
  return readRecent(localStorage, accountId)
    .filter((recent) => recent !== path)
    .map((recent) => ({
      key: recent,
      icon: 'history',
      words: subjectOf(recent),
      target: { path: recent },
    }));
}
