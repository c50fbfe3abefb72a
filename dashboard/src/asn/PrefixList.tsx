import { TextInput } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import { CopyButton } from '../components/Copy.tsx';
import { PrefixLink } from '../components/Links.tsx';
import { Empty } from '../components/Notice.tsx';
import { Section } from '../components/Page.tsx';
import { count } from '../format/number.ts';
import classes from './PrefixList.module.css';

const route = getRouteApi('/session/asn/$asn');
const ROW_PX = 34;
const COLUMN_PX = 220;

/** A virtual list of up to tens of thousands of prefixes, in as many columns as fit. The filter is in the address bar. */
export function PrefixList({ prefixes, title }: { prefixes: readonly string[]; title: string }) {
  const { prefixes: filter = '' } = route.useSearch();
  const navigate = useNavigate({ from: '/asn/$asn' });
  const shown = useMemo(() => {
    const text = filter.trim().toLowerCase();
    return text === '' ? prefixes : prefixes.filter((prefix) => prefix.includes(text));
  }, [prefixes, filter]);
  const { ref: sizeRef, width } = useElementSize();
  const columns = Math.max(1, Math.floor(width / COLUMN_PX));
  const scroller = useRef<HTMLElement>(null);
  const rows = Math.ceil(shown.length / columns);
  const virtual = useVirtualizer({
    count: rows,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  return (
    <Section
      title={title}
      note={filter === '' ? undefined : `${count(shown.length, 'prefix', 'prefixes')} matching “${filter}”`}
      aside={
        <div className={`${classes['tools']} no-print`}>
          <TextInput
            size="xs"
            placeholder="Filter"
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
          <CopyButton text={shown.join('\n')} label="Copy all prefixes" word="Copy list" />
        </div>
      }
    >
      <div ref={sizeRef}>
        {shown.length === 0 ? (
          <Empty
            title={prefixes.length === 0 ? 'No prefixes are announced in this dataset' : 'No prefix matches the filter'}
          />
        ) : (
          <section
            ref={scroller}
            className={rows > 10 ? classes['list'] : `${classes['list']} ${classes['short']}`}
            tabIndex={0}
            aria-label="Prefixes"
          >
            <div className={classes['inner']} style={{ height: virtual.getTotalSize() }}>
              {virtual.getVirtualItems().map(({ index, start, size }) => (
                <div
                  key={index}
                  className={classes['row']}
                  style={{ height: size, transform: `translateY(${start}px)`, ['--columns' as string]: columns }}
                >
                  {shown.slice(index * columns, (index + 1) * columns).map((prefix) => (
                    <PrefixLink key={prefix} prefix={prefix} preload={false} />
                  ))}
                </div>
              ))}
            </div>
          </section>
        )}
      </div>
    </Section>
  );
}
