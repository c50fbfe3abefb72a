import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { AsnLookup, PrefixKind, RpkiState } from '@whence/server/dashboard-wire/lookups';
import { useMemo } from 'react';
import { CopyButton } from '../components/Copy.tsx';
import { PrefixLink } from '../components/Links.tsx';
import { Empty } from '../components/Notice.tsx';
import { Section } from '../components/Page.tsx';
import { RpkiTag } from '../components/Tag.tsx';
import { type VirtualColumn, VirtualTable } from '../components/VirtualTable.tsx';
import { countryName, FLAG_WORDS, RPKI_WORDS } from '../format/names.ts';
import { count } from '../format/number.ts';
import { IN_PLACE } from '../search-params.ts';
import classes from './PrefixList.module.css';

const route = getRouteApi('/session/asn/$asn');
const DEBOUNCE_MS = 100;

type AnnotatedPrefix = {
  readonly prefix: string;
  readonly kind: PrefixKind | undefined;
  readonly rpki: RpkiState | undefined;
};

const COLUMNS: VirtualColumn<AnnotatedPrefix>[] = [
  {
    name: 'Prefix',
    width: 'minmax(190px, 1.4fr)',
    cell: ({ prefix }) => <PrefixLink prefix={prefix} preload={false} />,
  },
  {
    name: 'Type',
    width: 'minmax(110px, 1fr)',
    cell: ({ kind }) => kind?.connection_type ?? <span className="quiet">not examined</span>,
  },
  {
    name: 'Country',
    width: 'minmax(120px, 1fr)',
    cell: ({ kind }) => kind && countryName(kind.country),
  },
  {
    name: 'Flags inside',
    width: 'minmax(140px, 1.3fr)',
    cell: ({ kind }) => kind?.flags.map((flag) => FLAG_WORDS[flag]).join(', '),
  },
];
/** Absent without ROA data. */
const RPKI_COLUMN: VirtualColumn<AnnotatedPrefix> = {
  name: 'RPKI',
  width: 'minmax(90px, 0.6fr)',
  cell: ({ rpki }) => rpki && <RpkiTag state={rpki} />,
};

/** A virtual table of up to tens of thousands of prefixes. The filter is in the address bar. */
export function PrefixList({ lookup, title }: { lookup: AsnLookup; title: string }) {
  const { prefixes: filter = '' } = route.useSearch();
  const navigate = useNavigate({ from: '/asn/$asn' });
  const [searched] = useDebouncedValue(filter.trim().toLowerCase(), DEBOUNCE_MS);
  const all = useMemo(() => annotated(lookup), [lookup]);
  const shown = useMemo(() => all.filter((prefix) => matches(prefix, searched)), [all, searched]);
  return (
    <Section
      title={title}
      note={
        searched === ''
          ? undefined
          : `${count(shown.length, 'prefix', 'prefixes')} matching “${searched}”`
      }
      aside={
        <div className={`${classes['tools']} no-print`}>
          <TextInput
            size="xs"
            w={230}
            placeholder="Prefix, type, country, flag, RPKI"
            aria-label="Filter prefixes"
            value={filter}
            onChange={(event) =>
              void navigate({
                search: { prefixes: event.currentTarget.value || undefined },
                ...IN_PLACE,
              })
            }
          />
          <CopyButton
            text={() => shown.map(({ prefix }) => prefix).join('\n')}
            label="Copy all prefixes"
            word="Copy list"
          />
        </div>
      }
    >
      {shown.length === 0 ? (
        <Empty
          title={
            all.length === 0
              ? 'No prefixes are announced in this dataset'
              : 'No prefix matches the filter'
          }
        />
      ) : (
        <VirtualTable
          label="Prefixes"
          columns={lookup.rpki === undefined ? COLUMNS : [...COLUMNS, RPKI_COLUMN]}
          rows={shown}
          rowKey={({ prefix }) => prefix}
          cardPx={64}
          minWidth={lookup.rpki === undefined ? 620 : 740}
        />
      )}
    </Section>
  );
}

function annotated({
  record: { prefixes },
  prefix_kinds: { kinds, of },
  rpki,
}: AsnLookup): AnnotatedPrefix[] {
  const all = [...(prefixes?.ipv4 ?? []), ...(prefixes?.ipv6 ?? [])];
  return all.map((prefix, index) => ({
    prefix,
    kind: kinds[of[index] ?? -1],
    rpki: rpki?.states[index] ?? undefined,
  }));
}

function matches({ prefix, kind, rpki }: AnnotatedPrefix, text: string): boolean {
  if (text === '' || prefix.includes(text)) return true;
  const words = [
    ...(kind === undefined ? [] : [kind.connection_type, kind.country, countryName(kind.country)]),
    ...(kind?.flags.map((flag) => FLAG_WORDS[flag]) ?? []),
    ...(rpki === undefined ? [] : [RPKI_WORDS[rpki]]),
  ];
  return words.some((word) => word.toLowerCase().startsWith(text));
}
