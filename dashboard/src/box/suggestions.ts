/** What the box offers: the meanings of the text, and for a name the networks that match it. */
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerQuery } from '../api/query-client.ts';
import { countryName } from '../format/country.ts';
import { describe, type Meaning, pathOf, understand } from './understand.ts';

export type Suggestion = {
  readonly key: string;
  readonly kind: Meaning['kind'];
  readonly words: string;
  readonly hint?: string;
  readonly path: string;
};

const NETWORKS_SHOWN = 5;
const DEBOUNCE_MS = 120;

export function useSuggestions(text: string): { suggestions: readonly Suggestion[]; problem: string | undefined } {
  const { meanings, problem } = understand(text);
  const name = meanings.find((meaning) => meaning.kind === 'name')?.value ?? '';
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
      ...meanings.map((meaning) => ({
        key: pathOf(meaning),
        kind: meaning.kind,
        words: describe(meaning),
        path: pathOf(meaning),
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
