import type { FamilyFigures, Figures } from '@whence/client/wire';
import { formatShare } from '../format/number.ts';
import { Table } from '../parts/Table.tsx';

type ShareField = { [F in keyof FamilyFigures]: FamilyFigures[F] extends number ? F : never }[keyof FamilyFigures];

const ROWS: readonly [ShareField, string][] = [
  ['answered_share', 'network known'],
  ['country_share', 'country known'],
  ['country_confirmed_share', 'country confirmed by two independent sources'],
  ['exact_rir_share', 'registry known exactly'],
  ['connection_type_share', 'connection type known'],
];

export function Coverage({ figures }: { figures: Figures }) {
  return (
    <Table
      label="Coverage"
      rows={ROWS}
      rowKey={([field]) => field}
      columns={[
        { name: 'Of announced space', isText: true, cell: ([, words]) => words },
        { name: 'IPv4', align: 'end', cell: ([field]) => formatShare(figures.ipv4[field], 1) },
        { name: 'IPv6', align: 'end', cell: ([field]) => formatShare(figures.ipv6[field], 1) },
      ]}
    />
  );
}
