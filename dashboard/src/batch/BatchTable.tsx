import { IconArrowDown } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';
import { NetworkLink } from '../components/Links.tsx';
import { Level } from '../components/Tag.tsx';
import { countryName, FLAG_WORDS, FLAGS } from '../format/names.ts';
import { formatNumber } from '../format/number.ts';
import classes from './BatchTable.module.css';
import type { BatchRow } from './batch-run.ts';
import type { BatchSort } from './filter-rows.ts';

const ROW_PX = 40;
const SHORT = 12;

type BatchTableProps = {
  rows: readonly BatchRow[];
  isThreatKnown: boolean;
  sort: BatchSort | undefined;
  onSort: (sort: BatchSort | undefined) => void;
};

export function BatchTable({ rows, isThreatKnown, sort, onSort }: BatchTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 16,
  });
  const head = (name: string, by?: BatchSort) => (
    <div role="columnheader" aria-sort={by !== undefined && by === sort ? 'descending' : undefined}>
      {by === undefined ? (
        name
      ) : (
        <button type="button" className={classes['sort']} onClick={() => onSort(by === sort ? undefined : by)}>
          {name}
          {by === sort && <IconArrowDown size={13} aria-hidden />}
        </button>
      )}
    </div>
  );
  return (
    <div className={classes['frame']}>
      <div
        ref={scroller}
        className={rows.length > SHORT ? classes['scroll'] : `${classes['scroll']} ${classes['short']}`}
        role="table"
        aria-label="Addresses"
        aria-rowcount={rows.length + 1}
        tabIndex={0}
      >
        <div className={classes['head']} role="row">
          {head('Address')}
          {head('Times', 'times')}
          {head('Network', 'network')}
          {head('Country', 'country')}
          {head('Type', 'type')}
          {head('Flags')}
          {head('Threat', 'threat')}
        </div>
        <div className={classes['body']} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start, size }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <div
                key={row.ip}
                className={classes['row']}
                role="row"
                aria-rowindex={index + 2}
                style={{ height: size, transform: `translateY(${start}px)` }}
              >
                <Cells row={row} isThreatKnown={isThreatKnown} />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

type CellsProps = { row: BatchRow; isThreatKnown: boolean };

function Cells({ row: { ip, times, record, refusal }, isThreatKnown }: CellsProps) {
  const cell = (content: ReactNode, title?: string) => (
    <div className={classes['cell']} role="cell" title={title}>
      {content}
    </div>
  );
  return (
    <>
      {cell(
        <Link to="/ip/$ip" params={{ ip }} className="mono" preload={false}>
          {ip}
        </Link>,
        ip,
      )}
      {cell(formatNumber(times))}
      {record === undefined
        ? cell(<span className="quiet">{refusal}</span>, refusal)
        : cell(<NetworkLink asn={record.asn} name={record.asn_name} preload={false} />, record.asn_name)}
      {cell(record === undefined ? '' : countryName(record.country))}
      {cell(record?.connection_type ?? '')}
      {cell(
        record === undefined
          ? ''
          : FLAGS.filter((flag) => record.detection[flag] && flag !== `is_${record.connection_type}`)
              .map((flag) => FLAG_WORDS[flag])
              .join(', '),
      )}
      {cell(
        record === undefined ? (
          ''
        ) : (
          <Level level={record.threat.level} score={record.threat.score} isKnown={isThreatKnown} />
        ),
      )}
    </>
  );
}
