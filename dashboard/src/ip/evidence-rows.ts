/**
 * Evidence as a page shows it: for every field the rows that decided the answer first, then those
 * that say something else, with the reason why they lost. Fields that collect statements, such as
 * the contributions to the score, have no losers.
 */
import type { Evidence, Flag, IpRecord } from '@whence/client/wire';

export type JudgedRow<Row extends Statement> = {
  readonly row: Row;
  /** Why the answer has another value; absent where it agrees with the answer. */
  readonly overruled?: string;
};
type Statement = Pick<Evidence, 'field' | 'value' | 'source' | 'note'>;

export function judgeEvidence<Row extends Statement>(
  record: Pick<IpRecord, 'asn' | 'country' | 'connection_type' | 'rir' | 'detection'>,
  evidence: readonly Row[],
): JudgedRow<Row>[] {
  const fields = [...new Set(evidence.map(({ field }) => field))];
  return fields.flatMap((field) => {
    const rows = evidence.filter((row) => row.field === field);
    const answer = answerOf(record, field);
    if (answer === undefined) return rows.map((row) => ({ row }));
    const winners = rows.filter(({ value }) => value === answer);
    const losers = rows.filter(({ value }) => value !== answer);
    return [
      ...winners.map((row) => ({ row })),
      ...losers.map((row) => ({ row, overruled: reasonFor(row, winners[0]) })),
    ];
  });
}

/** The value in the record of a field that has one value; undefined for the others. */
function answerOf(
  record: Parameters<typeof judgeEvidence>[0],
  field: string,
): Evidence['value'] | undefined {
  switch (field) {
    case 'asn':
    case 'country':
    case 'rir':
    case 'connection_type':
      return record[field];
    case 'cloud_provider':
    case 'ai_company':
      // An override can remove a name; its row then has an empty value, like the record.
      return record.detection[field] ?? '';
    default:
      return record.detection[field as Flag];
  }
}

/** The operator's own table of exceptions. */
const OVERRIDES = 'overrides';
/** Sources that know in which country a block is registered, not where its addresses are used. */
const REGISTRATIONS = /delegated|^(?:afrinic|apnic|arin|lacnic|ripe)\b/;

function reasonFor(loser: Statement, winner: Statement | undefined): string {
  if (loser.note !== undefined) return loser.note;
  if (winner?.source === OVERRIDES) return 'your overrides come first';
  if (loser.field === 'asn') return 'fewer routing peers see this network as the origin';
  if (loser.field === 'country' && REGISTRATIONS.test(loser.source))
    return 'registered there, used elsewhere';
  return winner === undefined ? 'another source comes first' : `${winner.source} comes first`;
}

/** Names that only the evidence has. */
export const NAMED_FIELDS = [
  ['crawler', 'Crawler'],
  ['scanner', 'Research scanner'],
  ['known_good', 'Known service'],
  ['relay', 'Relay'],
  ['vpn_service', 'VPN service'],
  ['tor_operator', 'Tor operator'],
  ['cloud_region', 'Cloud region'],
] as const;
export type NamedField = (typeof NAMED_FIELDS)[number][0];

/** The distinct values of such a field. */
export function namesIn(
  evidence: readonly Pick<Evidence, 'field' | 'value'>[],
  field: NamedField,
): string[] {
  const values = evidence.filter((row) => row.field === field).map(({ value }) => String(value));
  return [...new Set(values.filter((value) => value !== ''))];
}
