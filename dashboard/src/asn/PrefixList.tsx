import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { AsnLookup, PrefixKind, RpkiState } from '@whence/server/dashboard-wire/lookups';
import { useMemo, useRef } from 'react';
import { CopyButton } from '../components/Copy.tsx';
import { PrefixLink } from '../components/Links.tsx';
import { Empty } from '../components/Notice.tsx';
import { Section } from '../components/Page.tsx';
import { RpkiTag } from '../components/Tag.tsx';
import { countryName, FLAG_WORDS, RPKI_WORDS } from '../format/names.ts';
import { count } from '../format/number.ts';
import classes from './PrefixList.module.css';

const route = getRouteApi('/session/asn/$asn');
const ROW_PX = 36;
const SHORT = 12;
const DEBOUNCE_MS = 100;

type AnnotatedPrefix = {
  readonly prefix: string;
  readonly kind: PrefixKind | undefined;
  readonly rpki: RpkiState | undefined;
};
/** RPKI is the last column, and absent without ROA data. */
const COLUMNS = ['Prefix', 'Type', 'Country', 'Flags inside', 'RPKI'];

/** A virtual table of up to tens of thousands of prefixes. The filter is in the address bar. */
export function PrefixList({ lookup, title }: { lookup: AsnLookup; title: string }) {
  const { prefixes: filter = '' } = route.useSearch();
  const navigate = useNavigate({ from: '/asn/$asn' });
  const [searched] = useDebouncedValue(filter.trim().toLowerCase(), DEBOUNCE_MS);
  const all = useMemo(() => annotated(lookup), [lookup]);
  const shown = useMemo(() => all.filter((one) => matches(one, searched)), [all, searched]);
  const hasRpki = lookup.rpki !== undefined;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  return (
    <Section
      title={title}
      note={searched === '' ? undefined : `${count(shown.length, 'prefix', 'prefixes')} matching “${searched}”`}
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
                replace: true,
                resetScroll: false,
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
          title={all.length === 0 ? 'No prefixes are announced in this dataset' : 'No prefix matches the filter'}
        />
      ) : (
        <div
          ref={scroller}
          className={shown.length > SHORT ? classes['list'] : `${classes['list']} ${classes['short']}`}
          tabIndex={0}
          role="table"
          aria-label="Prefixes"
          data-rpki={hasRpki || undefined}
          aria-rowcount={shown.length + 1}
        >
          <div className={`${classes['row']} ${classes['head']}`} role="row">
            {(hasRpki ? COLUMNS : COLUMNS.slice(0, -1)).map((name) => (
              <div key={name} role="columnheader">
                {name}
              </div>
            ))}
          </div>
          <div className={classes['inner']} style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map(({ index, start, size }) => {
              const one = shown[index];
              if (one === undefined) return null;
              return (
                <div
                  key={one.prefix}
                  className={`${classes['row']} ${classes['entry']}`}
                  role="row"
                  aria-rowindex={index + 2}
                  style={{ height: size, transform: `translateY(${start}px)` }}
                >
                  <Cells one={one} />
                </div>
              );
            })}
          </div>
        </div>
      )}
    </Section>
  );
}

function Cells({ one: { prefix, kind, rpki } }: { one: AnnotatedPrefix }) {
  return (
    <>
      <div role="cell">
        <PrefixLink prefix={prefix} preload={false} />
      </div>
      <div role="cell">{kind?.connection_type ?? <span className="quiet">not examined</span>}</div>
      <div role="cell">{kind === undefined ? '' : countryName(kind.country)}</div>
      <div role="cell">{kind?.flags.map((flag) => FLAG_WORDS[flag]).join(', ')}</div>
      {rpki !== undefined && (
        <div role="cell">
          <RpkiTag state={rpki} />
        </div>
      )}
    </>
  );
}

function annotated({ record: { prefixes }, prefix_kinds: { kinds, of }, rpki }: AsnLookup): AnnotatedPrefix[] {
  const all = [...(prefixes?.ipv4 ?? []), ...(prefixes?.ipv6 ?? [])];
  return all.map((prefix, index) => ({ prefix, kind: kinds[of[index] ?? -1], rpki: rpki?.states[index] }));
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
