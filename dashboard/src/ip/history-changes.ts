/**
 * The changes between the spans of a history: what differs between the records before and after,
 * newest first.
 */
import type { IpRecord, RecordSpan } from '@whence/client/wire';
import { fieldName } from '../format/names.ts';

export type RecordChange = {
  /** The version that brought it, which is how the address bar names a change. */
  readonly version: number;
  /** When that version was built. */
  readonly at: string;
  readonly before: RecordSpan;
  readonly after: RecordSpan;
  readonly differences: readonly Difference[];
};
/**
 * `field` is the path in the JSON. Undefined: the record does not have it, or there is no record.
 */
export type Difference = {
  readonly field: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
};

/** `spans` are the newest first, as in the answer. */
export function changesOf(spans: readonly RecordSpan[]): RecordChange[] {
  return spans.slice(0, -1).flatMap((after, index) => {
    const before = spans[index + 1];
    if (before === undefined) return [];
    const { from_version: version, from: at } = after;
    return [
      { version, at, before, after, differences: differencesOf(before.record, after.record) },
    ];
  });
}

/**
 * `asn: 64500 → 64501`, or that the address got or lost its record. Reasons of the score are left
 * to the comparison.
 */
export function changeWords({ before, after, differences }: RecordChange): string {
  if (before.record === undefined)
    return `announced, by AS${after.record?.asn} ${after.record?.asn_name}`;
  if (after.record === undefined) return 'no longer announced';
  const short = differences.filter(({ field }) => field !== 'threat.explanation');
  return (short.length === 0 ? differences : short)
    .map(
      (difference) =>
        `${difference.field}: ${difference.before ?? 'none'} → ${difference.after ?? 'none'}`,
    )
    .join(', ');
}

function differencesOf(before: IpRecord | undefined, after: IpRecord | undefined): Difference[] {
  const old = leavesOf(before);
  const next = leavesOf(after);
  const fields = [...new Set([...old.keys(), ...next.keys()])];
  return fields
    .filter((field) => old.get(field) !== next.get(field))
    .map((field) => ({ field, before: old.get(field), after: next.get(field) }));
}

/** The values of a record as text, by their path: `detection.vpn`. */
function leavesOf(record: IpRecord | undefined): Map<string, string> {
  const leaves = new Map<string, string>();
  const add = (path: string, value: unknown): void => {
    if (Array.isArray(value)) leaves.set(path, value.join('; '));
    else if (typeof value === 'object' && value !== null)
      for (const [name, part] of Object.entries(value))
        add(path === '' ? name : `${path}.${name}`, part);
    else leaves.set(fieldName(path), String(value));
  };
  if (record !== undefined) add('', record);
  leaves.delete('ip');
  return leaves;
}
